/**
 * The intent of a dispatch, from the request that writes it to the task that executes it. The request inserts the task with
 * a claim of this process, and executes it after the commit with the records that it has: neither the task nor the records
 * are read again. If this process ends in between, another one takes the task over, as it does with each task that was
 * claimed.
 */
import type { Delivery } from '../../contract/deliveries.ts';
import { paymentOf } from '../../domain/charges.ts';
import { type Failure, failureMessages, failureOf, isEnded } from '../../domain/delivery-states.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import type { Provider } from '../../providers/port.ts';
import { findAccounts } from '../../storage/accounts.ts';
import type {
  DeliveryRow,
  DispatchRow,
  OrderRow,
  QuoteRow,
  RouteRow,
  TaskRow,
} from '../../storage/database.ts';
import { deliveriesOfOrder, deliveriesOfRoutes, loadDelivery } from '../../storage/deliveries.ts';
import { loadOrders } from '../../storage/orders.ts';
import { loadQuotes } from '../../storage/quotes.ts';
import { findDispatches, insertDispatch, loadRoutes } from '../../storage/routes.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { applyTransition, charge, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord, deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import { insertNewDelivery, pricingOf, type Share, sharesOf } from '../deliveries/write-delivery.ts';
import type { CallBase } from '../http/handler.ts';
import { orderRecord } from '../orders/order-view.ts';
import { quoteRecord } from '../quotes/quote-handlers.ts';
import { agreedTime, outageOf, scenarioOf } from '../quotes/quote-request.ts';
import { routeOrderIds, routeStops } from '../routes/route-handlers.ts';
import { type AccountSettings, type Outage, settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task } from '../runtime/context.ts';
import { whileOwner } from '../runtime/processes.ts';
import { together } from '../runtime/together.ts';
import { executeOnce, leaseCutoff } from '../tasks/task-leases.ts';
import { insertTaken, runNow, runTaken } from '../tasks/task-runner.ts';

/** A route to dispatch, no longer a draft, with a valid quote. */
interface Intent {
  call: CallBase;
  route: RouteRow;
  quote: QuoteRow;
  /** In the route's order. */
  orders: readonly OrderRow[];
  /** For the whole route, in cents. */
  tip?: number | undefined;
  /** See `CreateRequest`. */
  driver_id?: string | undefined;
  /** See `NewDelivery`. */
  token: string;
  /** Stored deliveries of these orders. */
  stored?: readonly DeliveryRow[];
}

interface WrittenIntent {
  deliveries: DeliveryRow[];
  /** The task that calls the provider, for the caller to insert; null if the payment was declined. */
  task: IntentTask | null;
}

/**
 * Writes everything that follows from a dispatch except the provider's response, in one transaction: a delivery for
 * each order, the intent and the payment; the caller inserts the task that calls the provider. A declined payment fails
 * the deliveries, and nothing is sent. All dispatches use this function.
 */
export async function writeIntent(context: TransitionContext, intent: Intent): Promise<WrittenIntent> {
  const { call, orders, quote } = intent;
  const { pickup_at, dropoff_at } = agreedTime(orders.map(orderRecord), context.now);
  // One driver carries the whole route: a time scheduled for one order applies to all.
  const status = pickup_at === null && dropoff_at === null ? 'delivery_created' : 'scheduled';
  const isDeclined = await declinesPayment(context, intent);
  const shares = sharesOf(quote, {
    orders,
    stops: routeStops(intent.route),
    tip: intent.tip,
    passed_ms: status === 'scheduled' ? 0 : passedSince(context.now, intent),
    delay_ms: status === 'scheduled' ? 0 : slowness(intent),
    now: context.now,
  });
  const deliveries: DeliveryRow[] = [];
  for (const [index, order] of orders.entries()) {
    const share = shares[index];
    if (share !== undefined) deliveries.push(await writeDelivery(context, intent, { order, share, status }));
  }
  const dispatch = dispatchOf(intent, isDeclined);
  await insertDispatch(context.db, dispatch);
  if (isDeclined) {
    return { deliveries: await failAll(context, deliveries, failureOf('payment_declined')), task: null };
  }
  for (const row of deliveries) {
    const { payment_amount, tip } = deliveryRecord(row);
    await charge(context, row, paymentOf(payment_amount, tip), []);
  }
  call.service.crash('charge.before_commit');
  const task = askTask(call, intent, dispatch);
  const { settings } = call.caller;
  const records = { dispatch, route: intent.route, orders, now: task.due_at, settings, deliveries, quote };
  // The engine assigns the sequence.
  const row = { ...task, sequence: 0, claim: 0, claimed_until: null, attempts: 0 };
  return { deliveries, task: { row, loaded: intentOf(context.providers, records) } };
}

