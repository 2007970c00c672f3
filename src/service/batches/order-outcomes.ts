/**
 * An order of a batch is pending until it gets exactly one outcome (`endOrder`). If a courier accepts an attempt, the
 * order is dispatched (`recordAcceptance`); otherwise the next attempt is scheduled (`recordRefusal`, `planNextAttempt`), or
 * the retry window is over. Each attempt begins with a task, `order.try`.
 */
import type { BatchSettings } from '../../contract/batches.ts';
import { Problem } from '../../contract/errors.ts';
import type { OrderStatus, Outcome, TryStatus } from '../../contract/vocabulary.ts';
import { nextAttemptAt } from '../../domain/retries.ts';
import {
  changePending,
  findPendingOrders,
  loadBatch,
  loadBatches,
  loadBatchOrder,
  loadBatchOrders,
  ordersBetweenAttempts,
} from '../../storage/batches.ts';
import type {
  AttemptRow,
  BatchOrderRow,
  BatchRow,
  Connection,
  OrderRow,
  Scope,
  TaskRow,
} from '../../storage/database.ts';
import { changeAttempt, latestAttempt } from '../../storage/order-attempts.ts';
import { loadOrder, loadOrders, lockOrders, setOrderStatus } from '../../storage/orders.ts';
import { setRouteStatus } from '../../storage/routes.ts';
import { deleteTasksOfSubject, insertTasks } from '../../storage/tasks.ts';
import { publishEvent } from '../events/publish-event.ts';
import { orderRecord, orderView } from '../orders/order.ts';
import { findPauseEnd, pauseText, providersOfStore, storesOfOrders } from '../orders/store-terms.ts';
import type { ServiceContext, Task, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { newTask } from '../runtime/task-kinds.ts';

export function settingsOfBatch(row: Pick<BatchRow, 'settings'>): BatchSettings {
  return JSON.parse(row.settings);
}

/** An order of a batch without an outcome yet. */
export interface PendingOrder {
  entry: BatchOrderRow;
  order: OrderRow;
  batch: BatchRow;
  settings: BatchSettings;
}

/** Null if the order has its outcome or belongs to no batch. */
export async function pendingOrder(db: Connection, order_id: string): Promise<PendingOrder | null> {
  const entry = await loadBatchOrder(db, order_id);
  if (entry === undefined || entry.status !== 'pending') return null;
  const batch = await loadBatch(db, entry.batch_id);
  const order = await loadOrder(db, order_id);
  if (batch === undefined || order === undefined) return null;
  const settings = settingsOfBatch(batch);
  const providers = settings.providers ?? (await providersOfStore(db, orderRecord(order)));
  return { entry, order, batch, settings: { ...settings, providers: providers && [...providers] } };
}

/** Ends the task of an order in the transaction of its effect, which an order that is no longer pending has not. */
export async function finishWithPending(
  service: ServiceContext,
  task: Pick<Task<'order.try'>, 'row' | 'now' | 'finish'>,
  act: (context: WriteContext, pending: PendingOrder) => Promise<void>,
): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    // Who cancels an order locks it before its tasks.
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const pending = await pendingOrder(db, task.row.subject);
    if (pending !== null) await act({ db, chance, now: task.now }, pending);
  }, 'read committed');
}

/** Reads the orders that several tasks are about, with their batches. */
export async function preloadPendingOrders(
  db: Connection,
  tasks: readonly { row: TaskRow }[],
): Promise<void> {
  const order_ids = tasks.map(({ row }) => row.subject);
  await storesOfOrders(db, await loadOrders(db, order_ids));
  const entries = await loadBatchOrders(db, order_ids);
  const batch_ids = entries.map(({ batch_id }) => batch_id);
  await loadBatches(db, batch_ids);
}

/** Requires that none of the orders is pending in a batch. Throws `order_not_open`. */
export async function requireNotPending(db: Connection, order_ids: readonly string[]): Promise<void> {
  const [first] = await findPendingOrders(db, order_ids);
  if (first === undefined) return;
  const message = `Order ${first.order_id} is pending in batch ${first.batch_id}. Cancel the order or the batch first.`;
  throw new Problem('order_not_open', message, [], { related_ids: [first.order_id, first.batch_id] });
}

/** A refused dispatch of an order. */
interface Refusal {
  /** The provider that refused; null if the payment was declined. */
  provider: string | null;
  /** Whether the provider is excluded from the next round: it is asked again if no other offers a quote. */
  isExcluded: boolean;
}

/** The refusals of an order, oldest first. */
export function readRefusals({ refusals }: BatchOrderRow): Refusal[] {
  return JSON.parse(refusals);
}

