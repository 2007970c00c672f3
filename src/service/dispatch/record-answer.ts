import type { FailureReason } from '../../contract/vocabulary.ts';
import { type Failure, failureOf, isEnded } from '../../domain/delivery-states.ts';
import type { CreateAnswer } from '../../providers/port.ts';
import { latestAttempts } from '../../storage/attempts.ts';
import { findBatchOrders } from '../../storage/batch-orders.ts';
import { loadBatches } from '../../storage/batches.ts';
import { whileCollecting } from '../../storage/collected-inserts.ts';
import type { Connection, DeliveryRow, DispatchRow, Flag, OrderRow } from '../../storage/database.ts';
import { deliveriesOfRoute, lockDeliveriesOfRoutes } from '../../storage/deliveries.ts';
import { settleDispatch } from '../../storage/dispatches.ts';
import { lockOrders } from '../../storage/orders.ts';
import { loadRoute, loadRoutes } from '../../storage/routes.ts';
import { lockTasks } from '../../storage/tasks.ts';
import { recordAcceptance, recordRefusal } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { scheduleReports } from '../deliveries/take-report.ts';
import { publishOrder } from '../orders/publish-order.ts';
import { ordersOfRoute, routeOrderIds } from '../routes/route-view.ts';
import type { ServiceContext, Task } from '../runtime/context.ts';
import { together } from '../runtime/together.ts';
import { acceptedRoute } from './accepted-route.ts';
import { planOrphanCancel } from './cancel-orphaned.ts';
import { failAll } from './intent.ts';
import { dispatchIdOf, isCarried } from './load-intent.ts';
import { schedulePolls } from './poll-courier.ts';
import { settleBills } from './settle-bill.ts';

interface Uncertainty {
  /** The failure code; absent if a provider refused. */
  code?: FailureReason;
  /** Whether the provider may still carry the route, now or later. */
  isUncertain?: true;
}

/**
 * The answer to record for a dispatch: the provider's own, or a refusal made here if the provider did not answer or was
 * not asked.
 */
export type Outcome = Exclude<CreateAnswer, { kind: 'unknown' }> & Uncertainty;

interface Answered {
  task: Task;
  answer: Outcome;
}

/** Records answers that arrive together in one transaction. */
const recordTogether = together(async (service: ServiceContext, answered: readonly Answered[]) => {
  const chance = await service.chance();
  // Read committed: an answer is recorded once, by its dispatch, and decides by the deliveries and orders that are locked.
  const accepted = await service.storage.transaction(async (db) => {
    const orders: { created_at: number; test_mode: Flag; now: number }[] = [];
    // In the order of their ids, as other transactions do.
    if (answered.length > 1) await lockTasks(db, taskIds(answered));
    for (const { task } of answered) await task.finish(db);
    await preload(db, answered);
    await whileCollecting(db, async () => {
      for (const { task, answer } of answered) {
        const context = { db, chance, now: task.now, providers: service.providers };
        for (const order of await settle(context, task, answer)) orders.push({ ...order, now: task.now });
        service.crash('delivery.before_commit');
      }
    });
    return orders;
  }, 'read committed');
  for (const { created_at, test_mode, now } of accepted) {
    const mode = test_mode === 1 ? 'test' : 'live';
    service.observe?.({ type: 'order_dispatched', mode, seconds: (now - created_at) / 1_000 });
  }
  return () => {};
});

export function recordAnswer(service: ServiceContext, task: Task, answer: Outcome): Promise<void> {
  return recordTogether(service, { task, answer });
}

function taskIds(answered: readonly Answered[]): string[] {
  return answered.map(({ task }) => task.row.id);
}

/**
 * Reads the rows that the answers need, with one statement for each table; the transaction keeps them. Deliveries and
 * orders are locked: couriers report, and merchants cancel, before an answer is recorded.
 */
