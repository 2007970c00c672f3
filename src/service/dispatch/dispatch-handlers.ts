import type { Delivery } from '../../contract/deliveries.ts';
import { Problem } from '../../contract/errors.ts';
import type { createDispatch, DispatchedRoute } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { tipFault } from '../../domain/order-rules.ts';
import { isExpired } from '../../domain/quotes.ts';
import type { Connection, DeliveryRow, OrderRow, QuoteRow, RouteRow } from '../../storage/database.ts';
import { deliveriesOfRoute, loadDelivery } from '../../storage/deliveries.ts';
import { lockOrders } from '../../storage/orders.ts';
import { findQuote, latestJob } from '../../storage/quotes.ts';
import { loadRoute, setRouteStatus } from '../../storage/routes.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import { driverFor } from '../fleet/driver-load.ts';
import type { Call, CallBase, Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order-view.ts';
import { lockRouteFor, notDraft, ordersOfRoute, routeOrderIds, routeView } from '../routes/route-handlers.ts';
import { whileOwner } from '../runtime/ownership.ts';
import { executeOnce, leaseCutoff } from '../tasks/task-leases.ts';
import { insertTaken, runNow, runTaken } from '../tasks/task-runner.ts';
import { dispatchTaskId, type IntentTask, keepIntent, writeIntent } from './intent.ts';

type Request = Call<typeof createDispatch>;

/**
 * Dispatches a route to the provider of a quote. The intent is written before the provider is called, which happens
 * outside of any transaction; if the process ends in between, the task is retried.
 */
export const dispatchRoute: Handler<typeof createDispatch> = async (call) => {
  const { service, body, now, params } = call;
  const token = await service.secrets.base62(22);
  await commitAndExecute(call, async (context) => {
    const { db } = context;
    const route = await lockRouteFor(db, call.caller, params.route_id);
    if (route.status !== 'draft') throw notDraft(route);
    await requireNotPending(db, routeOrderIds(route));
    const quote = await usableQuote(db, call, route);
    if (!(await setRouteStatus(db, { id: route.id, from: 'draft', to: 'dispatched', now })))
      throw notDraft(route);
    await lockOrders(db, routeOrderIds(route));
    const orders = await ordersOfRoute(db, route);
    refuseLargeTip(call, orders);
    await requireDriver(db, call, quote);
    const { tip, driver_id } = body;
    const intent = { call, route, quote, orders, tip, driver_id, token };
    const { deliveries, task } = await writeIntent(context, intent);
    return {
      made: dispatched(call, { ...route, status: 'dispatched', updated_at: now }, deliveries),
      task,
    };
  });
  const [route, rows] = await service.storage.read(async (db) => [
    await loadRoute(db, params.route_id),
    await deliveriesOfRoute(db, params.route_id),
  ]);
  if (route === undefined) throw new Problem('record_not_found', `There is no route ${params.route_id}.`);
  return dispatched(call, route, rows);
};

/** A tip for a route may be as large as those of its orders together. */
function refuseLargeTip({ body, caller }: Request, orders: readonly OrderRow[]): void {
  const message = tipFault(body.tip ?? 0, orders.map(orderRecord), caller.settings.tip_limit);
  if (message !== null)
    throw new Problem('invalid_request', 'The tip is too large.', [{ path: 'tip', message }]);
}

/** A driver can be named with a quote of the own fleet. Throws `invalid_request` and `record_not_found`. */
async function requireDriver(db: Connection, { body, caller }: Request, quote: QuoteRow): Promise<void> {
  const { driver_id } = body;
  if (driver_id === undefined) return;
  if (quote.provider !== fleet_provider) {
    const message = `needs a quote of ${fleet_provider}, not of ${quote.provider}`;
    throw new Problem('invalid_request', 'The driver cannot take this quote.', [
      { path: 'driver_id', message },
    ]);
  }
  await driverFor(db, caller, driver_id);
}

/** The chosen quote. Throws `quotes_not_ready`, `quote_not_found` and `quote_expired`. */
async function usableQuote(
  db: Connection,
  { caller, body, now }: Request,
  route: RouteRow,
): Promise<QuoteRow> {
  const job = await latestJob(db, route.id);
  if (job === undefined)
    throw new Problem('quotes_not_ready', `Route ${route.id} has no quotes. Request quotes first.`);
  if (job.status === 'PENDING') {
    throw new Problem(
      'quotes_not_ready',
      `The quotes of route ${route.id} are still pending. Retry in a few seconds.`,
    );
  }
  const quote = await findQuote(db, caller.scope.account_id, body.quote_id);
  if (quote === undefined || quote.job_id !== job.id) {
    throw new Problem('quote_not_found', `Route ${route.id} has no quote ${body.quote_id}.`);
  }
  if (isExpired(quote, now))
    throw new Problem('quote_expired', `Quote ${quote.id} has expired. Request new quotes.`);
  return quote;
}

function dispatched(call: Request, route: RouteRow, rows: readonly DeliveryRow[]): DispatchedRoute {
  const order_ids = routeOrderIds(route);
  const deliveries = [...rows].sort(
    (left, right) => order_ids.indexOf(left.order_id) - order_ids.indexOf(right.order_id),
  );
  return {
    ...routeView(route),
    deliveries: deliveries.map((row) => deliveryView(row, viewpointOf(call))),
  };
}

// A request that dispatches a route inserts the task of the dispatch with a claim of this process, and executes it after
// the commit with the records that it has: neither the task nor the records are read again. If this process ends in
// between, another one takes the task over, as it does with each task that was claimed.

/** The records that a request has written. */
interface Written<T> {
  made: T;
  /** The task of its dispatch, which is inserted next; null if nothing is sent to a provider. */
  task: IntentTask | null;
}

export type WrittenDelivery = Written<DeliveryRow>;

/** Writes in the transaction of a request. */
type Work<T> = (context: TransitionContext) => Promise<Written<T>>;

interface Committed<T> extends Written<T> {
  /** The claim of the task; null if this process does not hold it. */
  claim: number | null;
}

/** After a commit that took longer, the lease of the claim may soon expire. */
const max_commit_ms = 500;

/**
 * Commits a request that writes an intent, and executes its dispatch, unless the provider is slow on purpose. If another
 * process is the owner of the background work, waits for at most a second until that has executed it.
 */
async function commitAndExecute<T>(call: CallBase, work: Work<T>): Promise<Written<T>> {
  const { service, now } = call;
  const id = dispatchTaskId(call);
  const executed: Committed<T>[] = [];
  // The id of the task is registered before the commit: the loop of an owner takes over tasks whose ids are not.
  await whileOwner(service, () =>
    executeOnce(service, [{ id }], async () => {
      const committed = await commit(call, work, { takesTask: true });
      const { task, claim } = committed;
      executed.push(committed);
      if (task !== null && claim !== null) await runTaken(service, task.row, claim);
      return true;
    }),
  );
  const committed = executed[0] ?? (await commit(call, work, { takesTask: false }));
  if (committed.task !== null && committed.claim === null) await runNow(service, id, now);
  service.wakeup.notify();
  return committed;
}

/** The same for a request about one delivery: returns the resulting delivery. */
export async function executeAndView(call: CallBase, work: Work<DeliveryRow>): Promise<Delivery> {
  const viewpoint = viewpointOf(call);
  const { made, task } = await commitAndExecute(call, async (context) => {
    const written = await work(context);
    return { ...written, made: deliveryView(written.made, viewpoint) };
  });
  const row = task === null ? undefined : await call.service.storage.read((db) => loadDelivery(db, made.id));
  return row === undefined ? made : deliveryView(row, viewpoint);
}

async function commit<T>(
  call: CallBase,
  work: Work<T>,
  { takesTask }: { takesTask: boolean },
): Promise<Committed<T>> {
  const { service, now } = call;
  const { monotonic, providers } = service;
  const chance = await service.chance();
  // A transaction that is repeated after a conflict writes it again.
  const last: Omit<Committed<T>, 'made'> & { taken_at: number } = { task: null, claim: null, taken_at: 0 };
  // Read committed: all of these requests lock the route, delivery or order that they dispatch.
  const made = await call.commit(async (db) => {
    const written = await work({ db, chance, now, providers });
    const { task } = written;
    let claim: number | null = null;
    if (takesTask && task !== null && task.row.due_at <= now)
      claim = await insertTaken(db, service, task.row);
    else if (task !== null) await insertTasks(db, [task.row]);
    Object.assign(last, { task, claim, taken_at: monotonic.now() });
    return written.made;
  }, 'read committed');
  const { task, claim, taken_at } = last;
  if (task !== null) keepIntent(task);
  const isLate = leaseCutoff(service) !== undefined && monotonic.now() - taken_at > max_commit_ms;
  return { made, task, claim: isLate ? null : claim };
}
