/** When something is tried again: the dispatch of an order, a task, and the sending of an event to a webhook endpoint. */
import { day_ms, minute_ms } from './durations.ts';

/** The schedule of auto-dispatch attempts, in seconds except for the start time. */
interface RetryPlan {
  /** Milliseconds since the epoch. */
  started_at: number;
  retry_window: number;
  retry_interval: number;
}

/**
 * When the next attempt starts after one that started at `last`; null if the retry window has passed. Attempts start
 * at 0, i, 2i, ... within the window; an attempt that outlasts the interval skips the missed ones. Times in
 * milliseconds since the epoch.
 */
export function nextAttemptAt(plan: RetryPlan, { last, now }: { last: number; now: number }): number | null {
  const interval_ms = plan.retry_interval * 1000;
  const following = Math.floor((last - plan.started_at) / interval_ms) + 1;
  const ahead = Math.ceil((now - plan.started_at) / interval_ms);
  const offset_ms = Math.max(following, ahead) * interval_ms;
  return offset_ms <= plan.retry_window * 1000 ? plan.started_at + offset_ms : null;
}

/** The waits after failed attempts of a task, in milliseconds of service time; after the last one it is given up. */
export const task_waits_ms = {
  usual: [1_000, 4_000, 16_000],
  /**
   * Cancels what a courier accepted too late, for two hours: the dispatch that had no answer has failed so often that its
   * courier is not called for half a minute, and a courier that is down is down for longer. Until it hears of the
   * cancellation it may send a driver.
   */
  orphanCancel: [0.5, 1, 3, 10, 15, 30, 60].map((minutes) => minutes * minute_ms),
  /** While the mail server cannot be used. */
  mail: [0.5, 2, 10, 30, 60].map((minutes) => minutes * minute_ms),
  /** While a push service does not take a message: the offer in it is of no use later. */
  push: [10_000, 30_000],
} as const;

/** The waits after failed attempts for an event, in seconds: 75.5 hours in total. */
const waits_seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/**
 * The maximum fraction by which a wait is extended. Waits are never shortened, so an endpoint that recovers within 75
 * hours receives its events.
 */
const jitter = 0.1;

/** The maximum time from the first to the last attempt of an event. */
export const max_retry_period_ms = waits_seconds.reduce((sum, wait) => sum + wait, 0) * 1000 * (1 + jitter);

const max_requested_wait_ms = day_ms;

/**
 * How long to wait after attempt `number` (from 1) has failed; null after the last one. `chance` is between 0 and 1;
 * `retry_after_ms` is the wait requested by the endpoint.
 */
export function waitAfterAttempt(
  number: number,
  { chance, retry_after_ms = 0 }: { chance: number; retry_after_ms?: number | undefined },
): number | null {
  const wait = waits_seconds[number - 1];
  if (wait === undefined) return null;
  const planned_ms = Math.round(wait * 1000 * (1 + jitter * chance));
  return Math.max(planned_ms, requestedWait(retry_after_ms));
}

/** The wait that an endpoint has requested, as far as it is obeyed. */
export function requestedWait(retry_after_ms = 0): number {
  return Math.min(retry_after_ms, max_requested_wait_ms);
}
