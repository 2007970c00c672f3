/**
 * A round of quotes for a draft route: a task asks each provider, and the last response completes the round, of which
 * auto dispatch then selects a quote.
 */

import { Problem } from '../../contract/errors.ts';
import type { requestQuotes } from '../../contract/routes.ts';
import { fleet_provider, type VehicleType } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { happyPath, type Simulation, scenarioScript } from '../../domain/scenarios.ts';
import type { Provider, QuoteAnswer, QuoteRequest } from '../../providers/port.ts';
import { type Account, findAccounts } from '../../storage/accounts.ts';
import { findBatchOrders, pendingOf } from '../../storage/batches.ts';
import type { Connection, JobRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { findDriver } from '../../storage/drivers.ts';
import { findOrders, loadOrders } from '../../storage/orders.ts';
import {
  completeJob,
  countAnswers,
  findJob,
  findJobs,
  insertDecline,
  insertJob,
  insertQuotes,
  latestJob,
  lockJobs,
  preloadAnswers,
} from '../../storage/quotes.ts';
import { loadRoute, loadRoutes } from '../../storage/routes.ts';
import {
  deleteTasksOfSubject,
  insertTasks,
  lockTasks,
  type NewTask,
  tasksOfSubject,
} from '../../storage/tasks.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order-view.ts';
import { providersOfStore } from '../orders/store-terms.ts';
import { lockRouteFor, notDraft, routeOrderIds, routeStops } from '../routes/route.ts';
import { readAccountSettings } from '../runtime/account-settings.ts';
import { combineCalls } from '../runtime/combine-calls.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { availableProviders, simulatedOf } from '../runtime/courier-connections.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { newTask, readTaskPayload } from '../runtime/task-kinds.ts';
import { laneOfProvider } from '../tasks/lanes.ts';
import { quotesOf } from './quote.ts';
import { askedOrder, newQuoteRow, outageOf, quoteRequestOf, withLateness } from './quote-request.ts';

/** Starts a round of quotes for a draft route. */
export const requestRouteQuotes: Handler<typeof requestQuotes> = async (call) => {
  const chance = await call.service.chance();
  const job_id = await call.commit(async (db) => {
    const route = await lockRouteFor(db, call.caller, call.params.route_id);
    if (route.status !== 'draft') throw notDraft(route);
    await requireNotPending(db, routeOrderIds(route));
    const context = { db, chance, now: call.now };
    const { driver_id, vehicle_type } = call.body;
    if (driver_id !== undefined && (await findDriver(db, call.caller.scope, driver_id)) === undefined) {
      throw new Problem('record_not_found', `There is no driver ${driver_id}.`);
    }
    const [order] = await findOrders(db, call.caller.scope, routeOrderIds(route).slice(0, 1));
    const preferred = order === undefined ? null : await providersOfStore(db, order);
    const providers = driver_id === undefined ? preferred : [fleet_provider];
    const job = await startQuoteRound(context, call, {
      route,
      providers,
      without: [],
      driver_id,
      vehicle_type,
    });
    return { job_id: job.id, object: 'job' as const };
  }, 'read committed');
  call.service.wakeup.notify();
  return job_id;
};

/** A round of quote requests. */
interface Round {
  route: RouteRow;
  /** The only providers to ask; null: all that quote without being named. */
  providers: readonly string[] | null;
  /** Providers that are never asked. */
  without: readonly string[];
  driver_id?: string | undefined;
  /** A vehicle that is needed beside those of the orders. */
  vehicle_type?: VehicleType | undefined;
}

/** A provider that takes longer is skipped, so that it does not delay the others. */
const max_round_ms = 90_000;
/** The minimum duration of a round in the scenario of slow quotes. */
const slow_round_ms = minute_ms;

/** Requests quotes for a draft route. Each provider responds in its own time; the last response completes the round. */
export async function startQuoteRound(context: WriteContext, call: CallBase, round: Round): Promise<JobRow> {
  const { db } = context;
  const { route } = round;
  const [first] = await findOrders(db, call.caller.scope, routeOrderIds(route).slice(0, 1));
  // The scenario of a whole route is that of its first order.
  const simulation = first === undefined ? happyPath : orderRecord(first).simulation;
  const providers = await availableProviders(call.service, db, call.caller.scope);
  const askable = askableProviders(providers, { ...round, simulated: simulation.provider });
  const asked = askable.filter(({ name }) => !round.without.includes(name));
  const before = await latestJob(db, route.id);
  const job = newJob(call, route, { number: (before?.round ?? 0) + 1, asked: asked.length });
  if (before !== undefined) await deleteTasksOfSubject(db, route.id, ['quote.ask']);
  await insertJob(db, job);
  const isNamed = ({ name }: Provider) => name === simulation.provider || round.providers !== null;
  await insertTasks(
    db,
    asked.map((provider) =>
      askTask(call, job, provider, {
        simulation,
        isNamed: isNamed(provider),
        driver_id: round.driver_id,
        vehicle_type: round.vehicle_type,
      }),
    ),
  );
  if (!call.caller.test_mode && providers.length === 0) await declineLive(context, job, call.service);
  if (job.status === 'COMPLETE') await endQuoteRound(context, job, route);
  return job;
}

/** The providers that can be asked: the named ones, or all that quote without being named. */
export function askableProviders(
  providers: readonly Provider[],
  { providers: named, simulated }: Pick<Round, 'providers'> & { simulated: string | null },
): Provider[] {
  return providers.filter(({ name, only_when_named }) =>
    named === null ? !only_when_named || name === simulated : named.includes(name),
  );
}

function newJob(
  call: CallBase,
  route: RouteRow,
  { number, asked }: { number: number; asked: number },
): JobRow {
  const isOver = asked === 0;
  return {
    id: call.id('job', String(number)),
    account_id: route.account_id,
    route_id: route.id,
    round: number,
    status: isOver ? 'COMPLETE' : 'PENDING',
    asked,
    requested_at: call.now,
    completed_at: isOver ? call.now : null,
  };
}

function askTask(
  call: CallBase,
  job: JobRow,
  provider: Provider,
  how: Pick<Round, 'driver_id' | 'vehicle_type'> & { simulation: Simulation; isNamed: boolean },
): NewTask {
  const delay_ms = answerDelay(call, provider, how.simulation);
  const silent = delay_ms > max_round_ms;
  const task = {
    id: call.id('tsk', provider.name, String(job.round)),
    ...call.caller.scope,
    lane: laneOfProvider(call.service, provider.name),
    subject: job.route_id,
    due_at: call.now + Math.min(delay_ms, max_round_ms),
  };
  return newTask('quote.ask', task, {
    job_id: job.id,
    provider: provider.name,
    asked_by_name: how.isNamed,
    silent,
    driver_id: how.driver_id,
    vehicle_type: how.vehicle_type,
  });
}

/** A provider's response delay, including outages and scenarios. */
function answerDelay({ caller, now }: CallBase, provider: Provider, { scenario }: Simulation): number {
  const outage = outageOf(caller.settings, provider.name, now);
  const slow_seconds = outage?.state === 'slow' ? (outage.slow_seconds ?? 0) : 0;
  const min_delay_ms = scenarioScript(scenario).quotes === 'slow' ? slow_round_ms : 0;
  return Math.max(provider.answer_delay_ms, min_delay_ms) + slow_seconds * 1000;
}

/** Without a connected courier a live round is complete immediately, with a decline of each simulated provider. */
async function declineLive(
  { db, now }: WriteContext,
  job: JobRow,
  { providers }: Pick<ServiceContext, 'providers'>,
): Promise<void> {
  for (const { name } of simulatedOf(providers).filter(({ only_when_named }) => !only_when_named)) {
    const reason = `${name} is simulated and carries test deliveries only; no live courier is connected`;
    await insertDecline(db, {
      job_id: job.id,
      provider: name,
      code: 'simulated_only',
      reason,
      created_at: now,
    });
  }
}

export const providerQuoteTask: TaskHandler<'quote.ask'> = {
  run: requestProviderQuote,
  abandon: recordNoAnswer,
  preload: preloadRounds,
};

async function preloadRounds(db: Connection, tasks: readonly Task<'quote.ask'>[]): Promise<void> {
  const route_ids = tasks.map(({ row }) => row.subject);
  const routes = await loadRoutes(db, route_ids);
  const job_ids = tasks.map(({ payload }) => payload.job_id);
  // A task of the same round may run on its own in another worker.
  await lockJobs(db, job_ids);
  await preloadAnswers(db, job_ids);
  const order_ids = routes.flatMap(routeOrderIds);
  await loadOrders(db, order_ids);
  await findBatchOrders(db, order_ids);
}

/** The round of a task, with everything that a request for a quote names. */
interface LoadedRound {
  job: JobRow;
  route: RouteRow;
  account: Account | undefined;
  /** In the route's order. */
  orders: readonly OrderRow[];
}

/** Requests one provider's quote and records the response; the last response completes the round. */
async function requestProviderQuote(service: ServiceContext, task: Task<'quote.ask'>): Promise<void> {
  const provider = providerOf(service, task);
  const round = await loadRound(service, task);
  if (round === null || provider === undefined) return recordNoAnswer(service, task);
  const { job, account } = round;
  const outage =
    account === undefined ? null : outageOf(readAccountSettings(account), provider.name, task.now);
  if (outage?.state === 'down' || task.payload.silent) return recordNoAnswer(service, task);
  const request = await requestOf(service, task, round);
  const answer = await withTimeout(service, provider.quote(request), provider);
  const asked = {
    orders: round.orders.map((order) => askedOrder(order)),
    stops: request.stops,
    now: task.now,
  };
  await record(service, { task, job, answer: withLateness(answer, asked) });
}

function providerOf({ providers }: ServiceContext, task: Task<'quote.ask'>): Provider | undefined {
  return providers.find(({ name }) => name === task.payload.provider);
}

/** Remote providers are asked side by side: what their tasks read at the same time is read together. */
async function loadRound(service: ServiceContext, task: Task<'quote.ask'>): Promise<LoadedRound | null> {
  if (providerOf(service, task)?.is_remote === true) return loadTogether(service, task);
  const roundOf = await service.storage.read((db) => loadRounds(service, db, [task]));
  return roundOf(task);
}

const loadTogether = combineCalls((service: ServiceContext, tasks: readonly Task<'quote.ask'>[]) =>
  service.storage.read((db) => loadRounds(service, db, tasks)),
);

/** Reads the rounds of tasks, one statement for each table; null for one that was deleted. */
async function loadRounds(
  { test_mode }: ServiceContext,
  db: Connection,
  tasks: readonly Task<'quote.ask'>[],
): Promise<(task: Task<'quote.ask'>) => LoadedRound | null> {
  const route_ids = tasks.map(({ row }) => row.subject);
  const routes = await loadRoutes(db, route_ids);
  const job_ids = tasks.map(({ payload }) => payload.job_id);
  const jobs = await findJobs(db, job_ids);
  const account_ids = routes.map(({ account_id }) => account_id);
  const accounts = await findAccounts(db, { account_ids, test_mode });
  const orders = await loadOrders(db, routes.flatMap(routeOrderIds));
  return (task) => {
    const route = routes.find(({ id }) => id === task.row.subject);
    const job = jobs.find(({ id }) => id === task.payload.job_id);
    if (route === undefined || job === undefined) return null;
    return {
      job,
      route,
      account: accounts.find(({ id }) => id === route.account_id),
      orders: routeOrderIds(route).flatMap((id) => orders.find((order) => order.id === id) ?? []),
    };
  };
}

async function requestOf(
  service: ServiceContext,
  task: Task<'quote.ask'>,
  { job, route, orders }: LoadedRound,
): Promise<QuoteRequest> {
  const { asked_by_name, driver_id, vehicle_type } = task.payload;
  const request = quoteRequestOf(await service.chance(), {
    key: route.id,
    account_id: route.account_id,
    now: task.now,
    test_mode: route.test_mode === 1,
    stops: routeStops(route),
    is_simulated: providerOf(service, task)?.simulation !== undefined,
    orders: orders.map((order) => askedOrder(order)),
    round: job.round,
    asked_by_name,
    driver_id,
  });
  return vehicle_type === undefined ? request : { ...request, vehicles: [...request.vehicles, vehicle_type] };
}

/** Records that a provider did not respond, so that it does not delay the round. */
async function recordNoAnswer(service: ServiceContext, task: Task<'quote.ask'>): Promise<void> {
  const { provider, job_id } = task.payload;
  const reason = `${provider} did not answer`;
  const job = await service.storage.read((db) => findJob(db, job_id));
  await record(service, { task, job, answer: { kind: 'declined', code: 'no_answer', reason } });
}

interface Silence {
  kind: 'declined';
  code: 'no_answer';
  reason: string;
}

interface Answered {
  task: Task<'quote.ask'>;
  /** Undefined if it was deleted. */
  job: JobRow | undefined;
  answer: QuoteAnswer | Silence;
}

/**
 * Records a response once. The responses of a round come at the same time: serializable transactions that count them
 * would all be in conflict. Each locks the round before it counts, so that the last one sees every response.
 */
async function record(service: ServiceContext, answered: Answered): Promise<void> {
  const { task } = answered;
  if (providerOf(service, task)?.is_remote === true) return recordTogether(service, answered);
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    await recordAnswer({ db, chance, now: task.now }, answered);
  }, 'read committed');
}

