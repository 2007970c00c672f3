/**
 * The task that asks a provider to take a route, and records its answer once, also after a crash in between: an attempt
 * after the first looks up what became of the dispatch (`findEarlier`) before it sends it (`sendDispatch`). Without an
 * answer to the last attempt the deliveries fail (`abandonDispatch`), and the courier is told to cancel.
 */
import type { FailureReason } from '../../contract/vocabulary.ts';
import { deliveryFailure, type Failure, failureMessages, isEnded } from '../../domain/delivery-states.ts';
import { type CreateAnswer, type CreateRequest, ProviderFault } from '../../providers/port.ts';
import { loadBatches, loadBatchOrders } from '../../storage/batches.ts';
import type { Connection, DeliveryRow, DispatchRow, Flag, OrderRow } from '../../storage/database.ts';
import { deliveriesOfRoute, lockDeliveriesOfRoutes } from '../../storage/deliveries.ts';
import { attemptsOfOrders } from '../../storage/order-attempts.ts';
import { lockOrders } from '../../storage/orders.ts';
import { loadRoute, loadRoutes, markUnsettled, settleDispatch } from '../../storage/routes.ts';
import { lockTasks } from '../../storage/tasks.ts';
import { publishOrder, recordAcceptance, recordRefusal } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { scheduleReports } from '../deliveries/take-report.ts';
import { askedOrder, courierOrders, readScenario } from '../quotes/quote-request.ts';
import { ordersOfRoute, routeOrderIds } from '../routes/route.ts';
import { combineCalls } from '../runtime/combine-calls.ts';
import type { ServiceContext, Task, TaskHandler } from '../runtime/context.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { timeOfPeople } from '../runtime/time.ts';
import { planOrphanCancel } from './cancel-delivery.ts';
import { settleBills } from './courier-bills.ts';
import { acceptedRoute } from './courier-steps.ts';
import { isCarried, type LoadedIntent, loadIntent } from './load-intent.ts';
import { schedulePolls } from './pushes-and-polls.ts';
import { failDeliveries } from './write-intent.ts';

export const dispatchTask: TaskHandler<'dispatch.ask'> = { run: executeDispatch, abandon: abandonDispatch };

/**
 * Sends a dispatch to its provider and records the response once. After an earlier attempt, whose response may be
 * lost, it first looks the dispatch up at the provider. Rejects if the provider does not respond.
 */
async function executeDispatch(service: ServiceContext, task: Task<'dispatch.ask'>): Promise<void> {
  const loaded = await loadIntent(service, task);
  if (loaded === null) {
    return recordAnswer(service, { task, answer: refusalOf('provider_not_connected') });
  }
  const isAdvancing = service.clock.state().advance !== null;
  const answer = await (isAdvancing ? answerInOrder : answerOf)(service, { task, loaded });
  if (answer.kind === 'unknown') throw new Unsettled(answer.reason);
  await recordAnswer(service, { task, answer });
}

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
type Outcome = Exclude<CreateAnswer, { kind: 'unknown' }> & Uncertainty;

interface Execution {
  task: Task<'dispatch.ask'>;
  loaded: LoadedIntent;
}

/**
 * Resolves when all dispatches that started together are answered, so that their answers are recorded in the order of
 * their tasks: an advance of the clock is repeatable.
 */
const answerInOrder = combineCalls(async (service: ServiceContext, executions: readonly Execution[]) => {
  const answers = new Map(executions.map((execution) => [execution, answerOf(service, execution)]));
  await Promise.allSettled(answers.values());
  return (execution) => answers.get(execution) ?? answerOf(service, execution);
});

async function answerOf(
  service: ServiceContext,
  { task, loaded }: Execution,
): Promise<Outcome | CreateAnswer> {
  const { provider, outage, hasEnded } = loaded;
  if (hasEnded) return canceledBefore;
  if (outage?.state === 'down') throw new ProviderFault(`${provider.name} is down`);
  const before = task.row.claim === 0 ? null : await findEarlier(service, task, loaded);
  return before ?? (await sendDispatch(service, task, loaded));
}

async function sendDispatch(
  service: ServiceContext,
  task: Task<'dispatch.ask'>,
  loaded: LoadedIntent,
): Promise<CreateAnswer> {
  const { provider, outage } = loaded;
  if (outage?.state === 'no_capacity') {
    return { kind: 'refused', reason: `${provider.name} has no courier available` };
  }
  await task.renew();
  service.crash('provider.before_send');
  const answer = await withTimeout(
    service,
    provider.create(createRequest(service, task, loaded)),
    limitOf(loaded),
  );
  service.crash('provider.after_accept');
  return answer;
}

