import { ApiError, Unsupported } from '../../../client/errors.ts';
import type { Order } from '../../../contract/orders.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation, type NextStep } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { holdOf } from './auto-hold.ts';

/**
 * The error for a text that identifies an order without a delivery, by ID or reference: its status and next steps, with
 * exit 5. Null if there is no such order either.
 */
export async function orderInstead(context: Pick<Context, 'client'>, text: string): Promise<Failure | null> {
  const order = await orderNamed(context, text);
  if (order === undefined) return null;
  const { text: stand, next } = await describeOrder(context, order);
  return new Failure(5, 'record_not_found', `There is no delivery "${text}": ${stand}.`, { next });
}

/** Selects the latest of several orders with one reference. */
async function orderNamed(context: Pick<Context, 'client'>, text: string): Promise<Order | undefined> {
  const client = await context.client();
  try {
    if (!text.startsWith('ord_')) {
      const first = async (query: { external_order_ref: string } | { q: string }) =>
        (await client.orders.list({ query: { ...query, limit: 1 } })).data.data[0];
      return (await first({ external_order_ref: text })) ?? (await first({ q: text.slice(0, 200) }));
    }
    return (await client.orders.get({ params: { order_id: text } })).data;
  } catch (error) {
    if (error instanceof Unsupported || (error instanceof ApiError && error.status === 404)) return undefined;
    throw error;
  }
}

interface OrderStatus {
  /** Follows a colon. */
  text: string;
  next: NextStep[];
}

async function describeOrder(context: Pick<Context, 'client'>, order: Order): Promise<OrderStatus> {
  const { id, batch_id, delivery_id } = order;
  if (delivery_id !== null) {
    const explain = { ...invocation('deliveries explain', [delivery_id]), when: 'see how it is' };
    return { text: `the order ${id} has the delivery ${delivery_id}`, next: [explain] };
  }
  if (batch_id === null) return describeManualOrder(order);
  const batch = await holdOf(context, order);
  return {
    text:
      batch === null
        ? `its order ${id} is ${order.status}, and auto dispatch in ${batch_id} ended without one`
        : `auto dispatch of its order ${id} is under way in ${batch_id}, and no courier has taken it yet`,
    next: [
      { ...invocation('orders tries', [id]), when: 'see who was asked, and why not' },
      { ...invocation('batches get', [batch_id]), when: 'see the progress of the batch' },
    ],
  };
}

function describeManualOrder({ id, status, route_id }: Order): OrderStatus {
  if (status === 'routed' && route_id !== null) {
    const look = { ...invocation('routes get', [route_id]), when: 'see the route' };
    return { text: `its order ${id} is in the route ${route_id}, which is not dispatched`, next: [look] };
  }
  const isOpen = status === 'open';
  const next = isOpen
    ? { ...invocation('routes create', [id]), when: 'go on with it' }
    : { ...invocation('orders get', [id]), when: 'see the order' };
  return { text: `its order ${id} is ${status} and has none`, next: [next] };
}
