import type { Client } from '../../../client/client.ts';
import { ApiError } from '../../../client/errors.ts';
import type { Order } from '../../../contract/orders.ts';
import { type OrderStatus, orderStatuses } from '../../../contract/vocabulary.ts';
import { BadOutcome, type FailureDetails } from '../../kit/errors/failure.ts';
import type { Hint } from '../../kit/polling/waitable.ts';
import { invocation, type NextStep, phrase } from '../../kit/result/message.ts';
import { record, type StreamResult } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import type { EventFilter } from '../../waiting/event-notifications.ts';
import { watchList } from '../../waiting/list-waitable.ts';
import type { Answerable, Watched } from '../../waiting/service-waiting.ts';
import { isSameRecord, type RecordKind, recordLine, statusRecord } from '../../waiting/status-records.ts';
import { outcomeOf, type StatusPath, type StatusTarget } from '../../waiting/status-targets.ts';
import type { Waiting } from '../../waiting/waiting-flags.ts';
import { batchTimeout } from '../batches/batch-waitable.ts';
import { getBatch } from '../batches/find-batch.ts';
import { holdOf } from './auto-hold.ts';
import { endingText } from './delivery-ending.ts';
import { orderColumns } from './order-columns.ts';
import { getOrder } from './order-requests.ts';
import { storeZone } from './store-zone.ts';

const path: StatusPath<OrderStatus> = {
  usual: ['open', 'routed', 'dispatched'],
  reachable: { dispatched: ['failed', 'canceled'], unfulfilled: [], failed: [], canceled: [] },
};

const kind: RecordKind<Order, OrderStatus> = {
  ...{ noun: 'order', statuses: orderStatuses, words: wordsOf },
  zone: storeZone,
};

/** Adding an order to a route emits no event. */
const events: EventFilter = {
  types: ['order.dispatched', 'order.unfulfilled', 'order.failed', 'order.canceled'],
  isAbout: () => true,
};

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
): Answerable<Order> & Watched<Order> {
  return {
    ...statusRecord(first, kind),
    poll: () => getOrder(context, first.id),
    events: { ...events, isAbout: ({ id }) => id === first.id },
    reached: ({ status }) => outcomeOf(status, target, path) === 'reached',
    failed: async (order, details) =>
      (await isLost(context, order, target)) ? await failureOf(context, order, details) : null,
    idle: nobodyMovesIt,
    answer: (order) => record(order, orderColumns),
  };
}

/** Auto dispatch retries a refused order. */
async function isLost(context: Context, order: Order, target: StatusTarget<OrderStatus>): Promise<boolean> {
  if (outcomeOf(order.status, target, path) !== 'failed') return false;
  if (order.status !== 'failed' || target.fail_on?.includes('failed')) return true;
  return (await holdOf(context, order)) === null;
}

async function failureOf(context: Context, order: Order, details: FailureDetails): Promise<BadOutcome> {
  const { text, next } = await reasonOf(context, order);
  const { id, status } = order;
  return new BadOutcome(`${id} ${text}`, { code: `order_${status}`, next, ...details });
}

/** Selects the newest orders to watch. */
export interface ListedOrders {
  query: NonNullable<NonNullable<Parameters<Client['orders']['list']>[0]>['query']>;
  filters: Readonly<Record<string, string | boolean | undefined>>;
}

/** Watches the orders of a list until each is dispatched or has ended. */
export function watchOrders(
  context: Context,
  { query, filters }: ListedOrders,
  waiting: Waiting,
): StreamResult {
  const watched = {
    list: async () => (await (await context.client()).orders.list({ query })).data.data,
    get: (id: string) => getOrder(context, id),
    idOf: ({ id }: Order) => id,
    isOpen: ({ status }: Order) => status === 'open' || status === 'routed',
    isUnchanged: (before: Order, seen: Order) => isSameRecord(before, seen),
    isKept: ({ status }: Order) => query.status === undefined || query.status.includes(status),
    lineOf: (before: Order | null, order: Order) =>
      recordLine(kind, before, order, [order.id, order.external_order_ref]),
    ...{ events, command: invocation('orders list'), filters, open: 'open or routed' },
  };
  return watchList(context, watched, waiting);
}

function wordsOf({ status, batch_id, route_id, delivery_id }: Order): string {
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
function nobodyMovesIt(order: Order): Hint | null {
  const { id, status, batch_id, route_id, delivery_id } = order;
  if (batch_id !== null || (status !== 'open' && status !== 'routed')) return null;
  const command =
    status === 'open'
      ? invocation('routes create', [id])
      : route_id === null
        ? invocation('deliveries initiate', [delivery_id ?? id])
        : invocation('routes quote', [route_id]);
  const message = phrase`${id} is ${wordsOf(order)} and does not change until you continue with it: ${command}`;
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
  const tries = { ...invocation('orders tries', [id]), when: 'see who was asked, and why not' };
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
  const reason = batch?.orders.find(({ order_id }) => order_id === id)?.reason ?? '';
  return { text: `is ${status}${reason === '' ? '' : `: ${reason.replace(/\.+$/, '')}`}.`, next: [tries] };
}

/** The error is shown even if its reason is unknown. */
function unknown(error: unknown): null {
  if (error instanceof ApiError) return null;
  throw error;
}