/** The id of the task that executes the dispatch of a request. */
function dispatchTaskId({ id }: Pick<CallBase, 'id'>): string {
  return id('tsk', 'dispatch');
}

/** How far the times of the quote have shifted: since the quote, or since a missed scheduled time. */
function passedSince(now: number, intent: Intent): number {
  const { quote, orders } = intent;
  const keptTime = orders.map(orderRecord).some(({ pickup, dropoff }) => {
    return Math.max(pickup.at ?? 0, dropoff.at ?? 0) > quote.created_at;
  });
  return keptTime ? Math.max(0, now - quoteRecord(quote).pickup_eta) : now - quote.created_at;
}

/** The delay of a provider that is slow on purpose, in milliseconds. */
function slowness({ call, quote }: Intent): number {
  const outage = outageOf(call.caller.settings, quote.provider, call.now);
  return outage?.state === 'slow' ? (outage.slow_seconds ?? 0) * 1000 : 0;
}

interface DeliveryParts {
  order: OrderRow;
  share: Share;
  status: 'delivery_created' | 'scheduled';
}

async function writeDelivery(
  context: TransitionContext,
  intent: Intent,
  written: DeliveryParts,
): Promise<DeliveryRow> {
  const { call, route, token, stored = [] } = intent;
  const { order, share, status } = written;
  const { settings } = call.caller;
  const waiting = stored.find(({ order_id }) => order_id === order.id);
  if (waiting === undefined) {
    return insertNewDelivery(context, call.id, { order, share, status, route_id: route.id, token, settings });
  }
  const delivery_type = status === 'scheduled' ? 'scheduled' : 'asap';
  return applyTransition(context, waiting, status, {
    record: { ...pricingOf(share, orderRecord(order), settings), delivery_type },
    columns: {
      route_id: route.id,
      service: share.service,
      promised_at: waiting.promised_at ?? share.promised_at,
    },
  });
}

/** Whether the account's payment method, or the scenario of the route's first order, declines the payment. */
async function declinesPayment({ db }: TransitionContext, { call, orders }: Intent): Promise<boolean> {
  if (call.caller.settings.payment_method.status === 'declining') return true;
  const [first] = orders;
  if (first === undefined) return false;
  const { payment } = scriptOf(scenarioOf([orderRecord(first)]));
  if (payment !== 'declined_once') return payment === 'declined';
  const earlier = await deliveriesOfOrder(db, first.id);
  return earlier.every(({ status }) => status === 'request');
}

function dispatchOf({ call, route, quote }: Intent, isDeclined: boolean): DispatchRow {
  const id = call.id('dsp');
  return {
    id,
    account_id: route.account_id,
    route_id: route.id,
    quote_id: quote.id,
    provider: quote.provider,
    provider_key: id,
    request_key: call.request_key,
    state: isDeclined ? 'refused' : 'asking',
    reason: isDeclined ? failureMessages.payment_declined : null,
    unsettled: null,
    created_at: call.now,
    updated_at: call.now,
  };
}

function askTask(call: CallBase, intent: Intent, dispatch: DispatchRow) {
  return {
    id: dispatchTaskId(call),
    test_mode: call.caller.scope.test_mode,
    kind: 'dispatch.ask',
    subject: intent.route.id,
    due_at: call.now + slowness(intent),
    payload: JSON.stringify({
      dispatch_id: dispatch.id,
      provider: dispatch.provider,
      driver_id: intent.driver_id,
    }),
  };
}

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
export async function commitAndExecute<T>(call: CallBase, work: Work<T>): Promise<Written<T>> {
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
  if (task !== null) kept.set(task.row, task);
  const isLate = leaseCutoff(service) !== undefined && monotonic.now() - taken_at > max_commit_ms;
  return { made, task, claim: isLate ? null : claim };
}

/** A dispatch with everything needed to execute it. */
export interface LoadedIntent {
  dispatch: DispatchRow;
  route: RouteRow;
  orders: readonly OrderRow[];
  provider: Provider;
  outage: Outage | null;
  /** The tip of each order's delivery. */
  tips: ReadonlyMap<string, number | null>;
  /** See `CreateRequest`. */
  quote_references: readonly string[];
  /** Whether every delivery of the route ended here before the provider was called. */
  hasEnded: boolean;
}

