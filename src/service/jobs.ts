import type { Job, requestQuotes } from '../contract/quotes.ts';
import { happyPath, type Simulation, scriptOf } from '../domain/scenarios.ts';
import type { Provider } from '../providers/port.ts';
import type { Connection, JobRow, RouteRow } from '../storage/database.ts';
import { insertJob, latestJob } from '../storage/jobs.ts';
import { findOrders } from '../storage/orders.ts';
import { insertDecline } from '../storage/quotes.ts';
import { dropTasks, insertTasks, type NewTask } from '../storage/tasks.ts';
import type { Call, Caller, Handler } from './endpoint.ts';
import { tellQuotes } from './events.ts';
import { orderRecord } from './order-view.ts';
import { outageOf } from './outages.ts';
import type { Chance } from './ports/chance.ts';
import { quotesOf } from './quotes.ts';
import { routeOrderIds } from './route-view.ts';
import { notDraft, routeFor } from './routes.ts';

/** What the background work of asking one provider knows. */
export interface AskPayload {
  job_id: string;
  provider: string;
  asked_by_name: boolean;
}

type Request = Call<typeof requestQuotes>;

/** How long a round takes at least in the scenario of slow quotes. */
const slowRound_ms = 60_000;

/** Seed 4.1. Each provider answers in its own time; the last answer completes the round. */
export const askForQuotes: Handler<typeof requestQuotes> = async (call) => {
  const chance = await call.service.chance();
  const job = await call.commit((transaction) => startRound(transaction, call, chance));
  call.service.wake();
  return job;
};

async function startRound(db: Connection, call: Request, chance: Chance): Promise<Job> {
  const route = await routeFor(db, call.caller, call.params.route_id);
  if (route.status !== 'draft') throw notDraft(route);
  const simulation = await simulationOf(db, call.caller, route);
  const asked = call.caller.test_mode ? providersToAsk(call.service.providers, simulation.provider) : [];
  const before = await latestJob(db, route.id);
  const job = newJob(call, route, (before?.round ?? 0) + 1, asked.length);
  await dropTasks(db, route.id, ['quote.ask']);
  await insertJob(db, job);
  await insertTasks(
    db,
    asked.map((provider) => askTask(call, job, provider, simulation)),
  );
  if (!call.caller.test_mode) await declineLive(db, call, job);
  if (job.status === 'COMPLETE') {
    const quotes = await quotesOf(db, job.id);
    await tellQuotes({ db, chance, now: call.now }, { ...call.caller.scope, job_id: job.id, quotes });
  }
  return { job_id: job.id, object: 'job' };
}

/** What concerns a whole route is the choice of its first order. */
async function simulationOf(db: Connection, caller: Caller, route: RouteRow): Promise<Simulation> {
  const [first] = await findOrders(db, caller.scope, routeOrderIds(route).slice(0, 1));
  return first === undefined ? happyPath : orderRecord(first).simulation;
}

function providersToAsk(providers: readonly Provider[], named: string | null): Provider[] {
  return providers.filter((provider) => !provider.only_when_named || provider.name === named);
}

function newJob(call: Request, route: RouteRow, round: number, asked: number): JobRow {
  return {
    id: call.id('job'),
    account_id: route.account_id,
    route_id: route.id,
    round,
    status: asked === 0 ? 'COMPLETE' : 'PENDING',
    asked,
    requested_at: call.now,
    completed_at: asked === 0 ? call.now : null,
  };
}

function askTask(call: Request, job: JobRow, provider: Provider, simulation: Simulation): NewTask {
  const payload: AskPayload = {
    job_id: job.id,
    provider: provider.name,
    asked_by_name: provider.name === simulation.provider,
  };
  return {
    id: call.id('tsk', provider.name),
    kind: 'quote.ask',
    subject: job.route_id,
    due_at: call.now + answerDelay(call, provider, simulation),
    payload: JSON.stringify(payload),
  };
}

/** How long a provider takes to answer: in its own time, unless it is slow on purpose. */
function answerDelay({ caller, now }: Request, provider: Provider, { scenario }: Simulation): number {
  const outage = outageOf(caller.settings, provider.name, now);
  const slow_seconds = outage?.state === 'slow' ? (outage.slow_seconds ?? 0) : 0;
  const least_ms = scriptOf(scenario).quotes === 'slow' ? slowRound_ms : 0;
  return Math.max(provider.answer_delay_ms, least_ms) + slow_seconds * 1000;
}

/**
 * Simulated couriers carry nothing real, so a live round is complete at once, with the reason of each that is
 * asked without being named.
 */
async function declineLive(db: Connection, { service, now }: Request, job: JobRow): Promise<void> {
  for (const provider of providersToAsk(service.providers, null)) {
    await insertDecline(db, {
      job_id: job.id,
      provider: provider.name,
      code: 'simulated_only',
      reason: `${provider.name} is simulated and carries test deliveries only; no live courier is connected`,
      created_at: now,
    });
  }
}
