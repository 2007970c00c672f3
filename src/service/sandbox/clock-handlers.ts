/** The handlers of the sandbox's clock: they read it, change how it passes, and advance it (`advance.ts`). */
import { type Fault, Problem } from '../../contract/errors.ts';
import type {
  advanceClock,
  ClockAdvance,
  ClockEvent,
  ClockRecord,
  getClock,
  setClock,
} from '../../contract/sandbox.ts';
import { idempotency_key_life_ms } from '../../domain/operator-settings.ts';
import { exclusive } from '../../domain/order-rules.ts';
import type { Connection, EventRow } from '../../storage/database.ts';
import { deliveryById } from '../../storage/deliveries.ts';
import { eventsAfter } from '../../storage/events.ts';
import { isSubscribedByNameOnly } from '../events/publish-event.ts';
import { invalidField } from '../http/answers.ts';
import type { Call, Handler } from '../http/handler.ts';
import { requireSandbox } from '../http/simulation-header.ts';
import {
  type AdvanceEnd,
  ClockChanged,
  type ClockState,
  type FinishedAdvance,
} from '../runtime/service-clock.ts';
import { instant, instantOrNull, parseInstant } from '../runtime/time.ts';
import {
  type AdvanceResult,
  arrivalTime,
  beginAdvance,
  finishAdvance,
  giveUpAdvance,
  runAdvance,
  settleAdvance,
} from './advance.ts';
import { requireClockOwner, retryOnClockChange } from './clock.ts';

const what = 'The sandbox clock';

/** A minute per second. */
const ordinary_rate = 60;

export const readClock: Handler<typeof getClock> = async (call) => {
  requireSandbox(call, what);
  const { clock } = call.service;
  const due_at = await clock.refresh();
  clock.requireReadable();
  return clockView(clock.state(), clock.now(), due_at);
};

function clockView({ mode, rate }: ClockState, now: number, due_at: number | null): ClockRecord {
  return { object: 'clock', mode, rate, now: instant(now), next_due_at: instantOrNull(due_at) };
}

/** Changes how time passes, from the current service time on. */
export const changeClock: Handler<typeof setClock> = async (call) => {
  requireSandbox(call, what);
  await requireClockOwner(call);
  const change = { mode: call.body.mode, rate: rateOf(call) };
  const { service } = call;
  const { clock } = service;
  const record = await service.mutex.run(() =>
    retryOnClockChange(call, async () => {
      clock.requireReadable();
      // The clock is changed outside of advances.
      await finishAdvance(service);
      const due_at = await clock.refresh();
      const from = clock.state();
      const service_at = clock.now();
      return call.commit(async (db) => {
        const written = await clock.write(db, from, { ...change, service_at });
        return clockView(written, service_at, due_at);
      });
    }),
  );
  service.wakeup.notify();
  return record;
};

function rateOf({ body: { mode, rate } }: Call<typeof setClock>): number {
  if (rate !== undefined && mode !== 'scaled') {
    const fault = 'applies to mode scaled only';
    throw invalidField('rate', fault, `rate ${fault}, not ${mode}.`);
  }
  if (mode === 'scaled') return rate ?? ordinary_rate;
  return mode === 'real' ? 1 : 0;
}

/** Moves the clock along, with everything that becomes due on the way. */
export const advanceClockHandler: Handler<typeof advanceClock> = async (call) => {
  requireSandbox(call, what);
  await requireClockOwner(call);
  const moved = await advanceOnce(call);
  call.service.wakeup.notify();
  return moved;
};

type AdvanceCall = Call<typeof advanceClock>;

const ways = ['by', 'to', 'until', 'next', 'drain'] as const;
/** Every time derived from service time must have a four-digit year. */
const latest_target = Date.UTC(9000, 0);
/** The clock cannot go back, so a time far ahead is rejected as a probable mistake. */
const max_years = 10;

/** Advances the clock once per request: a repeat after a crash continues the first advance, or returns its result. */
async function advanceOnce(call: AdvanceCall): Promise<ClockAdvance> {
  requireOneTarget(call.body);
  const { account_id, test_mode } = call.caller.scope;
  const request = `${account_id} ${test_mode} ${call.request_key}`;
  return call.service.mutex.run(async () => {
    for (;;) {
      const answer = await attempt(call, request).catch((fault: unknown) => {
        if (fault instanceof ClockChanged) return null;
        throw fault;
      });
      if (answer !== null) return answer;
    }
  }, request);
}

/** Throws `invalid_request` unless exactly one way to advance is given; false counts as absent. */
function requireOneTarget(body: AdvanceCall['body']): void {
  const requested = ways.filter((way) => body[way] !== undefined && body[way] !== false);
  const [first, ...others] = requested;
  if (first !== undefined && others.length === 0) return;
  const [message, faults]: [string, Fault[]] =
    first === undefined
      ? [
          `One of ${ways.join(', ')} is required.`,
          ways.map((path) => ({ path, message: 'is required, or one of the others' })),
        ]
      : [`Only one of ${requested.join(', ')} can be given.`, others.map((path) => exclusive(path, first))];
  throw new Problem('invalid_request', message, faults);
}

