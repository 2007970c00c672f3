import type { FailureReason } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { type Failure, failureMessages, failureOf } from '../../domain/failures.ts';
import { type CreateAnswer, type Provider, ProviderFault } from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { DeliveryRow, DispatchRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { deliveriesOfRoute } from '../../storage/deliveries.ts';
import { findDispatch, settleDispatch } from '../../storage/dispatches.ts';
import { loadRoute } from '../../storage/routes.ts';
import { noteAccepted, noteRefused } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { awaitReports } from '../deliveries/take-report.ts';
import { orderRecord } from '../orders/order-view.ts';
import { publishOrder } from '../orders/publish-order.ts';
import { type Outage, outageOf } from '../quotes/provider-outages.ts';
import { scenarioOf } from '../quotes/quote-request.ts';
import { ordersOfRoute } from '../routes/route-view.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { withTimeout } from '../runtime/with-timeout.ts';
import { acceptedRoute } from './accepted-route.ts';
import { planRecall } from './cancel-orphaned.ts';
import { failAll } from './intent.ts';

/** What was intended, with all that the asking needs. */
interface Intended {
  dispatch: DispatchRow;
  route: RouteRow;
  orders: OrderRow[];
  provider: Provider;
  outage: Outage | null;
  /** Whether all of it was called off before the provider was asked. */
  isCalledOff: boolean;
}

export const dispatchTask: TaskKind = { run: handOver, abandon: abandonDispatch };

/**
 * Asks the provider to carry a route and writes its answer down, once; after an earlier try, whose answer may be
 * lost, it first finds out what became of that. Rejects when the provider does not answer.
 */
async function handOver(service: ServiceContext, task: Task): Promise<void> {
  const intended = await intentOf(service, task);
  if (intended === null) {
    return settle(service, task, refusalOf('provider_not_connected'));
  }
  const { provider, dispatch, outage, isCalledOff } = intended;
  if (isCalledOff) return settle(service, task, calledOff);
  if (outage?.state === 'down') throw new ProviderFault(`${provider.name} is down`);
  const before = task.row.claim === 0 ? null : await withTimeout(service, provider.find(dispatch.id));
  await settle(service, task, before ?? (await ask(service, task, intended)));
}

async function ask(service: ServiceContext, task: Task, intended: Intended): Promise<CreateAnswer> {
  const { provider, dispatch, route, orders, outage } = intended;
  if (outage?.state === 'no_capacity') {
    return { kind: 'refused', reason: `${provider.name} has no courier free` };
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
  /** The code of the failure; absent where a provider refused. */
  code?: FailureReason;
  /** Whether the provider may carry the route nonetheless, now or later. */
  isUnsure?: true;
}

/** A provider's answer, or what stands for it where there is none. */
type Outcome = CreateAnswer & Uncertainty;

function refusalOf(code: FailureReason): Outcome {
  return { kind: 'refused', reason: failureMessages[code], code };
}

const silent: Outcome = { ...refusalOf('provider_unreachable'), isUnsure: true };
const calledOff: Outcome = { kind: 'refused', reason: 'it was canceled before that', isUnsure: true };

/** After the last try: what became of it, if that can be found out, else nothing is carried and all is given back. */
async function abandonDispatch(service: ServiceContext, task: Task): Promise<void> {
  const intended = await intentOf(service, task);
  const looking = intended === null ? null : intended.provider.find(intended.dispatch.id);
  const found = looking === null ? null : await withTimeout(service, looking).catch(() => null);
  await settle(service, task, found ?? silent);
}

async function intentOf({ storage, providers }: ServiceContext, task: Task): Promise<Intended | null> {
  const { dispatch_id }: { dispatch_id: string } = JSON.parse(task.row.payload);
  return storage.run(async (db) => {
    const dispatch = await findDispatch(db, dispatch_id);
    const route = await loadRoute(db, task.row.subject);
    const provider = providers.find(({ name }) => name === dispatch?.provider);
    if (dispatch === undefined || route === undefined || provider === undefined) return null;
    const account = await findAccount(db, route);
    const outage = account === undefined ? null : outageOf(settingsOf(account), provider.name, task.now);
    const deliveries = await deliveriesOfRoute(db, route.id);
    const isCalledOff = deliveries.every(({ status }) => isEnded(status));
    return { dispatch, route, provider, outage, isCalledOff, orders: await ordersOfRoute(db, route) };
  });
}

async function settle(service: ServiceContext, task: Task, answer: Outcome): Promise<void> {
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
    const isInVain = answer.kind === 'accepted' && waiting.length < deliveries.length;
    if (isInVain || answer.isUnsure === true) {
      const { subject: route_id, test_mode } = task.row;
      await planRecall(context, { route_id, test_mode, dispatch_id });
    }
    if (waiting.length > 0) await conclude(context, { dispatch_id, waiting, failure });
    service.crash('delivery.before_commit');
  });
}

interface Conclusion {
  dispatch_id: string;
  /** The deliveries of the route that have not ended meanwhile. */
  waiting: readonly DeliveryRow[];
  /** Null where the provider accepted. */
  failure: Failure | null;
}

/** What follows from a provider's answer: the failures, or the reports that are to come. */
async function conclude(
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
    return noteRefused(context, orders, { provider: dispatch.provider, reason: failure.failure_message });
  }
  const provider = providers.find(({ name }) => name === dispatch.provider);
  for (const order of orders) await publishOrder(context, 'order.dispatched', order);
  await noteAccepted(context, orders);
  if (provider === undefined) return;
  const feed = await provider.feed(acceptedRoute(chance, { route, orders: all, dispatch }, now));
  await awaitReports(context, waiting, feed);
}