/** The outcome of an earlier attempt, whose response may be lost; null if the provider does not know it. */
function findEarlier(
  service: ServiceContext,
  task: Task<'dispatch.ask'>,
  loaded: LoadedIntent,
): Promise<CreateAnswer | null> {
  return withTimeout(service, loaded.provider.find(createRequest(service, task, loaded)), limitOf(loaded));
}

/** A provider with a time limit books the orders of a route one after the other: the limit is for each order. */
function limitOf({ provider: { time_limit_ms }, orders }: LoadedIntent) {
  return time_limit_ms === undefined ? {} : { time_limit_ms: time_limit_ms * orders.length };
}

function createRequest(
  service: ServiceContext,
  task: Task<'dispatch.ask'>,
  loaded: LoadedIntent,
): CreateRequest {
  const { dispatch, route, orders, provider, tips, quote_references } = loaded;
  // A courier outside of the process has the time of now, also for a task that was due while the service was down.
  const isOutside = provider.reporting !== undefined;
  const now = isOutside ? Math.max(task.now, service.clock.now()) : timeOfPeople(service, task);
  const asked = orders.map((order) => askedOrder(order, tips.get(order.id)));
  return {
    account_id: route.account_id,
    test_mode: route.test_mode === 1,
    key: dispatch.provider_key,
    reference: dispatch.id,
    route_id: route.id,
    quote_id: dispatch.quote_id,
    quote_references,
    orders: courierOrders(asked, now),
    driver_id: task.payload.driver_id ?? null,
    now,
    scenario: readScenario(asked.map(({ record }) => record)),
    renew: task.renew,
    isCanceled: (order_id) =>
      service.storage.run(async (db) =>
        (await deliveriesOfRoute(db, route.id)).some((row) => row.order_id === order_id && !isCarried(row)),
      ),
    crash: service.crash,
  };
}

function refusalOf(code: FailureReason): Outcome {
  return { kind: 'refused', reason: failureMessages[code], code };
}

const noAnswer: Outcome = { ...refusalOf('provider_unreachable'), isUncertain: true };
const canceledBefore: Outcome = {
  kind: 'refused',
  reason: 'it was canceled before the dispatch',
  isUncertain: true,
};

/** Ends a dispatch after its last attempt: records the provider's state, or a failure if it cannot be read. */
async function abandonDispatch(service: ServiceContext, task: Task<'dispatch.ask'>): Promise<void> {
  const loaded = await loadIntent(service, task);
  const found = loaded === null ? null : await findEarlier(service, task, loaded).catch(() => null);
  if (found?.kind === 'unknown') return requirePerson(service, task, found.reason);
  await recordAnswer(service, { task, answer: found ?? noAnswer });
}

/** Only a person can find out whether the provider carries the route. */
class Unsettled extends ProviderFault {
  override readonly name = 'Unsettled';
}

/** Keeps the task as a failed one: a retry looks for the outcome again. */
async function requirePerson(
  service: ServiceContext,
  task: Task<'dispatch.ask'>,
  unsettled: string,
): Promise<never> {
  const id = task.payload.dispatch_id;
  await service.storage.run((db) => markUnsettled(db, { id, unsettled, now: task.now }));
  throw new Unsettled(unsettled);
}

interface Answered {
  task: Task<'dispatch.ask'>;
  answer: Outcome;
}

/** Records the answer to a dispatch; those that arrive together are recorded in one transaction. */
const recordAnswer = combineCalls(async (service: ServiceContext, answered: readonly Answered[]) => {
  const chance = await service.chance();
  // Read committed: an answer is recorded once, by its dispatch, and decides by the deliveries and orders that are locked.
  const accepted = await service.storage.transaction(async (db) => {
    const orders: { created_at: number; test_mode: Flag; now: number }[] = [];
    // In the order of their ids, as other transactions do.
    const task_ids = answered.map(({ task }) => task.row.id);
    if (answered.length > 1) await lockTasks(db, task_ids);
    for (const { task } of answered) await task.finish(db);
    await preload(db, answered);
    for (const { task, answer } of answered) {
      const now = timeOfPeople(service, task);
      const context = { db, chance, now, providers: service.providers };
      for (const order of await recordOutcome(context, task, answer)) orders.push({ ...order, now });
      service.crash('delivery.before_commit');
    }
    return orders;
  }, 'read committed');
  for (const { created_at, test_mode, now } of accepted) {
    const mode = test_mode === 1 ? 'test' : 'live';
    service.observe?.({ type: 'order_dispatched', mode, seconds: (now - created_at) / 1_000 });
  }
  return () => {};
});

/**
 * Reads the rows that the answers need, with one statement for each table; the transaction keeps them. Deliveries and
 * orders are locked: couriers report, and merchants cancel, before an answer is recorded.
 */
