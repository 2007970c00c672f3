/** Waiting for an order to reach a status, and why it cannot. */
import { ApiError } from '../../client/errors.ts';
import type { Batch } from '../../contract/batches.ts';
import type { Order } from '../../contract/orders.ts';
import type { OrderStatus } from '../../contract/vocabulary.ts';
import { stepsText } from '../errors/error-codes.ts';
import { isReportedAs, stepsForOrder } from '../errors/error-report.ts';
import { BadOutcome, Failure, type FailureDetails } from '../kit/errors/failure.ts';
import type { Hint } from '../kit/polling/hints.ts';
import { invocation, type NextStep, phrase } from '../kit/result/message.ts';
import { recordResult } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import type { Answerable, EventFilter } from '../waiting/service-waiting.ts';
import { isSameRecord, type Outcome } from '../waiting/status-records.ts';
import type { StatusTarget } from '../waiting/status-targets.ts';
import { usual_wait_ms } from '../waiting/waiting-flags.ts';
import { getBatch } from './batch.ts';
import { batchTimeout } from './batch-waiting.ts';
import { endingText } from './delivery.ts';
import { getOrder, orderColumns } from './order.ts';

/** The usual statuses in order: a later one also counts as reached. */
const sequence: readonly OrderStatus[] = ['open', 'routed', 'dispatched'];

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

/** The limit of a wait for an order: as long as auto dispatch retries. */
export async function orderTimeout(context: Context, { batch_id }: Order): Promise<number> {
  if (batch_id === null) return usual_wait_ms;
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
  if (until.some((each) => sequence.includes(each) && sequence.indexOf(status) > sequence.indexOf(each)))
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
export async function pendingBatchOf(
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
