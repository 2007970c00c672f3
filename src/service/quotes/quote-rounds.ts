/**
 * Rounds of quotes for a draft route. The states of a round, which is stored as a job:
 * - Pending: a task for each provider requests its quote (`request-provider-quote.ts`) and records the quote, or why
 *   there is none. A provider that has not answered after 90 seconds is recorded so. A new round replaces a pending one.
 * - Complete: the last answer completes the round. Its quotes are published, or auto dispatch selects one of them first.
 *   A round in which nobody is asked is complete at once, and what cancels its order completes it early.
 */
import type { VehicleType } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { happyPath, type Simulation, scenarioScript } from '../../domain/scenarios.ts';
import type { Provider } from '../../providers/port.ts';
import { findPendingOrders } from '../../storage/batches.ts';
import type { Connection, JobRow, RouteRow } from '../../storage/database.ts';
import { findOrders } from '../../storage/orders.ts';
import { completeJob, insertDecline, insertJob, latestJob } from '../../storage/quotes.ts';
import { deleteTasksOfSubject, insertTasks, type NewTask, tasksOfSubject } from '../../storage/tasks.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { CallBase } from '../http/handler.ts';
import { orderRecord } from '../orders/order.ts';
import { routeOrderIds } from '../routes/route.ts';
import { findOutage } from '../runtime/account-settings.ts';
import type { ServiceContext, WriteContext } from '../runtime/context.ts';
import { availableProviders, selectSimulated } from '../runtime/courier-connections.ts';
import { newId } from '../runtime/ids.ts';
import { newTask, readTaskPayload } from '../runtime/task-kinds.ts';
import { laneOfProvider } from '../tasks/lanes.ts';
import { quotesOf } from './quote.ts';

interface Round {
  route: RouteRow;
  /** The only providers to ask; null: all that quote without being named. */
  providers: readonly string[] | null;
  /** The providers that are not asked, because they have refused the order before. */
  excluded: readonly string[];
  /** The driver of the own fleet who is to take the route. */
  driver_id?: string | undefined;
  /** A vehicle that is needed beside those of the orders. */
  vehicle_type?: VehicleType | undefined;
}

/** A provider that takes longer is skipped, so that it does not delay the others. */
const max_round_ms = 90_000;
/** The minimum duration of a round in the scenario of slow quotes. */
const slow_round_ms = minute_ms;

/** Starts a round: schedules the request to each provider that is asked. */
export async function startQuoteRound(context: WriteContext, call: CallBase, round: Round): Promise<JobRow> {
  const { db } = context;
  const { route } = round;
  const simulation = await readSimulation(db, call, route);
  const available = await availableProviders(call.service, db, call.caller.scope);
  const askable = askableProviders(available, { ...round, simulated: simulation.provider });
  const asked = askable.filter(({ name }) => !round.excluded.includes(name));
  const job = await replaceJob(db, call, { route, asked: asked.length });
  const tasks = asked.map((provider) => quoteTask(call, { round, job, provider, simulation }));
  await insertTasks(db, tasks);
  if (available.length === 0) await declineLive(context, job, call.service);
  if (job.status === 'COMPLETE') await endQuoteRound(context, job, route);
  return job;
}

/** The scenario of a whole route is that of its first order. */
async function readSimulation(db: Connection, { caller }: CallBase, route: RouteRow): Promise<Simulation> {
  const [first] = await findOrders(db, caller.scope, routeOrderIds(route).slice(0, 1));
  return first === undefined ? happyPath : orderRecord(first).simulation;
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

/** Stores the job of a new round, and stops the requests of the one before. */
async function replaceJob(
  db: Connection,
  call: CallBase,
  { route, asked }: { route: RouteRow; asked: number },
): Promise<JobRow> {
  const before = await latestJob(db, route.id);
  const round = (before?.round ?? 0) + 1;
  const isOver = asked === 0;
  const job: JobRow = {
    id: call.id('job', String(round)),
    account_id: route.account_id,
    route_id: route.id,
    round,
    status: isOver ? 'COMPLETE' : 'PENDING',
    asked,
    requested_at: call.now,
    completed_at: isOver ? call.now : null,
  };
  if (before !== undefined) await deleteTasksOfSubject(db, route.id, ['quote.ask']);
  await insertJob(db, job);
  return job;
}

/** The task that requests the quote of a provider once the provider would answer: simulated couriers answer at once. */
function quoteTask(
  call: CallBase,
  {
    round,
    job,
    provider,
    simulation,
  }: { round: Round; job: JobRow; provider: Provider; simulation: Simulation },
): NewTask {
  const { name } = provider;
  const delay_ms = answerDelay(call, provider, simulation);
  const task = {
    id: call.id('tsk', name, String(job.round)),
    ...call.caller.scope,
    lane: laneOfProvider(call.service, name),
    subject: job.route_id,
    due_at: call.now + Math.min(delay_ms, max_round_ms),
  };
  return newTask('quote.ask', task, {
    job_id: job.id,
    provider: name,
    asked_by_name: name === simulation.provider || round.providers !== null,
    silent: delay_ms > max_round_ms,
    driver_id: round.driver_id,
    vehicle_type: round.vehicle_type,
  });
}

/** A provider's response delay, including outages and scenarios. */
function answerDelay({ caller, now }: CallBase, provider: Provider, { scenario }: Simulation): number {
  const outage = findOutage(caller.settings, provider.name, now);
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
  for (const { name } of selectSimulated(providers).filter(({ only_when_named }) => !only_when_named)) {
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

/** Publishes the quotes of a complete round; those of auto dispatch are published by its selection, which this schedules. */
export async function endQuoteRound(context: WriteContext, job: JobRow, route: RouteRow): Promise<void> {
  const { db, chance, now } = context;
  const { account_id, test_mode } = route;
  const [pending] = await findPendingOrders(db, routeOrderIds(route));
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
  if (job === undefined) return;
  for (const task of await tasksOfSubject(db, route_id, 'quote.ask')) {
    const { provider, job_id } = readTaskPayload('quote.ask', task);
    const decline = { job_id, provider, code: 'canceled', reason: `it did not answer before ${why}` };
    await insertDecline(db, { ...decline, created_at: now });
  }
  await deleteTasksOfSubject(db, route_id, ['quote.ask']);
  await completeJob(db, { id: job.id, now });
}
