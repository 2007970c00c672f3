import { serviceFee } from '../domain/money.ts';
import { planStops, totalTenths } from '../domain/stops.ts';
import type { QuoteAnswer, QuoteRequest } from '../providers/port.ts';
import type { Connection, JobRow, OrderRow, RouteRow } from '../storage/database.ts';
import { completeJob, findJob } from '../storage/jobs.ts';
import { findOrders } from '../storage/orders.ts';
import { countAnswers, insertDecline, insertQuotes } from '../storage/quotes.ts';
import { loadRoute } from '../storage/routes.ts';
import type { ServiceContext } from './context.ts';
import { newId } from './ids.ts';
import type { AskPayload } from './jobs.ts';
import { largestSize, type OrderRecord } from './order-request.ts';
import { orderRecord } from './order-view.ts';
import { answered } from './patience.ts';
import { fraction } from './ports/chance.ts';
import type { QuoteRecord } from './quotes.ts';
import { routeOrderIds, routeStops } from './route-view.ts';
import type { Task } from './tasks.ts';

/** Asks one provider for its quote and writes the answer down; the last answer completes the round. */
export async function askProvider(service: ServiceContext, task: Task): Promise<void> {
  const payload: AskPayload = JSON.parse(task.row.payload);
  const { storage } = service;
  const route = await storage.run((db) => loadRoute(db, task.row.subject));
  const provider = service.providers.find(({ name }) => name === payload.provider);
  if (route === undefined || provider === undefined) return abandonAsk(service, task);
  const orders = await storage.run((db) => findOrders(db, route, routeOrderIds(route)));
  const request = await requestOf(service, task, { route, orders, payload });
  await record(service, task, await answered(service, provider.quote(request)));
}

/** A provider that fails to answer is one that does not quote: it must not hold the others up for ever. */
export async function abandonAsk(service: ServiceContext, task: Task): Promise<void> {
  const { provider }: AskPayload = JSON.parse(task.row.payload);
  await record(service, task, {
    kind: 'declined',
    code: 'no_answer',
    reason: `${provider} did not answer`,
  });
}

async function record(service: ServiceContext, task: Task, answer: QuoteAnswer | Silence): Promise<void> {
  const { job_id, provider }: AskPayload = JSON.parse(task.row.payload);
  const quote_id = newId(await service.chance(), 'rq', task.now, job_id, provider);
  await service.storage.transaction(async (transaction) => {
    await task.finish(transaction);
    const job = await findJob(transaction, job_id);
    if (job === undefined) return;
    await writeAnswer(transaction, { job, provider, answer, quote_id, now: task.now });
    const answered = await countAnswers(transaction, job.id);
    if (answered >= job.asked) await completeJob(transaction, { id: job.id, now: task.now });
  });
}

interface Silence {
  kind: 'declined';
  code: 'no_answer';
  reason: string;
}

interface Asked {
  route: RouteRow;
  orders: readonly OrderRow[];
  payload: AskPayload;
}

async function requestOf(service: ServiceContext, task: Task, asked: Asked): Promise<QuoteRequest> {
  const { route, payload } = asked;
  const order_ids = routeOrderIds(route);
  const records = [...asked.orders]
    .sort((left, right) => order_ids.indexOf(left.id) - order_ids.indexOf(right.id))
    .map(orderRecord);
  const chance = await service.chance();
  const time = agreedTime(records, task.now);
  return {
    route_id: route.id,
    now: task.now,
    test_mode: route.test_mode === 1,
    stops: routeStops(route),
    distance_tenths: route.distance_tenths,
    direct_tenths: records.map((record) => directTenths(record)),
    largest_size: largestSize(records),
    vehicles: records.flatMap(({ vehicle }) => vehicle ?? []),
    signature: records.some(({ request_signature }) => request_signature),
    ...time,
    asked_by_name: payload.asked_by_name,
    chance: (purpose) => fraction(chance('provider', route.id, purpose)),
  };
}

/** The first time agreed on that has not passed; what has passed is as soon as possible. */
function agreedTime(records: readonly OrderRecord[], now: number) {
  const ahead = (at: number | null) => (at !== null && at > now ? at : null);
  const times = records.map(({ pickup, dropoff }) => ({
    pickup_at: ahead(pickup.at),
    dropoff_at: ahead(dropoff.at),
  }));
  const none = { pickup_at: null, dropoff_at: null };
  return times.find(({ pickup_at, dropoff_at }) => pickup_at !== null || dropoff_at !== null) ?? none;
}

/** The way of an order on its own. */
function directTenths({ pickup, dropoff }: OrderRecord): number {
  return totalTenths(planStops([{ id: '', pickup, dropoff }], { optimize: false }));
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
  const { kind: _, cost_of_delivery, expires_at, ...rest } = answer;
  const record: QuoteRecord = rest;
  await insertQuotes(db, [
    {
      id: quote_id,
      account_id: job.account_id,
      route_id: job.route_id,
      job_id: job.id,
      provider,
      cost_of_delivery,
      service_fee: serviceFee(cost_of_delivery),
      expires_at,
      record: JSON.stringify(record),
      created_at: now,
    },
  ]);
}
