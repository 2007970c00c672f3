import type { Provider, QuoteAnswer, QuoteRequest } from '../../providers/port.ts';
import { type Account, findAccounts } from '../../storage/accounts.ts';
import { findBatchOrders } from '../../storage/batches.ts';
import type { Connection, JobRow, OrderRow, RouteRow, TaskRow } from '../../storage/database.ts';
import { loadOrders } from '../../storage/orders.ts';
import {
  completeJob,
  countAnswers,
  findJob,
  findJobs,
  insertDecline,
  insertQuotes,
  loadRoute,
  loadRoutes,
  lockJobs,
  preloadAnswers,
} from '../../storage/routes.ts';
import { lockTasks } from '../../storage/tasks.ts';
import { routeOrderIds, routeStops } from '../routes/route-handlers.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskKind, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import { together } from '../runtime/together.ts';
import { askedOrder, newQuoteRow, outageOf, quoteRequestOf } from './quote-request.ts';
import { endQuoteRound, type QuoteRequestPayload } from './quote-rounds.ts';

export const providerQuoteTask: TaskKind = {
  run: requestProviderQuote,
  abandon: recordNoAnswer,
  preload: preloadRounds,
};

async function preloadRounds(db: Connection, tasks: readonly TaskRow[]): Promise<void> {
  const route_ids = tasks.map(({ subject }) => subject);
  const routes = await loadRoutes(db, route_ids);
  const job_ids = tasks.map((row) => payloadOf({ row }).job_id);
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
async function requestProviderQuote(service: ServiceContext, task: Task): Promise<void> {
  const payload = payloadOf(task);
  const provider = providerOf(service, task);
  const round = await loadRound(service, task);
  if (round === null || provider === undefined) return recordNoAnswer(service, task);
  const { job, account } = round;
  const outage = account === undefined ? null : outageOf(settingsOf(account), provider.name, task.now);
  if (outage?.state === 'down' || payload.silent === true) return recordNoAnswer(service, task);
  const request = await requestOf(service, task, round);
  const answer = await withTimeout(service, provider.quote(request), provider);
  await record(service, { task, job, answer });
}

/** Records that a provider did not respond, so that it does not delay the round. */
async function recordNoAnswer(service: ServiceContext, task: Task): Promise<void> {
  const { provider, job_id } = payloadOf(task);
  const reason = `${provider} did not answer`;
  const job = await service.storage.read((db) => findJob(db, job_id));
  await record(service, { task, job, answer: { kind: 'declined', code: 'no_answer', reason } });
}

/** Remote providers are asked side by side: what their tasks read at the same time is read together. */
async function loadRound(service: ServiceContext, task: Task): Promise<LoadedRound | null> {
  if (providerOf(service, task)?.is_remote === true) return loadTogether(service, task);
  const roundOf = await service.storage.read((db) => loadRounds(service, db, [task]));
  return roundOf(task);
}

const loadTogether = together((service: ServiceContext, tasks: readonly Task[]) =>
  service.storage.read((db) => loadRounds(service, db, tasks)),
);

/** Reads the rounds of tasks, one statement for each table; null for one that was deleted. */
async function loadRounds(
  { test_mode }: ServiceContext,
  db: Connection,
  tasks: readonly Task[],
): Promise<(task: Task) => LoadedRound | null> {
  const route_ids = tasks.map(({ row }) => row.subject);
  const routes = await loadRoutes(db, route_ids);
  const job_ids = tasks.map((task) => payloadOf(task).job_id);
  const jobs = await findJobs(db, job_ids);
  const account_ids = routes.map(({ account_id }) => account_id);
  const accounts = await findAccounts(db, { account_ids, test_mode });
  const orders = await loadOrders(db, routes.flatMap(routeOrderIds));
  return (task) => {
    const route = routes.find(({ id }) => id === task.row.subject);
    const job = jobs.find(({ id }) => id === payloadOf(task).job_id);
    if (route === undefined || job === undefined) return null;
    return {
      job,
      route,
      account: accounts.find(({ id }) => id === route.account_id),
      orders: routeOrderIds(route).flatMap((id) => orders.find((order) => order.id === id) ?? []),
    };
  };
}

interface Answered {
  task: Task;
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
const recordTogether = together(async (service: ServiceContext, answered: readonly Answered[]) => {
  const chance = await service.chance();
  const rows = answered.map(({ task }) => task.row);
  await service.storage.transaction(async (db) => {
    const task_ids = rows.map(({ id }) => id);
    await lockTasks(db, task_ids);
    for (const { task } of answered) await task.finish(db);
    await preloadRounds(db, rows);
    for (const one of answered) await recordAnswer({ db, chance, now: one.task.now }, one);
  }, 'read committed');
  return () => {};
});

/** A round is deleted or replaced with its tasks: while the task is there, the round is as it was read. */
async function recordAnswer(context: WriteContext, { task, job, answer }: Answered): Promise<void> {
  const { db, chance, now } = context;
  if (job === undefined) return;
  const { provider } = payloadOf(task);
  const quote_id = newId(chance, 'rq', now, job.id, provider);
  await writeAnswer(db, { job, provider, answer, quote_id, now });
  await lockJobs(db, [job.id]);
  const answered = await countAnswers(db, job.id);
  if (answered < job.asked || !(await completeJob(db, { id: job.id, now }))) return;
  const route = await loadRoute(db, job.route_id);
  if (route !== undefined) await endQuoteRound(context, job, route);
}

function payloadOf({ row }: Pick<Task, 'row'>): QuoteRequestPayload {
  return JSON.parse(row.payload);
}

function providerOf({ providers }: ServiceContext, task: Task): Provider | undefined {
  const { provider } = payloadOf(task);
  return providers.find(({ name }) => name === provider);
}

interface Silence {
  kind: 'declined';
  code: 'no_answer';
  reason: string;
}

async function requestOf(
  service: ServiceContext,
  task: Task,
  { job, route, orders }: LoadedRound,
): Promise<QuoteRequest> {
  return quoteRequestOf(await service.chance(), {
    key: route.id,
    account_id: route.account_id,
    now: task.now,
    test_mode: route.test_mode === 1,
    stops: routeStops(route),
    is_simulated: providerOf(service, task)?.simulation !== undefined,
    orders: orders.map((order) => askedOrder(order)),
    round: job.round,
    asked_by_name: payloadOf(task).asked_by_name,
    driver_id: payloadOf(task).driver_id,
  });
}

interface Written {
  job: JobRow;
  provider: string;
  answer: QuoteAnswer | Silence;
  quote_id: string;
  now: number;
}

async function writeAnswer(db: Connection, { job, provider, answer, quote_id, now }: Written): Promise<void> {
  if (answer.kind === 'declined') {
    const { code, reason } = answer;
    return insertDecline(db, { job_id: job.id, provider, code, reason, created_at: now });
  }
  const { id: job_id, account_id, route_id, round } = job;
  const origin = {
    id: quote_id,
    account_id,
    route_id,
    job_id,
    provider,
    created_at: now,
    context: { round },
  };
  await insertQuotes(db, [newQuoteRow(answer, origin)]);
}