/** Null if another process changed the clock: then the request is evaluated again. */
async function attempt(call: AdvanceCall, request: string): Promise<ClockAdvance | null> {
  const { service } = call;
  const due_at = await service.clock.refresh();
  service.clock.requireReadable();
  const { advance, finished } = service.clock.state();
  if (finished !== null && finished.request === request && isRecent(call, finished)) {
    return call.commit((db) => answerOf(db, call, finished));
  }
  if (advance === null) await beginAdvance(service, request, await endOf(call, due_at));
  const isOurs = service.clock.state().advance?.request === request;
  const arrival = await runAdvance(service).catch(async (fault: unknown) => {
    await giveUpAdvance(service, fault);
    if (isOurs) throw fault;
    return null;
  });
  if (arrival === null) return null;
  if (arrival.advance.request === request) return arrive(call, arrival);
  await settleAdvance(service, arrival);
  return null;
}

function isRecent({ service }: AdvanceCall, { wall_now }: FinishedAdvance): boolean {
  return service.wall.now() - wall_now < idempotency_key_life_ms;
}

/** The end of the advance. Throws `invalid_request` and `record_not_found`. */
async function endOf(call: AdvanceCall, due_at: number | null): Promise<AdvanceEnd> {
  const { by, to, until, next } = call.body;
  const now = call.service.clock.now();
  if (by !== undefined) return { target: targetOf(now + by * 1000, 'by', now), until: null };
  if (to !== undefined) return { target: limitedTarget(parseInstant(to) ?? now, now), until: null };
  if (next === true) return { target: Math.max(now, (await nextOf(call, due_at)) ?? now), until: null };
  if (until !== undefined) await requireDelivery(call, until.delivery_id);
  return { target: null, until: until ?? null };
}

/** The next due time of a task or a webhook; null if absent. */
async function nextOf({ service }: AdvanceCall, due_at: number | null): Promise<number | null> {
  const send_at = await service.sender.nextDueAt();
  if (due_at === null || send_at === null) return due_at ?? send_at;
  return Math.min(due_at, send_at);
}

/** Throws `invalid_request`. */
function limitedTarget(target: number, now: number): number {
  const furthest = new Date(now);
  furthest.setUTCFullYear(furthest.getUTCFullYear() + max_years);
  if (target <= furthest.getTime()) return targetOf(target, 'to', now);
  const message = `The clock can be advanced by at most ${max_years} years at a time, to ${instant(furthest.getTime())}.`;
  throw invalidField('to', `must be within ${max_years} years`, message);
}

function targetOf(target: number, path: 'by' | 'to', now: number): number {
  if (target < now) {
    const message = `The clock cannot go back: it is already ${instant(now)}.`;
    throw invalidField(path, 'must not be in the past', message);
  }
  if (target < latest_target) return target;
  const message = `The clock cannot go beyond ${instant(latest_target)}.`;
  throw invalidField(path, 'is too far ahead', message);
}

async function requireDelivery({ service, caller }: AdvanceCall, id: string): Promise<void> {
  const { account_id, test_mode } = caller.scope;
  const row = await service.storage.first(deliveryById, id, account_id, test_mode);
  if (row === undefined) throw new Problem('record_not_found', `There is no delivery ${id}.`);
}

async function arrive(call: AdvanceCall, arrival: AdvanceResult): Promise<ClockAdvance> {
  const { clock } = call.service;
  const { state, advance, more, sent } = arrival;
  const now = arrivalTime(arrival);
  const answer = await call.commit(async (db) => {
    await clock.write(db, state, { service_at: now, advance: null });
    const positions: FinishedAdvance['positions'] = [advance.position, Number.POSITIVE_INFINITY];
    const moved = await answerOf(db, call, { positions, steps: advance.steps, more, now });
    return sent === 0 ? moved : { ...moved, webhooks_sent: sent };
  });
  await clock.refresh();
  return answer;
}

async function answerOf(
  db: Connection,
  { caller }: AdvanceCall,
  {
    positions: [before, last],
    steps,
    more,
    now,
  }: Pick<FinishedAdvance, 'positions' | 'steps' | 'more' | 'now'>,
): Promise<ClockAdvance> {
  const events = await eventsAfter(db, caller.scope, before);
  const caused = events.filter(({ position, type }) => position <= last && !isSubscribedByNameOnly(type));
  return { object: 'clock_advance', now: instant(now), steps, events: caused.map(eventView), more };
}

function eventView(row: EventRow): ClockEvent {
  const data: { status?: unknown } = JSON.parse(row.data);
  return {
    id: row.id,
    type: row.type,
    created_at: instant(row.created_at),
    delivery_id: row.delivery_id,
    sequence: row.sequence,
    status: typeof data.status === 'string' ? data.status : null,
  };
}