async function preload(db: Connection, answered: readonly Answered[]): Promise<void> {
  const routes = await loadRoutes(
    db,
    answered.map(({ task }) => task.row.subject),
  );
  await lockDeliveriesOfRoutes(
    db,
    routes.map(({ id }) => id),
  );
  const orders = await lockOrders(db, routes.flatMap(routeOrderIds));
  const entries = await findBatchOrders(
    db,
    orders.flatMap(({ id, batch_id }) => (batch_id === null ? [] : id)),
  );
  await loadBatches(
    db,
    entries.map(({ batch_id }) => batch_id),
  );
  await latestAttempts(
    db,
    entries.map(({ order_id }) => order_id),
  );
}

/** Records a provider's response once. Returns the orders that a courier has accepted. */
async function settle(context: TransitionContext, task: Task, answer: Outcome): Promise<readonly OrderRow[]> {
  const { db, now } = context;
  const dispatch_id = dispatchIdOf(task);
  const reason = answer.kind === 'refused' ? answer.reason : null;
  const failure = reason === null ? null : failureOf(answer.code ?? 'provider_refused', reason);
  const dispatch = await settleDispatch(db, { id: dispatch_id, to: answer.kind, reason, now });
  if (dispatch === undefined) return [];
  const deliveries = await deliveriesOfRoute(db, task.row.subject);
  const waiting = deliveries.filter(({ status }) => !isEnded(status));
  const carried = answer.kind === 'accepted' ? deliveries.filter(isCarried) : waiting;
  const isOrphaned = answer.kind === 'accepted' && carried.length < deliveries.length;
  if (isOrphaned || answer.isUncertain === true) {
    const { subject: route_id, test_mode } = task.row;
    await planOrphanCancel(context, { route_id, test_mode, dispatch_id });
  }
  const isOffered = answer.kind === 'accepted' && answer.is_offered === true;
  return carried.length === 0 ? [] : applyAnswer(context, { dispatch, carried, failure, isOffered });
}

interface Conclusion {
  dispatch: DispatchRow;
  /** The deliveries of the route that the response is about; a refusal is about those that have not ended. */
  carried: readonly DeliveryRow[];
  /** Null if the provider accepted. */
  failure: Failure | null;
  /** See `CreateAnswer`. */
  isOffered: boolean;
}

/**
 * Applies a provider's response: fails the deliveries, or schedules the reports. Returns the orders that a courier has
 * accepted.
 */
async function applyAnswer(
  context: TransitionContext,
  { dispatch, carried, failure, isOffered }: Conclusion,
): Promise<readonly OrderRow[]> {
  const { db, chance, now, providers } = context;
  const route = await loadRoute(db, dispatch.route_id);
  if (route === undefined) return [];
  const all = await ordersOfRoute(db, route);
  // An order that was retried meanwhile belongs to its new delivery.
  const orders = all.filter(({ delivery_id }) => carried.some(({ id }) => id === delivery_id));
  if (failure !== null) {
    await failAll(context, carried, failure);
    await settleCarried(context, dispatch);
    await recordRefusal(context, orders, { provider: dispatch.provider, reason: failure.failure_message });
    return [];
  }
  if (isOffered) return [];
  const provider = providers.find(({ name }) => name === dispatch.provider);
  for (const order of orders) await publishOrder(context, 'order.dispatched', order);
  await recordAcceptance(context, orders);
  if (provider?.reporting !== undefined) {
    await settleCarried(context, dispatch);
    const moving = carried.filter(({ status }) => !isEnded(status));
    await schedulePolls(context, moving, { provider: dispatch.provider, dispatch_id: dispatch.id });
  }
  if (provider?.simulation === undefined) return orders;
  const feed = await provider.simulation.feed(acceptedRoute(chance, { route, orders: all, dispatch }, now));
  await scheduleReports(context, carried, feed);
  return orders;
}

/** Charges what the courier booked or canceled at another price than agreed. */
async function settleCarried(context: TransitionContext, { id, route_id }: DispatchRow): Promise<void> {
  await settleBills(context, await deliveriesOfRoute(context.db, route_id), id);
}