/** Ends the latest attempt of an order, if it has one. */
export async function endAttempt(
  { db, now }: WriteContext,
  order_id: string,
  to: { status: TryStatus; reason?: string },
): Promise<AttemptRow | undefined> {
  const attempt = await latestAttempt(db, order_id);
  if (attempt !== undefined) await changeAttempt(db, attempt, { ...to, ended_at: now });
  return attempt;
}

/** When auto dispatch tries an order again whose latest attempt fails now; null if no other attempt follows. */
export async function attemptAfterFailure(
  { db, now }: Pick<WriteContext, 'db' | 'now'>,
  order_id: string,
): Promise<number | null> {
  const order = await loadOrder(db, order_id);
  const pending = order === undefined || order.batch_id === null ? null : await pendingOrder(db, order_id);
  if (pending === null) return null;
  const attempt = await latestAttempt(db, order_id);
  return attemptAfter(pending, { last: attempt?.created_at ?? now, now });
}

function attemptAfter(
  { batch, entry, settings }: PendingOrder,
  times: { last: number; now: number },
): number | null {
  return nextAttemptAt({ started_at: batch.created_at + entry.paused_ms, ...settings }, times);
}

/**
 * Has a pending order wait if its store is paused, and its retry window with it. The store is looked at again when the
 * pause ends, and at every interval, as it may be resumed. False if the store is not paused.
 */
export async function waitForStore(context: WriteContext, pending: PendingOrder): Promise<boolean> {
  const { db, now } = context;
  const { entry, order, settings } = pending;
  const [store] = await storesOfOrders(db, [order]);
  const until = store === undefined ? null : findPauseEnd(store, now);
  if (store === undefined || until === null) return false;
  const due_at = Math.min(until, now + settings.retry_interval * 1000);
  // From when it was to be tried, which may be long ago if no process ran.
  const paused_ms = entry.paused_ms + due_at - Math.min(now, entry.next_attempt_at ?? now);
  const to = { next_attempt_at: due_at, paused_ms, reason: pauseText(store, until) };
  await changePending(db, { order_id: order.id, to, now });
  await insertAttemptTask(context, pending, due_at);
  return true;
}

/** Schedules the attempt after a failed one that started at `last`, or ends the order if its retry window is over. */
export async function planNextAttempt(
  context: WriteContext,
  pending: PendingOrder,
  { last, reason }: { last: number; reason: string },
): Promise<void> {
  const { entry, order } = pending;
  const { db, now } = context;
  const due_at = attemptAfter(pending, { last, now });
  if (due_at === null) {
    const refusals = readRefusals(entry);
    const outcome = refusals.length > 0 ? 'failed' : 'unfulfilled';
    return endOrder(context, pending, outcome, withRefusals(reason, refusals));
  }
  await changePending(db, { order_id: order.id, to: { next_attempt_at: due_at, reason }, now });
  // Between two attempts the order is open.
  await setOrderStatus(db, { id: order.id, from: 'failed', to: 'open', now, change: { route_id: null } });
  await insertAttemptTask(context, pending, due_at);
}

/**
 * Moves the next attempts of the oldest waiting orders to now, for as many orders as a provider has room for. The
 * provider is asked about them even if it refused them before.
 */
export async function hastenAttempts(
  context: WriteContext,
  scope: Scope,
  { provider, room }: { provider: string; room: number },
): Promise<void> {
  const { db, now } = context;
  let left = room;
  for (const order_id of await ordersBetweenAttempts(db, scope, now)) {
    if (left === 0) break;
    const pending = await pendingOrder(db, order_id);
    if (pending === null) continue;
    const { entry, order, settings } = pending;
    if (settings.providers !== null && !settings.providers.includes(provider)) continue;
    const stores = await storesOfOrders(db, [order]);
    if (stores.some((store) => findPauseEnd(store, now) !== null)) continue;
    const refusals = readRefusals(entry).map((each) =>
      each.provider === provider ? { ...each, isExcluded: false } : each,
    );
    const to = { next_attempt_at: now, refusals: JSON.stringify(refusals) };
    await changePending(db, { order_id, to, now });
    await deleteTasksOfSubject(db, order_id, ['order.try']);
    await insertAttemptTask(context, pending, now);
    left--;
  }
}

/** Ends an attempt that is under way, and starts another one now: what its couriers were asked is not so anymore. */
export async function restartAttempt(
  context: WriteContext,
  pending: PendingOrder,
  reason: string,
): Promise<void> {
  const { db, now } = context;
  const { id: order_id } = pending.order;
  await deleteTasksOfSubject(db, order_id, ['order.try', 'order.choose']);
  await endAttempt(context, order_id, { status: 'canceled', reason });
  await changePending(db, { order_id, to: { next_attempt_at: now, reason }, now });
  await insertAttemptTask(context, pending, now);
}

