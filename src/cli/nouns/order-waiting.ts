/** Waiting for an order, and why an order has no delivery. */
import { ApiError, ifSupported, Unsupported } from '../../client/errors.ts';
import type { Batch } from '../../contract/batches.ts';
import type { Order } from '../../contract/orders.ts';
import type { OrderStatus } from '../../contract/vocabulary.ts';
import { stepsText } from '../errors/error-codes.ts';
import { isReportedAs, stepsForOrder } from '../errors/error-report.ts';
import { BadOutcome, Failure, type FailureDetails } from '../kit/errors/failure.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import type { Hint } from '../kit/polling/poll.ts';
import { invocation, type NextStep, phrase } from '../kit/result/message.ts';
import { recordResult } from '../kit/result/result.ts';
import { type Context, isOwnService } from '../session/command.ts';
import type { Answerable, EventFilter } from '../waiting/service-waiting.ts';
import { isSameRecord, type Outcome } from '../waiting/status-records.ts';
import type { StatusTarget } from '../waiting/waiting-flags.ts';
import { getBatch } from './batch.ts';
import { batchTimeout } from './batch-waiting.ts';
import { endingText } from './delivery.ts';
import { getOrder, orderColumns } from './order.ts';

/** The usual statuses in order: a later one also counts as reached. */
const usual: readonly OrderStatus[] = ['open', 'routed', 'dispatched'];

/** The statuses that can follow, for those after which not all can. */
const reachable: Readonly<Partial<Record<OrderStatus, readonly OrderStatus[]>>> = {
  dispatched: ['failed', 'canceled'],
  unfulfilled: [],
  failed: [],
  canceled: [],
};

/** Adding an order to a route emits no event. */
const types: EventFilter['types'] = [
  'order.dispatched',
  'order.unfulfilled',
  'order.failed',
  'order.canceled',
];

const default_timeout_ms = 1_800_000;

/** The limit of a wait for an order: as long as auto dispatch retries. */
export async function orderTimeout(context: Context, { batch_id }: Order): Promise<number> {
  if (batch_id === null) return default_timeout_ms;
  return batchTimeout((await getBatch(context, batch_id)).settings);
}

/** Waits until an order has a status. */
export function orderWaitable(
  context: Context,
  first: Order,
  target: StatusTarget<OrderStatus>,
): Answerable<Order> {
  return {
    first,
    test_mode: first.test_mode,
    isUnchanged: isSameRecord,
    interruptionText: ({ id, status }) =>
      phrase`${id} is ${status}. See it with: ${invocation('orders get', [id])}`,
    status: ({ id, status }) => `${id} is ${status}`,
    progress: ({ id, status }) => `Waiting for ${id}: ${status}`,
    poll: () => getOrder(context, first.id),
    events: { types, isAbout: ({ id }) => id === first.id },
    reached: ({ status }) => orderOutcome(status, target) === 'reached',
    failed: async (order, details) =>
      (await isLost(context, order, target)) ? await failureOf(context, order, details) : null,
    hintIfIdle: idleHint,
    answer: (order) => recordResult(order, orderColumns),
  };
}

/** A status of `fail_on` fails even if it is later than `until`; another final status always fails. */
export function orderOutcome(status: OrderStatus, { until, fail_on }: StatusTarget<OrderStatus>): Outcome {
  if (until.includes(status)) return 'reached';
  if (fail_on?.includes(status)) return 'failed';
  if (until.some((each) => usual.includes(each) && usual.indexOf(status) > usual.indexOf(each)))
    return 'reached';
  const coming = reachable[status];
  return coming === undefined || until.some((each) => coming.includes(each)) ? 'open' : 'failed';
}

/** Auto dispatch retries a refused order. */
async function isLost(context: Context, order: Order, target: StatusTarget<OrderStatus>): Promise<boolean> {
  if (orderOutcome(order.status, target) !== 'failed') return false;
  if (order.status !== 'failed' || target.fail_on?.includes('failed')) return true;
  return (await pendingBatchOf(context, order)) === null;
}

async function failureOf(context: Context, order: Order, details: FailureDetails): Promise<BadOutcome> {
  const { text, next } = await reasonOf(context, order);
  const { id, status } = order;
  return new BadOutcome(`${id} ${text}`, { code: `order_${status}`, next, ...details });
}

function statusText({ status, batch_id, route_id, delivery_id }: Order): string {
  switch (status) {
    case 'open':
      return batch_id === null ? 'in no route yet' : `auto dispatch looks for a courier, in ${batch_id}`;
    case 'routed':
      return route_id === null ? `kept as ${delivery_id ?? 'a delivery'}` : `in ${route_id}`;
    case 'dispatched':
      return delivery_id ?? '';
    case 'unfulfilled':
      return 'no provider quoted in time';
    case 'failed':
      return 'its last dispatch was refused';
    case 'canceled':
      return delivery_id ?? '';
    default:
      return '';
  }
}

/** The hint for an order that does not change without a user's action. */
function idleHint(order: Order): Hint | null {
  const { id, status, batch_id, route_id, delivery_id } = order;
  if (batch_id !== null || (status !== 'open' && status !== 'routed')) return null;
  const command =
    status === 'open'
      ? invocation('routes create', [id])
      : route_id === null
        ? invocation('deliveries initiate', [delivery_id ?? id])
        : invocation('routes quote', [route_id]);
  const message = phrase`${id} is ${statusText(order)} and does not change until you continue with it: ${command}`;
  return { code: 'waits_for_somebody', message, command, when: 'go on with it' };
}

