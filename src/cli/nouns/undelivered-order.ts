/** Why an order that is asked for as a delivery has none, and what to do next. */
import { ApiError, ifSupported, Unsupported } from '../../client/errors.ts';
import type { Order } from '../../contract/orders.ts';
import { Failure } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { pendingBatchOf } from './order-waiting.ts';
import { pausedStores, pausedText } from './store-pause.ts';

/**
 * The error, with exit 5, for a text that identifies an order without a delivery, by ID or reference: its status and
 * next steps. An order that only matches it in a search may be a stranger's: no command acts on that. Null without any.
 */
export async function orderWithoutDelivery(
  context: Pick<Context, 'client' | 'has' | 'serviceNow'>,
  text: string,
): Promise<Failure | null> {
  try {
    const order = await orderNamed(context, text);
    if (order !== undefined) {
      if (!showsDelivery(order)) return deliveryNotShown(text, order);
      return withoutDelivery(context, text, order);
    }
    const q = text.slice(0, 200);
    const client = await context.client();
    const [first, second] = (await client.orders.list({ query: { q, limit: 2 } })).data.data;
    if (first === undefined) return null;
    const { id, dropoff_name, status, matched = '' } = first;
    const found = `One order does, by its ${matched || 'content'}: ${id} for ${oneLine(dropoff_name)}, ${status}.`;
    const message = `No delivery matches "${text}". ${second === undefined ? found : 'Several orders do.'}`;
    const look = { ...invocation('orders list', [], { search: q }), when: 'see what matches' };
    return new Failure(5, 'record_not_found', message, { next: [look] });
  } catch (error) {
    if (error instanceof Unsupported || (error instanceof ApiError && error.status === 404)) return null;
    throw error;
  }
}

/**
 * The error, with exit 5, for the first reference of an order that was not sent: what a search finds for its parts are
 * deliveries of others. Null if there is none.
 */
export async function unsentOrderNamed(
  context: Pick<Context, 'client' | 'has' | 'serviceNow'>,
  references: readonly string[],
): Promise<Failure | null> {
  for (const reference of references) {
    const order = await ifSupported(orderNamed(context, reference), undefined);
    if (order !== undefined && showsDelivery(order) && order.delivery_id === null) {
      return withoutDelivery(context, reference, order);
    }
  }
  return null;
}

/** The error for an order without a delivery, which says why: also that its store is paused. */
async function withoutDelivery(
  context: Pick<Context, 'client' | 'has' | 'serviceNow'>,
  typed: string,
  order: Order,
): Promise<Failure> {
  const { text: stand, next } = await describeOrder(context, order);
  const isWaiting = order.delivery_id === null && order.status !== 'unfulfilled' && order.pickup_store_id;
  const [paused] = isWaiting ? await pausedStores(context, order.pickup_store_id) : [];
  const message = `There is no delivery "${typed}": ${stand}.`;
  const details = paused === undefined ? { next } : { next, hint: pausedText(paused, 0) };
  return new Failure(5, 'record_not_found', message, details);
}

/** The order with this ID; the latest of several with one reference. */
async function orderNamed(context: Pick<Context, 'client'>, text: string): Promise<Order | undefined> {
  const client = await context.client();
  if (text.startsWith('ord_')) return (await client.orders.get({ params: { order_id: text } })).data;
  return (await client.orders.list({ query: { external_order_ref: text, limit: 1 } })).data.data[0];
}

/** A service may leave out the delivery of an order: only a status before the dispatch says that there is none. */
function showsDelivery(order: Order): boolean {
  return Object.hasOwn(order, 'delivery_id') || ['open', 'routed', 'unfulfilled'].includes(order.status);
}

function deliveryNotShown(text: string, { id }: Order): Failure {
  const look = { ...invocation('orders get', [id]), when: 'see what the service has' };
  const message = `No delivery "${text}" was found, and its order ${id} does not show whether it has one.`;
  return new Failure(6, 'search_incomplete', message, { next: [look] });
}

interface OrderDescription {
  /** Follows a colon. */
  text: string;
  next: NextStep[];
}

async function describeOrder(
  context: Pick<Context, 'client' | 'has' | 'serviceNow'>,
  order: Order,
): Promise<OrderDescription> {
  const { id, batch_id, delivery_id } = order;
  if (delivery_id !== null) {
    const explain = { ...invocation('deliveries explain', [delivery_id]), when: 'see how it is' };
    return { text: `the order ${id} has the delivery ${delivery_id}`, next: [explain] };
  }
  if (batch_id === null) return isOwnService(context) ? describeManualOrder(order) : notShownYet(order);
  const batch = await pendingBatchOf(context, order);
  return {
    text:
      batch === null
        ? `its order ${id} is ${order.status}, and auto dispatch in ${batch_id} ended without one`
        : `auto dispatch of its order ${id} is under way in ${batch_id}, and no courier has taken it yet`,
    next: [
      { ...invocation('orders attempts', [id]), when: 'see who was asked, and why not' },
      { ...invocation('batches get', [batch_id]), when: 'see the progress of the batch' },
    ],
  };
}

/** Names no step that sends the order again, which could send two couriers: its delivery may be shown later. */
function notShownYet({ id, status }: Order): OrderDescription {
  const when = 'look again later: the service may show a delivery some time after its dispatch';
  return {
    text: `its order ${id} is ${status} and shows none so far`,
    next: [{ ...invocation('deliveries get', [id]), when }],
  };
}

function describeManualOrder({ id, status, route_id }: Order): OrderDescription {
  if (status === 'routed' && route_id !== null) {
    const look = { ...invocation('routes get', [route_id]), when: 'see the route' };
    return { text: `its order ${id} is in the route ${route_id}, which is not dispatched`, next: [look] };
  }
  const next =
    status === 'open'
      ? [
          { ...invocation('ship', [id], { cheapest: true }), when: 'dispatch it to the cheapest courier' },
          { ...invocation('ship', [id], { driver: 'DRIVER' }), when: 'give it to a driver of your own' },
        ]
      : [{ ...invocation('orders get', [id]), when: 'see the order' }];
  return { text: `its order ${id} is ${status} and has none`, next };
}
