import type { QuoteAnswer, QuoteRequest } from '../../providers/port.ts';
import { findAccount } from '../../storage/accounts.ts';
import { findBatchOrders } from '../../storage/batch-orders.ts';
import type { Connection, JobRow, OrderRow, RouteRow, TaskRow } from '../../storage/database.ts';
import { completeJob, findJob, lockJobs } from '../../storage/jobs.ts';
import { loadOrders } from '../../storage/orders.ts';
import { answersOfJobs, countAnswers, insertDecline, insertQuotes } from '../../storage/quotes.ts';
import { loadRoute, loadRoutes } from '../../storage/routes.ts';
import { ordersOfRoute, routeOrderIds, routeStops } from '../routes/route-view.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskKind } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/with-timeout.ts';
import { outageOf } from './provider-outages.ts';
import { askedOrder, quoteRequestOf } from './quote-request.ts';
import { endQuoteRound, type QuoteRequestPayload } from './quote-rounds.ts';
import { newQuoteRow } from './quote-row.ts';

export const providerQuoteTask: TaskKind = {
  run: requestProviderQuote,
  abandon: recordNoAnswer,
  preload: preloadRounds,
};

async function preloadRounds(db: Connection, tasks: readonly TaskRow[]): Promise<void> {
  const routes = await loadRoutes(
    db,
    tasks.map(({ subject }) => subject),
  );
  const job_ids = tasks.map(({ payload }) => {
    const { job_id }: QuoteRequestPayload = JSON.parse(payload);
    return job_id;
  });
  // A task of the same round may run on its own in another worker.
  await lockJobs(db, job_ids);
  await answersOfJobs(db, job_ids);
  const order_ids = routes.flatMap(routeOrderIds);
  await loadOrders(db, order_ids);
  await findBatchOrders(db, order_ids);
}

/** Requests one provider's quote and records the response; the last response completes the round. */
async function requestProviderQuote(service: ServiceContext, task: Task): Promise<void> {
  const payload: QuoteRequestPayload = JSON.parse(task.row.payload);
  const { storage } = service;
  const route = await storage.read((db) => loadRoute(db, task.row.subject));
  const provider = service.providers.find(({ name }) => name === payload.provider);
  const job = await storage.read((db) => findJob(db, payload.job_id));
  if (job === undefined || route === undefined || provider === undefined)
    return recordNoAnswer(service, task);
  const account = await storage.read((db) => findAccount(db, route));
  const outage = account === undefined ? null : outageOf(settingsOf(account), provider.name, task.now);
  if (outage?.state === 'down' || payload.silent === true) return recordNoAnswer(service, task);
  const orders = await storage.read((db) => ordersOfRoute(db, route));
  const request = await requestOf(service, task, { job, route, orders, payload });
  const answer = await withTimeout(service, provider.quote(request), provider);
  await record(service, task, { job, route, answer });
}

/** Records that a provider did not respond, so that it does not delay the round. */
async function recordNoAnswer(service: ServiceContext, task: Task): Promise<void> {
  const { provider, job_id }: QuoteRequestPayload = JSON.parse(task.row.payload);
  const reason = `${provider} did not answer`;
  const [job, route] = await service.storage.read(async (db) => [
    await findJob(db, job_id),
    await loadRoute(db, task.row.subject),
  ]);
  await record(service, task, { job, route, answer: { kind: 'declined', code: 'no_answer', reason } });
}

interface Answered {
  /** Undefined if it was deleted. */
  job: JobRow | undefined;
  route: RouteRow | undefined;
  answer: QuoteAnswer | Silence;
}

/** A round is deleted or replaced with its tasks: while the task is there, the round is as it was read. */
async function record(service: ServiceContext, task: Task, { job, route, answer }: Answered): Promise<void> {
  const { job_id, provider }: QuoteRequestPayload = JSON.parse(task.row.payload);
  const chance = await service.chance();
  const { now } = task;
  const quote_id = newId(chance, 'rq', now, job_id, provider);
  // The answers of a round come at the same time: serializable transactions that count them would all be in conflict.
  // Each locks the round before it counts, so that the last one sees every answer.
  await service.storage.transaction(async (transaction) => {
    await task.finish(transaction);
    if (job === undefined) return;
    await writeAnswer(transaction, { job, provider, answer, quote_id, now });
    await lockJobs(transaction, [job.id]);
    const answered = await countAnswers(transaction, job.id);
    if (answered < job.asked || !(await completeJob(transaction, { id: job.id, now }))) return;
    if (route === undefined) return;
    await endQuoteRound({ db: transaction, chance, now }, job, route);
  }, 'read committed');
}

interface Silence {
  kind: 'declined';
  code: 'no_answer';
  reason: string;
}

interface Asked {
  job: JobRow;
  route: RouteRow;
  /** In the route's order. */
  orders: readonly OrderRow[];
  payload: QuoteRequestPayload;
}

async function requestOf(
  service: ServiceContext,
  task: Task,
  { job, route, orders, payload }: Asked,
): Promise<QuoteRequest> {
  return quoteRequestOf(await service.chance(), {
    key: route.id,
    account_id: route.account_id,
    now: task.now,
    test_mode: route.test_mode === 1,
    stops: routeStops(route),
    distance_tenths: route.distance_tenths,
    orders: orders.map((order) => askedOrder(order)),
    round: job.round,
    asked_by_name: payload.asked_by_name,
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