interface Reason {
  /** A sentence without its subject. */
  text: string;
  next: NextStep[];
}

/** Reads the reason for an order's status from its delivery, or else its batch. */
async function reasonOf(context: Context, order: Order): Promise<Reason> {
  const { id, status, batch_id, delivery_id } = order;
  const tries = { ...invocation('orders attempts', [id]), when: 'see who was asked, and why not' };
  const get = { ...invocation('orders get', [id]), when: 'see it' };
  if (delivery_id !== null) {
    const client = await context.client();
    const explain = {
      ...invocation('deliveries explain', [delivery_id]),
      when: 'see what happened',
    };
    const delivery = await client.deliveries.get({ params: { deliveryid: delivery_id } }).catch(unknown);
    if (delivery !== null)
      return { text: `is ${status}: ${delivery_id} ${endingText(delivery.data)}`, next: [explain] };
  }
  if (batch_id === null) return { text: `is ${status}.`, next: [get] };
  const batch = await getBatch(context, batch_id).catch(unknown);
  const outcome = batch?.orders.find(({ order_id }) => order_id === id);
  // The batch keeps its outcome of an order that is canceled later.
  const isLater = status === 'canceled' && outcome?.status !== 'canceled';
  const reason = isLater ? '' : (outcome?.reason ?? '');
  return { text: `is ${status}${reason === '' ? '' : `: ${reason.replace(/\.+$/, '')}`}.`, next: [tries] };
}

/** The error is shown even if its reason is unknown. */
function unknown(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}

/** The batch that is dispatching an order now; null if there is none. */
async function pendingBatchOf(
  context: Pick<Context, 'client'>,
  { id, batch_id }: Pick<Order, 'id' | 'batch_id'>,
): Promise<Batch | null> {
  if (batch_id === null) return null;
  const client = await context.client();
  const { data: batch } = await client.batches.get({ params: { batch_id } });
  const isPending = batch.orders.some(({ order_id, status }) => order_id === id && status === 'pending');
  return isPending ? batch : null;
}

/** Error codes that ask for new quotes, which the service refuses during auto dispatch. */
const codesForNewQuotes: readonly string[] = ['quotes_not_ready', 'no_quotes', 'quote_expired'];

/**
 * Replaces an error about the quotes of a route if auto dispatch is working on its order. Returns any other error
 * unchanged, also if this cannot be checked.
 */
export async function explainHeldOrder(
  error: unknown,
  context: Pick<Context, 'client'>,
  route_id: string,
): Promise<unknown> {
  if (!isReportedAs(error, ...codesForNewQuotes)) return error;
  try {
    return (await heldOrderFailure(context, route_id)) ?? error;
  } catch {
    return error;
  }
}

async function heldOrderFailure(context: Pick<Context, 'client'>, route_id: string): Promise<Failure | null> {
  const client = await context.client();
  const { data: route } = await client.routes.get({ params: { route_id } });
  const [order_id = ''] = route.order_ids;
  if (route.status !== 'draft')
    return new Failure(
      6,
      'route_not_draft',
      `Route ${route_id} is ${route.status}; only a draft is dispatched.`,
      {
        next: [{ ...invocation('deliveries explain', [order_id]), when: 'see what became of its order' }],
      },
    );
  const { data: order } = await client.orders.get({ params: { order_id } });
  const batch = await pendingBatchOf(context, order);
  if (batch === null) return null;
  // The same message as the service's.
  const message = `Order ${order.id} is being dispatched by batch ${batch.batch_id}; cancel it there first.`;
  const next = stepsForOrder([order.id, batch.batch_id]);
  return new Failure(6, 'order_not_open', message, { hint: stepsText(next), next });
}

/**
 * The error, with exit 5, for a text that identifies an order without a delivery, by ID or reference: its status and
 * next steps. An order that only matches it in a search may be a stranger's: no command acts on that. Null without any.
 */
export async function orderWithoutDelivery(
  context: Pick<Context, 'client' | 'has'>,
  text: string,
): Promise<Failure | null> {
  try {
    const order = await orderNamed(context, text);
    if (order !== undefined) {
      if (!showsDelivery(order)) return deliveryNotShown(text, order);
      const { text: stand, next } = await describeOrder(context, order);
      return new Failure(5, 'record_not_found', `There is no delivery "${text}": ${stand}.`, { next });
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
 * The same for the reference of an order that was not sent: what a search finds for its parts are deliveries of others.
 * Null for any other text.
 */
export async function unsentOrderNamed(
  context: Pick<Context, 'client' | 'has'>,
  references: readonly string[],
): Promise<Failure | null> {
  for (const reference of references) {
    const order = await ifSupported(orderNamed(context, reference), undefined);
    if (order !== undefined && showsDelivery(order) && order.delivery_id === null) {
      const { text: stand, next } = await describeOrder(context, order);
      return new Failure(5, 'record_not_found', `There is no delivery "${reference}": ${stand}.`, { next });
    }
  }
  return null;
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
  context: Pick<Context, 'client' | 'has'>,
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

/** Another service may show a delivery some time after its dispatch: to send the order again could send two couriers. */
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