/** The task of a dispatch. */
export interface IntentTask {
  row: TaskRow;
  /** Null if the provider does not exist anymore. */
  loaded: LoadedIntent | null;
}

/** The intents of tasks that have just been written: their execution does not load them. */
const kept = new WeakMap<TaskRow, IntentTask>();

/** The intent of a task; null if its dispatch, route or provider does not exist anymore. */
export async function loadIntent(service: ServiceContext, task: Task): Promise<LoadedIntent | null> {
  const written = kept.get(task.row);
  return written === undefined ? loadTogether(service, task) : written.loaded;
}

/**
 * Loads the intents of the tasks that start together, with one statement for each table. Null for a task whose
 * dispatch, route or provider does not exist anymore.
 */
const loadTogether = together(
  async ({ storage, providers, test_mode }: ServiceContext, tasks: readonly Task[]) =>
    storage.run(async (db) => {
      const dispatches = await findDispatches(db, tasks.map(dispatchIdOf));
      const subjects = tasks.map(({ row }) => row.subject);
      const routes = await loadRoutes(db, subjects);
      const route_ids = routes.map(({ id }) => id);
      const account_ids = routes.map(({ account_id }) => account_id);
      const accounts = await findAccounts(db, { account_ids, test_mode });
      const deliveries = await deliveriesOfRoutes(db, route_ids);
      const quote_ids = dispatches.map(({ quote_id }) => quote_id);
      const quotes = await loadQuotes(db, quote_ids);
      const orders = await loadOrders(db, routes.flatMap(routeOrderIds));
      return (task: Task): LoadedIntent | null => {
        const dispatch = dispatches.find(({ id }) => id === dispatchIdOf(task));
        const route = routes.find(({ id }) => id === task.row.subject);
        if (dispatch === undefined || route === undefined) return null;
        const account = accounts.find(({ id }) => id === route.account_id);
        return intentOf(providers, {
          dispatch,
          route,
          now: task.now,
          settings: account === undefined ? null : settingsOf(account),
          deliveries: deliveries.filter(({ route_id }) => route_id === route.id),
          orders: routeOrderIds(route).flatMap((id) => orders.find((order) => order.id === id) ?? []),
          quote: quotes.find(({ id }) => id === dispatch.quote_id),
        });
      };
    }),
);

/** The records of a dispatch. */
interface IntentRecords extends Pick<LoadedIntent, 'dispatch' | 'route' | 'orders'> {
  now: number;
  /** The settings of its account; null if the account does not exist anymore. */
  settings: AccountSettings | null;
  deliveries: readonly DeliveryRow[];
  quote: QuoteRow | undefined;
}

/** Everything needed to execute a dispatch; null if its provider does not exist anymore. */
function intentOf(providers: readonly Provider[], records: IntentRecords): LoadedIntent | null {
  const { dispatch, route, orders, now, settings, deliveries, quote } = records;
  const provider = providers.find(({ name }) => name === dispatch.provider);
  if (provider === undefined) return null;
  return {
    dispatch,
    route,
    orders,
    provider,
    outage: settings === null ? null : outageOf(settings, provider.name, now),
    hasEnded: !deliveries.some(isCarried),
    tips: new Map(deliveries.map((row) => [row.order_id, deliveryRecord(row).tip])),
    quote_references: quote === undefined ? [] : (quoteRecord(quote).references ?? []),
  };
}

export function dispatchIdOf({ row }: Task): string {
  const { dispatch_id }: { dispatch_id: string } = JSON.parse(row.payload);
  return dispatch_id;
}

/**
 * Whether a delivery has not ended, or ended at the provider: a courier may report the end of a delivery before its
 * response to the dispatch is recorded.
 */
export function isCarried(row: DeliveryRow): boolean {
  if (!isEnded(row.status)) return true;
  const isCanceledHere = row.status === 'customer_canceled' || row.status === 'burq_canceled';
  return !isCanceledHere && deliveryRecord(row).reported_at > 0;
}

/** Fails the deliveries of a route without a provider. */
export async function failAll(
  context: TransitionContext,
  deliveries: readonly DeliveryRow[],
  failure: Failure,
): Promise<DeliveryRow[]> {
  const failed: DeliveryRow[] = [];
  for (const row of deliveries)
    failed.push(await applyTransition(context, row, 'failed', { record: failure }));
  return failed;
}