/** Records responses of remote providers that arrive together in one transaction. */
const recordTogether = combineCalls(async (service: ServiceContext, answered: readonly Answered[]) => {
  const chance = await service.chance();
  const tasks = answered.map(({ task }) => task);
  await service.storage.transaction(async (db) => {
    const task_ids = tasks.map(({ row }) => row.id);
    await lockTasks(db, task_ids);
    for (const task of tasks) await task.finish(db);
    await preloadRounds(db, tasks);
    for (const one of answered) await recordAnswer({ db, chance, now: one.task.now }, one);
  }, 'read committed');
  return () => {};
});

/** A round is deleted or replaced with its tasks: while the task is there, the round is as it was read. */
async function recordAnswer(context: WriteContext, { task, job, answer }: Answered): Promise<void> {
  const { db, now } = context;
  if (job === undefined) return;
  // Locks before it reads the answers: the transaction keeps the rows it has read, and would miss later ones.
  await lockJobs(db, [job.id]);
  await writeAnswer(context, job, task.payload.provider, answer);
  const answered = await countAnswers(db, job.id);
  if (answered < job.asked || !(await completeJob(db, { id: job.id, now }))) return;
  const route = await loadRoute(db, job.route_id);
  if (route !== undefined) await endQuoteRound(context, job, route);
}

