import type { FailureReason } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { type Failure, failureMessages, failureOf } from '../../domain/failures.ts';
import { type CreateAnswer, type Provider, ProviderFault } from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { DeliveryRow, DispatchRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { deliveriesOfRoute } from '../../storage/deliveries.ts';
import { findDispatch, settleDispatch } from '../../storage/dispatches.ts';
import { loadRoute } from '../../storage/routes.ts';
import { recordAcceptance, recordRefusal } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { scheduleReports } from '../deliveries/take-report.ts';
import { orderRecord } from '../orders/order-view.ts';
import { publishOrder } from '../orders/publish-order.ts';
import { type Outage, outageOf } from '../quotes/provider-outages.ts';
import { scenarioOf } from '../quotes/quote-request.ts';
import { ordersOfRoute } from '../routes/route-view.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { withTimeout } from '../runtime/with-timeout.ts';
import { acceptedRoute } from './accepted-route.ts';
import { planOrphanCancel } from './cancel-orphaned.ts';
import { failAll } from './intent.ts';

/** A dispatch with everything needed to execute it. */
interface LoadedIntent {
  dispatch: DispatchRow;
  route: RouteRow;
  orders: OrderRow[];
  provider: Provider;
  outage: Outage | null;
  /** Whether every delivery of the route ended before the provider was called. */
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
  const { provider, dispatch, outage, hasEnded } = loaded;
  if (hasEnded) return recordAnswer(service, task, canceledBefore);
  if (outage?.state === 'down') throw new ProviderFault(`${provider.name} is down`);
  const before = task.row.claim === 0 ? null : await withTimeout(service, provider.find(dispatch.id));
  await recordAnswer(service, task, before ?? (await sendDispatch(service, task, loaded)));
}

async function sendDispatch(
  service: ServiceContext,
  task: Task,
  loaded: LoadedIntent,
): Promise<CreateAnswer> {
  const { provider, dispatch, route, orders, outage } = loaded;
  if (outage?.state === 'no_capacity') {
    return { kind: 'refused', reason: `${provider.name} has no courier available` };
  }
  await task.renew();
  service.crash('provider.before_send');
  const asked = provider.create({
    key: dispatch.provider_key,
    reference: dispatch.id,
    route_id: route.id,
    quote_id: dispatch.quote_id,
    now: task.now,
    test_mode: route.test_mode === 1,
    scenario: scenarioOf(orders.map(orderRecord)),
  });
  const answer = await withTimeout(service, asked);
  service.crash('provider.after_accept');
  return answer;
}

interface Uncertainty {
  /** The failure code; absent if a provider refused. */
  code?: FailureReason;
  /** Whether the provider may still carry the route, now or later. */
  isUncertain?: true;
}

/** A provider's response, or a substitute if there is none. */
type Outcome = CreateAnswer & Uncertainty;

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
  const looking = loaded === null ? null : loaded.provider.find(loaded.dispatch.id);
  const found = looking === null ? null : await withTimeout(service, looking).catch(() => null);
  await recordAnswer(service, task, found ?? noAnswer);
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
    const hasEnded = deliveries.every(({ status }) => isEnded(status));
    return { dispatch, route, provider, outage, hasEnded, orders: await ordersOfRoute(db, route) };
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
    if (!(await settleDispatch(db, { id: dispatch_id, to: answer.kind, reason, now }))) return;
    const deliveries = await deliveriesOfRoute(db, task.row.subject);
    const waiting = deliveries.filter(({ status }) => !isEnded(status));
    const context: TransitionContext = { db, chance, now, providers: service.providers };
    const isOrphaned = answer.kind === 'accepted' && waiting.length < deliveries.length;
    if (isOrphaned || answer.isUncertain === true) {
      const { subject: route_id, test_mode } = task.row;
      await planOrphanCancel(context, { route_id, test_mode, dispatch_id });
    }
    if (waiting.length > 0) await applyAnswer(context, { dispatch_id, waiting, failure });
    service.crash('delivery.before_commit');
  });
}

interface Conclusion {
  dispatch_id: string;
  /** The deliveries of the route that have not ended. */
  waiting: readonly DeliveryRow[];
  /** Null if the provider accepted. */
  failure: Failure | null;
}

/** Applies a provider's response: fails the deliveries, or schedules the reports. */
async function applyAnswer(
  context: TransitionContext,
  { dispatch_id, waiting, failure }: Conclusion,
): Promise<void> {
  const { db, chance, now, providers } = context;
  const dispatch = await findDispatch(db, dispatch_id);
  const route = dispatch === undefined ? undefined : await loadRoute(db, dispatch.route_id);
  if (dispatch === undefined || route === undefined) return;
  const all = await ordersOfRoute(db, route);
  const orders = all.filter(({ id }) => waiting.some(({ order_id }) => order_id === id));
  if (failure !== null) {
    await failAll(context, waiting, failure);
    return recordRefusal(context, orders, { provider: dispatch.provider, reason: failure.failure_message });
  }
  const provider = providers.find(({ name }) => name === dispatch.provider);
  for (const order of orders) await publishOrder(context, 'order.dispatched', order);
  await recordAcceptance(context, orders);
  if (provider === undefined) return;
  const feed = await provider.feed(acceptedRoute(chance, { route, orders: all, dispatch }, now));
  await scheduleReports(context, waiting, feed);
}
