/** The task of a round that requests one provider's quote, and records the quote or why there is none. */
import type { Provider, QuoteAnswer, QuoteRequest } from '../../providers/port.ts';
import { type Account, findAccounts } from '../../storage/accounts.ts';
import { loadBatchOrders } from '../../storage/batches.ts';
import type { Connection, JobRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { loadOrders } from '../../storage/orders.ts';
import {
  completeJob,
  countAnswers,
  insertDecline,
  insertQuotes,
  loadJob,
  loadJobs,
  lockJobs,
  preloadAnswers,
} from '../../storage/quotes.ts';
import { loadRoute, loadRoutes } from '../../storage/routes.ts';
import { lockTasks } from '../../storage/tasks.ts';
import { routeOrderIds, routeStops } from '../routes/route.ts';
import { findOutage, readAccountSettings } from '../runtime/account-settings.ts';
import { combineCalls } from '../runtime/combine-calls.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { timeOfPeople } from '../runtime/time.ts';
import { askedOrder, newQuoteRow, quoteRequestOf, withLateness } from './quote-request.ts';
import { endQuoteRound } from './quote-rounds.ts';

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
  await loadBatchOrders(db, order_ids);
}

/** The round of a task, with everything that a request for a quote names. */
interface LoadedRound {
  job: JobRow;
  route: RouteRow;
  account: Account;
  /** In the route's order. */
  orders: readonly OrderRow[];
}

/** Requests one provider's quote and records the response; the last response completes the round. */
async function requestProviderQuote(service: ServiceContext, task: Task<'quote.ask'>): Promise<void> {
  const provider = findProvider(service, task);
  const round = await loadRound(service, task);
  if (round === null || provider === undefined) return recordNoAnswer(service, task);
  const { job, account } = round;
  const outage = findOutage(readAccountSettings(account), provider.name, task.now);
  if (outage?.state === 'down' || task.payload.silent) return recordNoAnswer(service, task);
  const now = timeOfAnswer(service, task);
  const request = await createRequest(service, { ...task, now }, round);
  const answer = await withTimeout(service, provider.quote(request), provider);
  const asked = {
    orders: round.orders.map((order) => askedOrder(order)),
    stops: request.stops,
    now,
  };
  await recordResponse(service, { task, job, answer: withLateness(answer, asked) });
}

function findProvider({ providers }: ServiceContext, task: Task<'quote.ask'>): Provider | undefined {
  return providers.find(({ name }) => name === task.payload.provider);
}

/** A courier outside of the process answers at the current time, also to a task that was due while the service was down. */
function timeOfAnswer(service: ServiceContext, task: Task<'quote.ask'>): number {
  const isOutside = findProvider(service, task)?.is_remote === true;
  return isOutside ? Math.max(task.now, service.clock.now()) : timeOfPeople(service, task);
}

/** Remote providers are asked side by side: what their tasks read at the same time is read together. */
async function loadRound(service: ServiceContext, task: Task<'quote.ask'>): Promise<LoadedRound | null> {
  if (findProvider(service, task)?.is_remote === true) return loadTogether(service, task);
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
  const jobs = await loadJobs(db, job_ids);
  const account_ids = routes.map(({ account_id }) => account_id);
  const accounts = await findAccounts(db, { account_ids, test_mode });
  const orders = await loadOrders(db, routes.flatMap(routeOrderIds));
  return (task) => {
    const route = routes.find(({ id }) => id === task.row.subject);
    const job = jobs.find(({ id }) => id === task.payload.job_id);
    const account = accounts.find(({ id }) => id === route?.account_id);
    if (route === undefined || job === undefined || account === undefined) return null;
    return {
      job,
      route,
      account,
      orders: routeOrderIds(route).flatMap((id) => orders.find((order) => order.id === id) ?? []),
    };
  };
}

async function createRequest(
  service: ServiceContext,
  task: Task<'quote.ask'>,
  { job, route, orders }: LoadedRound,
): Promise<QuoteRequest> {
  const { asked_by_name, driver_id, vehicle_type } = task.payload;
  const request = quoteRequestOf(await service.chance(), {
    key: route.id,
    job_id: job.id,
    account_id: route.account_id,
    now: task.now,
    test_mode: route.test_mode === 1,
    stops: routeStops(route),
    is_simulated: findProvider(service, task)?.simulation !== undefined,
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
  const job = await service.storage.read((db) => loadJob(db, job_id));
  await recordResponse(service, { task, job, answer: { kind: 'declined', code: 'no_answer', reason } });
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
async function recordResponse(service: ServiceContext, answered: Answered): Promise<void> {
  const { task } = answered;
  if (findProvider(service, task)?.is_remote === true) return recordTogether(service, answered);
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    await recordAnswer({ db, chance, now: timeOfAnswer(service, task) }, answered);
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
    for (const one of answered) await recordAnswer({ db, chance, now: timeOfAnswer(service, one.task) }, one);
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