async function writeAnswer(
  { db, chance, now: created_at }: WriteContext,
  job: JobRow,
  provider: string,
  answer: QuoteAnswer | Silence,
): Promise<void> {
  const { id: job_id, account_id, route_id, round } = job;
  if (answer.kind === 'declined') {
    const { code, reason } = answer;
    return insertDecline(db, { job_id, provider, code, reason, created_at });
  }
  const id = newId(chance, 'rq', created_at, job_id, provider);
  const origin = { id, account_id, route_id, job_id, provider, created_at, context: { round } };
  await insertQuotes(db, [newQuoteRow(answer, origin)]);
}

/** Publishes the quotes of a complete round; those of auto dispatch are published by its selection, which this schedules. */
async function endQuoteRound(context: WriteContext, job: JobRow, route: RouteRow): Promise<void> {
  const { db, chance, now } = context;
  const { account_id, test_mode } = route;
  const [pending] = await pendingOf(db, routeOrderIds(route));
  if (pending === undefined) return publishRound(context, job, route);
  const id = newId(chance, 'tsk', now, 'choose', job.id);
  const task = { id, account_id, test_mode, subject: pending.order_id, due_at: now };
  await insertTasks(db, [newTask('order.choose', task, { job_id: job.id, publishes_round: true })]);
}

/** Publishes the quotes of a complete round. */
export async function publishRound(
  context: WriteContext,
  { id: job_id }: JobRow,
  { id: route_id, account_id, test_mode }: RouteRow,
): Promise<void> {
  // The route is added, because an empty list of quotes does not name it.
  const data = { ...(await quotesOf(context.db, job_id)), route_id };
  const type = 'route_quotes.completed';
  await publishEvent(context, { account_id, test_mode, type, id_parts: [job_id], data });
}

/** Ends a round early and records each provider without a response as declined. */
export async function cancelQuoteRound(
  { db, now }: WriteContext,
  route_id: string,
  why: string,
): Promise<void> {
  const job = await latestJob(db, route_id);
  if (job === undefined || job.status !== 'PENDING') return;
  for (const task of await tasksOfSubject(db, route_id, 'quote.ask')) {
    const { provider, job_id } = readTaskPayload('quote.ask', task);
    const decline = { job_id, provider, code: 'canceled', reason: `it did not answer before ${why}` };
    await insertDecline(db, { ...decline, created_at: now });
  }
  await deleteTasksOfSubject(db, route_id, ['quote.ask']);
  await completeJob(db, { id: job.id, now });
}
