/** The schedule of auto-dispatch attempts, in seconds except for the start time. */
export interface RetryPlan {
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
