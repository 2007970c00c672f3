import type { FailureReason } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { type Failure, failureMessages, failureOf } from '../../domain/failures.ts';
import { type CreateAnswer, type CreateRequest, type Provider, ProviderFault } from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { DeliveryRow, DispatchRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { deliveriesOfRoute } from '../../storage/deliveries.ts';
import { findDispatch, markUnsettled, settleDispatch } from '../../storage/dispatches.ts';
import { findQuote } from '../../storage/quotes.ts';
import { loadRoute } from '../../storage/routes.ts';
import { recordAcceptance, recordRefusal } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { scheduleReports } from '../deliveries/take-report.ts';
import { publishOrder } from '../orders/publish-order.ts';
import { type Outage, outageOf } from '../quotes/provider-outages.ts';
import { quoteRecord } from '../quotes/quote-handlers.ts';
import { askedOrder, courierOrders, scenarioOf } from '../quotes/quote-request.ts';
import { ordersOfRoute } from '../routes/route-view.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { withTimeout } from '../runtime/with-timeout.ts';
import { acceptedRoute } from './accepted-route.ts';
import { planOrphanCancel } from './cancel-orphaned.ts';
import { failAll } from './intent.ts';
import { schedulePolls } from './poll-courier.ts';

/** A dispatch with everything needed to execute it. */
interface LoadedIntent {
  dispatch: DispatchRow;
  route: RouteRow;
  orders: OrderRow[];
  provider: Provider;
  outage: Outage | null;
  /** The tip of each order's delivery. */
  tips: ReadonlyMap<string, number | null>;
  /** See `CreateRequest`. */
  quote_references: readonly string[];
  /** Whether every delivery of the route ended here before the provider was called. */
  hasEnded: boolean;
}

export const dispatchTask: TaskKind = { run: executeDispatch, abandon: abandonDispatch };

/**
 * Sends a dispatch to its provider and records the response once. After an earlier attempt, whose response may be
 * lost, it first looks the dispatch up at the provider. Rejects if the provider does not respond.
 */
async function executeDispatch(service: ServiceContext, task: Task): Promise<void> {
  const loaded = await loadIntent(service, task);
  if (loaded === null) {
    return recordAnswer(service, task, refusalOf('provider_not_connected'));
  }
  const { provider, outage, hasEnded } = loaded;
  if (hasEnded) return recordAnswer(service, task, canceledBefore);
  if (outage?.state === 'down') throw new ProviderFault(`${provider.name} is down`);
  const before = task.row.claim === 0 ? null : await findEarlier(service, task, loaded);
  const answer = before ?? (await sendDispatch(service, task, loaded));
  if (answer.kind === 'unknown') throw new Unsettled(answer.reason);
  await recordAnswer(service, task, answer);
}

async function sendDispatch(
  service: ServiceContext,
  task: Task,
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
  task: Task,
  loaded: LoadedIntent,
): Promise<CreateAnswer | null> {
  return withTimeout(service, loaded.provider.find(createRequest(service, task, loaded)), limitOf(loaded));
}

/** A provider that books the orders of a route one after the other has its time for each. */
function limitOf({ provider: { time_limit_ms }, orders }: LoadedIntent) {
  return time_limit_ms === undefined ? {} : { time_limit_ms: time_limit_ms * orders.length };
}

function createRequest(service: ServiceContext, task: Task, loaded: LoadedIntent): CreateRequest {
  const { dispatch, route, orders, tips, quote_references } = loaded;
  const asked = orders.map((order) => askedOrder(order, tips.get(order.id)));
  return {
    account_id: route.account_id,
    test_mode: route.test_mode === 1,
    key: dispatch.provider_key,
    reference: dispatch.id,
    route_id: route.id,
    quote_id: dispatch.quote_id,
    quote_references,
    orders: courierOrders(asked, task.now),
    driver_id: driverIn(task),
    now: task.now,
    scenario: scenarioOf(asked.map(({ record }) => record)),
    renew: task.renew,
    crash: service.crash,
  };
}

/** The driver that the dispatch names; null without one. */
function driverIn(task: Task): string | null {
  const { driver_id = null }: { driver_id?: string | null } = JSON.parse(task.row.payload);
  return driver_id;
}

interface Uncertainty {
  /** The failure code; absent if a provider refused. */
  code?: FailureReason;
  /** Whether the provider may still carry the route, now or later. */
  isUncertain?: true;
}

/** A provider's response, or a substitute if there is none. */
type Outcome = Exclude<CreateAnswer, { kind: 'unknown' }> & Uncertainty;

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
async function abandonDispatch(service: ServiceContext, task: Task): Promise<void> {
  const loaded = await loadIntent(service, task);
  const found = loaded === null ? null : await findEarlier(service, task, loaded).catch(() => null);
  if (found?.kind === 'unknown') return requirePerson(service, task, found.reason);
  await recordAnswer(service, task, found ?? noAnswer);
}

/** Only a person can find out whether the provider carries the route. */
class Unsettled extends ProviderFault {
  override readonly name = 'Unsettled';
}

/** Keeps the task as a failed one: a retry looks for the outcome again. */
async function requirePerson(service: ServiceContext, task: Task, unsettled: string): Promise<never> {
  const { dispatch_id }: { dispatch_id: string } = JSON.parse(task.row.payload);
  await service.storage.run((db) => markUnsettled(db, { id: dispatch_id, unsettled, now: task.now }));
  throw new Unsettled(unsettled);
}

async function loadIntent({ storage, providers }: ServiceContext, task: Task): Promise<LoadedIntent | null> {
  const { dispatch_id }: { dispatch_id: string } = JSON.parse(task.row.payload);
  return storage.run(async (db) => {
    const dispatch = await findDispatch(db, dispatch_id);
    const route = await loadRoute(db, task.row.subject);
    const provider = providers.find(({ name }) => name === dispatch?.provider);
    if (dispatch === undefined || route === undefined || provider === undefined) return null;
    const account = await findAccount(db, route);
    const outage = account === undefined ? null : outageOf(settingsOf(account), provider.name, task.now);
    const deliveries = await deliveriesOfRoute(db, route.id);
    const hasEnded = !deliveries.some(isCarried);
    const tips = new Map(deliveries.map((row) => [row.order_id, deliveryRecord(row).tip]));
    const quote = await findQuote(db, route.account_id, dispatch.quote_id);
    const quote_references = quote === undefined ? [] : (quoteRecord(quote).references ?? []);
    const orders = await ordersOfRoute(db, route);
    return { dispatch, route, provider, outage, hasEnded, orders, tips, quote_references };
  });
}

async function recordAnswer(service: ServiceContext, task: Task, answer: Outcome): Promise<void> {
  const chance = await service.chance();
  const { dispatch_id }: { dispatch_id: string } = JSON.parse(task.row.payload);
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const { now } = task;
    const reason = answer.kind === 'refused' ? answer.reason : null;
    const failure = reason === null ? null : failureOf(answer.code ?? 'provider_refused', reason);
    const dispatch = await settleDispatch(db, { id: dispatch_id, to: answer.kind, reason, now });
    if (dispatch === undefined) return;
    const deliveries = await deliveriesOfRoute(db, task.row.subject);
    const waiting = deliveries.filter(({ status }) => !isEnded(status));
    const carried = answer.kind === 'accepted' ? deliveries.filter(isCarried) : waiting;
    const context: TransitionContext = { db, chance, now, providers: service.providers };
    const isOrphaned = answer.kind === 'accepted' && carried.length < deliveries.length;
    if (isOrphaned || answer.isUncertain === true) {
      const { subject: route_id, test_mode } = task.row;
      await planOrphanCancel(context, { route_id, test_mode, dispatch_id });
    }
    const isOffered = answer.kind === 'accepted' && answer.is_offered === true;
    if (carried.length > 0) await applyAnswer(context, { dispatch, carried, failure, isOffered });
    service.crash('delivery.before_commit');
  });
}