/** Why an order ends: the last reason, and the providers that refused earlier. */
function withRefusals(reason: string, refusals: readonly Refusal[]): string {
  const named = refusals.flatMap(({ provider }) => provider ?? []);
  const before = [...new Set(named)].filter((name) => !reason.includes(name));
  if (before.length === 0) return reason;
  return `${reason}; refused earlier by ${before.join(', ')}`;
}

/** Inserts the task of the attempt that follows those of a pending order. */
async function insertAttemptTask(
  { db, chance }: WriteContext,
  { entry, order: { id: subject, account_id, test_mode } }: PendingOrder,
  due_at: number,
): Promise<void> {
  const id = newId(chance, 'tsk', due_at, 'try', subject, String(entry.attempts + 1));
  await insertTasks(db, [newTask('order.try', { id, account_id, test_mode, subject, due_at }, {})]);
}

/** Gives a pending order its outcome and publishes it; a second outcome has no effect. */
export async function endOrder(
  context: WriteContext,
  { entry, order }: PendingOrder,
  outcome: Exclude<Outcome, 'pending'>,
  reason: string,
): Promise<void> {
  const { db, chance, now } = context;
  const to = { status: outcome, next_attempt_at: null, reason };
  if (!(await changePending(db, { order_id: order.id, to, now }))) return;
  if (outcome !== 'dispatched') await writeOrderOutcome(context, order, outcome);
  const id = newId(chance, 'tsk', now, 'close', order.id);
  const subject = entry.batch_id;
  const { account_id, test_mode } = order;
  await insertTasks(db, [newTask('batch.close', { id, account_id, test_mode, subject, due_at: now }, {})]);
}

/** A dispatched order gets its status from its delivery, any other one from its outcome. */
async function writeOrderOutcome(
  context: WriteContext,
  order: OrderRow,
  to: 'unfulfilled' | 'failed' | 'canceled',
): Promise<void> {
  const { db, now } = context;
  if (order.route_id !== null && order.status === 'routed') {
    await setRouteStatus(db, { id: order.route_id, from: 'draft', to: 'canceled', now });
  }
  if (order.status !== to) await setOrderStatus(db, { id: order.id, from: order.status, to, now });
  await publishOrder(context, `order.${to}`, { ...order, status: to, updated_at: now });
}

type PublishedStatus = Extract<OrderStatus, 'dispatched' | 'unfulfilled' | 'failed' | 'canceled'>;

export async function publishOrder(
  context: WriteContext,
  type: `order.${PublishedStatus}`,
  row: OrderRow,
): Promise<void> {
  const { account_id, test_mode, delivery_id, batch_id } = row;
  const id_parts = [row.id, type, delivery_id ?? ''];
  const data = orderView(row);
  // An event with a delivery is found by it.
  const order_id = delivery_id === null ? row.id : null;
  const event = { account_id, test_mode, type, id_parts, delivery_id, batch_id, order_id, data };
  await publishEvent(context, event);
}

/** Records that a courier accepted the orders: those of a batch get their outcome. */
export async function recordAcceptance(context: WriteContext, orders: readonly OrderRow[]): Promise<void> {
  for (const order of orders) {
    const pending = order.batch_id === null ? null : await pendingOrder(context.db, order.id);
    if (pending === null) continue;
    await endAttempt(context, order.id, { status: 'dispatched' });
    await endOrder(context, pending, 'dispatched', '');
  }
}

/** Records that a courier refused the orders, or, with a null provider, that their payment was declined. */
export async function recordRefusal(
  context: WriteContext,
  orders: readonly OrderRow[],
  { provider, reason }: { provider: string | null; reason: string },
): Promise<void> {
  const { db, now } = context;
  for (const { id, batch_id } of orders) {
    const pending = batch_id === null ? null : await pendingOrder(db, id);
    if (pending === null) continue;
    const status = provider === null ? 'declined' : 'refused';
    const attempt = await endAttempt(context, id, { status, reason });
    const refusal: Refusal = { provider, isExcluded: provider !== null };
    const refusals = JSON.stringify([...readRefusals(pending.entry), refusal]);
    await changePending(db, { order_id: id, to: { refusals }, now });
    const entry = { ...pending.entry, refusals };
    const why = provider === null || reason.includes(provider) ? reason : `${provider}: ${reason}`;
    await planNextAttempt(context, { ...pending, entry }, { last: attempt?.created_at ?? now, reason: why });
  }
}
