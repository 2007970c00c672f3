/** Clocks, timers, waits in real time, and times as texts. */
// Not the globals, which a test of a program that runs the service may have replaced.
import { clearTimeout, setImmediate, setTimeout } from 'node:timers';
import { max_timer_ms } from '../../domain/durations.ts';

/** Returns the time in milliseconds since the epoch. Service time and wall time are two such clocks. */
export interface Clock {
  now(): number;
}

/** Waits on real time. */
export interface Timers {
  /** Calls `wake` once after `delay_ms`; the returned function cancels it. */
  after(delay_ms: number, wake: () => void): () => void;
  /** Resolves after the next turn of the event loop: pending network events and expired timers have run. */
  turn(): Promise<void>;
}

export const wallClock: Clock = { now: () => Date.now() };

/** Measures real time from an arbitrary start; it cannot be set. `performance` would load another module of Node. */
export const monotonicClock: Clock = { now: () => Number(process.hrtime.bigint() / 1_000_000n) };

export const realTimers: Timers = {
  after(delay_ms, wake) {
    const timer = setTimeout(wake, Math.min(delay_ms, max_timer_ms));
    return () => clearTimeout(timer);
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};

/** Resolves after a delay in real time. */
export function pause(timers: Timers, delay_ms: number): Promise<void> {
  return new Promise((resolve) => timers.after(delay_ms, resolve));
}

/** The wait between two polls of a condition that another process fulfills. */
const poll_interval_ms = 20;
const max_polls = 50;

/** Polls a condition until it is true, for at most a second. */
export async function pollUntil(
  { timers }: { timers: Timers },
  condition: () => Promise<boolean>,
): Promise<void> {
  for (let polls = 0; !(await condition()) && polls < max_polls; polls++) {
    await pause(timers, poll_interval_ms);
  }
}

/** Resolves with the work's result, or with that of `late` if the work takes longer than `limit_ms` of real time. */
export async function atMost<T>(
  timers: Timers,
  limit_ms: number,
  work: Promise<T>,
  late: () => T,
): Promise<T> {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const cancel = timers.after(limit_ms, resolve);
  return Promise.race([work, over.then(late)]).finally(cancel);
}

/** The longest time that multi-step work blocks the event loop. */
const max_block_ms = 10;

/**
 * Creates a function to call between the steps of long work: it yields to the event loop if it last did so more than
 * 10 ms ago. On a database in this process a step never waits for I/O, so without it nothing else would run.
 */
export function createYielder({
  timers,
  monotonic,
}: {
  timers: Timers;
  monotonic: Clock;
}): () => Promise<void> {
  let last = monotonic.now();
  return async () => {
    if (monotonic.now() - last < max_block_ms) return;
    await timers.turn();
    last = monotonic.now();
  };
}

/** ISO 8601 in UTC with milliseconds, as in every record. */
export function instant(at: number): string {
  return new Date(at).toISOString();
}

export function instantOrNull(at: number | null): string | null {
  return at === null ? null : instant(at);
}

/** Milliseconds of a date and time in a request; undefined if it is absent. */
export function parseInstant(text: string | undefined): number | undefined {
  // A leap second becomes the end of the second before it.
  return text === undefined ? undefined : Date.parse(text.replace(/:60(\.\d+)?/, ':59.999'));
}

/**
 * The time of a task about people: the current time, also if the task was due while the service was down. In test mode it
 * is the time when the task is due, so that an advance of the clock is repeatable.
 */
export function timeOfPeople(
  { clock }: { clock: Clock },
  { row, now }: { row: { test_mode: 0 | 1 }; now: number },
): number {
  return row.test_mode === 1 ? now : Math.max(now, clock.now());
}