/**
 * Whether a delivery has not ended, or ended at the provider: a courier may report the end of a delivery before its
 * response to the dispatch is recorded.
 */
function isCarried(row: DeliveryRow): boolean {
  if (!isEnded(row.status)) return true;
  const isCanceledHere = row.status === 'customer_canceled' || row.status === 'burq_canceled';
  return !isCanceledHere && deliveryRecord(row).reported_at > 0;
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

/** Applies a provider's response: fails the deliveries, or schedules the reports. */
async function applyAnswer(
  context: TransitionContext,
  { dispatch, carried, failure, isOffered }: Conclusion,
): Promise<void> {
  const { db, chance, now, providers } = context;
  const route = await loadRoute(db, dispatch.route_id);
  if (route === undefined) return;
  const all = await ordersOfRoute(db, route);
  // An order that was retried meanwhile belongs to its new delivery.
  const orders = all.filter(({ delivery_id }) => carried.some(({ id }) => id === delivery_id));
  if (failure !== null) {
    await failAll(context, carried, failure);
    return recordRefusal(context, orders, { provider: dispatch.provider, reason: failure.failure_message });
  }
  if (isOffered) return;
  const provider = providers.find(({ name }) => name === dispatch.provider);
  for (const order of orders) await publishOrder(context, 'order.dispatched', order);
  await recordAcceptance(context, orders);
  if (provider?.reporting !== undefined) {
    const moving = carried.filter(({ status }) => !isEnded(status));
    await schedulePolls(context, moving, { provider: dispatch.provider, dispatch_id: dispatch.id });
  }
  if (provider?.simulation === undefined) return;
  const feed = await provider.simulation.feed(acceptedRoute(chance, { route, orders: all, dispatch }, now));
  await scheduleReports(context, carried, feed);
}