async function preload(db: Connection, answered: readonly Answered[]): Promise<void> {
  const subjects = answered.map(({ task }) => task.row.subject);
  const routes = await loadRoutes(db, subjects);
  const route_ids = routes.map(({ id }) => id);
  await lockDeliveriesOfRoutes(db, route_ids);
  const orders = await lockOrders(db, routes.flatMap(routeOrderIds));
  const batch_order_ids = orders.flatMap(({ id, batch_id }) => (batch_id === null ? [] : id));
  const entries = await loadBatchOrders(db, batch_order_ids);
  const batch_ids = entries.map(({ batch_id }) => batch_id);
  await loadBatches(db, batch_ids);
  await attemptsOfOrders(db, batch_order_ids);
}

/** Records a provider's response once. Returns the orders that a courier has accepted. */
async function recordOutcome(
  context: TransitionContext,
  task: Task<'dispatch.ask'>,
  answer: Outcome,
): Promise<readonly OrderRow[]> {
  const { db, now } = context;
  const { dispatch_id } = task.payload;
  const reason = answer.kind === 'refused' ? answer.reason : null;
  const failure = reason === null ? null : deliveryFailure(answer.code ?? 'provider_refused', reason);
  const dispatch = await settleDispatch(db, { id: dispatch_id, to: answer.kind, reason, now });
  if (dispatch === undefined) return [];
  const deliveries = await deliveriesOfRoute(db, task.row.subject);
  const waiting = deliveries.filter(({ status }) => !isEnded(status));
  const carried = answer.kind === 'accepted' ? deliveries.filter(isCarried) : waiting;
  const isOrphaned = answer.kind === 'accepted' && carried.length < deliveries.length;
  const isUncertain = answer.isUncertain === true;
  if (isOrphaned || isUncertain) {
    const { subject: route_id, test_mode } = task.row;
    const { account_id } = dispatch;
    await planOrphanCancel(context, { account_id, test_mode, route_id, dispatch_id });
  }
  const isOffered = answer.kind === 'accepted' && answer.is_offered === true;
  const conclusion = { dispatch, carried, failure, isOffered };
  const accepted = carried.length === 0 ? [] : await applyOutcome(context, conclusion);
  // What has ended by now may get a fee.
  if (answer.kind === 'accepted' || isUncertain) await pollDeliveries(context, dispatch);
  return accepted;
}

async function pollDeliveries(context: TransitionContext, dispatch: DispatchRow): Promise<void> {
  const { provider, id: dispatch_id, route_id } = dispatch;
  const isPolled = context.providers.some(
    ({ name, reporting }) => name === provider && reporting !== undefined,
  );
  if (!isPolled) return;
  await schedulePolls(context, await deliveriesOfRoute(context.db, route_id), { provider, dispatch_id });
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
async function applyOutcome(
  context: TransitionContext,
  { dispatch, carried, failure, isOffered }: Conclusion,
): Promise<readonly OrderRow[]> {
  const { db, chance, now, providers } = context;
  const route = await loadRoute(db, dispatch.route_id);
  if (route === undefined) return [];
  const all = await ordersOfRoute(db, route);
  // An order that was retried meanwhile belongs to its new delivery.
  const orders = all.filter(({ delivery_id }) => carried.some(({ id }) => id === delivery_id));
  const { provider: name } = dispatch;
  if (failure !== null) {
    await failDeliveries(context, carried, failure);
    await chargeBills(context, dispatch);
    await recordRefusal(context, orders, { provider: name, reason: failure.failure_message });
    return [];
  }
  if (isOffered) return [];
  const provider = providers.find((each) => each.name === name);
  // The courier may have reported by now that it does not carry an order: that has been published, or is tried again.
  const dispatched = orders.filter(({ status }) => status === 'dispatched');
  const failed = orders.filter(({ status }) => status === 'failed');
  for (const order of dispatched) await publishOrder(context, 'order.dispatched', order);
  await recordAcceptance(context, dispatched);
  await recordRefusal(context, failed, { provider: name, reason: failureMessages.courier_failed });
  if (provider?.reporting !== undefined) await chargeBills(context, dispatch);
  if (provider?.simulation === undefined) return dispatched;
  const feed = await provider.simulation.feed(acceptedRoute(chance, { route, orders: all, dispatch }, now));
  await scheduleReports(context, carried, feed);
  return dispatched;
}

/** Charges what the courier booked or canceled at another price than agreed. */
async function chargeBills(context: TransitionContext, { id, route_id }: DispatchRow): Promise<void> {
  await settleBills(context, await deliveriesOfRoute(context.db, route_id), id);
}
