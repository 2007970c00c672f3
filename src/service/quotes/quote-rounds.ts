import { Problem } from '../../contract/errors.ts';
import type { requestQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { happyPath, type Simulation, scriptOf } from '../../domain/scenarios.ts';
import type { Provider } from '../../providers/port.ts';
import { pendingOf } from '../../storage/batches.ts';
import type { JobRow, RouteRow } from '../../storage/database.ts';
import { findDriver } from '../../storage/drivers.ts';
import { findOrders } from '../../storage/orders.ts';
import { completeJob, insertDecline, insertJob, latestJob } from '../../storage/routes.ts';
import { deleteTasksOfSubject, insertTasks, type NewTask, tasksOfSubject } from '../../storage/tasks.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order-view.ts';
import { lockRouteFor, notDraft, routeOrderIds } from '../routes/route-handlers.ts';
import type { ServiceContext, WriteContext } from '../runtime/context.ts';
import { availableProviders, simulatedOf } from '../runtime/courier-connections.ts';
import { newId } from '../runtime/ids.ts';
import { quotesOf } from './quote-handlers.ts';
import { outageOf } from './quote-request.ts';

/** Starts a round of quotes for a draft route. */
export const requestRouteQuotes: Handler<typeof requestQuotes> = async (call) => {
  const chance = await call.service.chance();
  const job_id = await call.commit(async (db) => {
    const route = await lockRouteFor(db, call.caller, call.params.route_id);
    if (route.status !== 'draft') throw notDraft(route);
    await requireNotPending(db, routeOrderIds(route));
    const context = { db, chance, now: call.now };
    const { driver_id } = call.body;
    if (driver_id !== undefined && (await findDriver(db, call.caller.scope, driver_id)) === undefined) {
      throw new Problem('record_not_found', `There is no driver ${driver_id}.`);
    }
    const providers = driver_id === undefined ? null : [fleet_provider];
    const job = await startQuoteRound(context, call, { route, providers, without: [], driver_id });
    return { job_id: job.id, object: 'job' as const };
  }, 'read committed');
  call.service.wakeup.notify();
  return job_id;
};

/** The payload of a task that requests one provider's quote. */
export interface QuoteRequestPayload {
  job_id: string;
  provider: string;
  asked_by_name: boolean;
  /** Whether the response takes longer than a round. */
  silent: boolean;
  /** The driver of the own fleet who is to take the route. */
  driver_id?: string | undefined;
}

/** The payload of a task that selects a quote. */
export interface SelectQuotePayload {
  job_id: string;
}

/** A round of quote requests. */
interface Round {
  route: RouteRow;
  /** The only providers to ask; null: all that quote without being named. */
  providers: readonly string[] | null;
  /** Providers that are never asked. */
  without: readonly string[];
  driver_id?: string | undefined;
}

/** A provider that takes longer is skipped, so that it does not delay the others. */
const max_round_ms = 90_000;
/** The minimum duration of a round in the scenario of slow quotes. */
const slow_round_ms = 60_000;

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
      askTask(call, {
        job,
        provider,
        simulation,
        isNamed: isNamed(provider),
        driver_id: round.driver_id,
      }),
    ),
  );
  if (!call.caller.test_mode && providers.length === 0) await declineLive(context, job, call.service);
  if (job.status === 'COMPLETE') await endQuoteRound(context, job, route);
  return job;
}

/** Publishes the quotes of a complete round, and schedules the selection of auto dispatch. */
export async function endQuoteRound(context: WriteContext, job: JobRow, route: RouteRow): Promise<void> {
  const { db, chance, now } = context;
  const { account_id, test_mode } = route;
  // The route is added, because an empty list of quotes does not name it.
  const data = { ...(await quotesOf(db, job.id)), route_id: route.id };
  const type = 'route_quotes.completed';
  await publishEvent(context, { account_id, test_mode, type, id_parts: [job.id], data });
  const [pending] = await pendingOf(db, routeOrderIds(route));
  if (pending === undefined) return;
  const payload: SelectQuotePayload = { job_id: job.id };
  const id = newId(chance, 'tsk', now, 'choose', job.id);
  await insertTasks(db, [
    {
      id,
      test_mode,
      kind: 'order.choose',
      subject: pending.order_id,
      due_at: now,
      payload: JSON.stringify(payload),
    },
  ]);
}

/** Ends a round early and records each provider without a response as declined. */
export async function cancelQuoteRound(
  { db, now }: WriteContext,
  route_id: string,
  why: string,
): Promise<void> {
  const job = await latestJob(db, route_id);
  if (job === undefined || job.status !== 'PENDING') return;
  for (const { payload } of await tasksOfSubject(db, route_id, 'quote.ask')) {
    const { provider, job_id }: QuoteRequestPayload = JSON.parse(payload);
    const decline = { job_id, provider, code: 'canceled', reason: `it did not answer before ${why}` };
    await insertDecline(db, { ...decline, created_at: now });
  }
  await deleteTasksOfSubject(db, route_id, ['quote.ask']);
  await completeJob(db, { id: job.id, now });
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

interface Asked {
  job: JobRow;
  provider: Provider;
  simulation: Simulation;
  isNamed: boolean;
  driver_id: string | undefined;
}

function askTask(call: CallBase, { job, provider, simulation, isNamed, driver_id }: Asked): NewTask {
  const delay_ms = answerDelay(call, provider, simulation);
  const silent = delay_ms > max_round_ms;
  const payload: QuoteRequestPayload = {
    job_id: job.id,
    provider: provider.name,
    asked_by_name: isNamed,
    silent,
    driver_id,
  };
  return {
    id: call.id('tsk', provider.name, String(job.round)),
    test_mode: call.caller.scope.test_mode,
    kind: 'quote.ask',
    subject: job.route_id,
    due_at: call.now + Math.min(delay_ms, max_round_ms),
    payload: JSON.stringify(payload),
  };
}

/** A provider's response delay, including outages and scenarios. */
function answerDelay({ caller, now }: CallBase, provider: Provider, { scenario }: Simulation): number {
  const outage = outageOf(caller.settings, provider.name, now);
  const slow_seconds = outage?.state === 'slow' ? (outage.slow_seconds ?? 0) : 0;
  const min_delay_ms = scriptOf(scenario).quotes === 'slow' ? slow_round_ms : 0;
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
