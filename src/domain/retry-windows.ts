/** How long and how often auto dispatch tries (interface, orders); seconds, but for the instant it began at. */
export interface RetryPlan {
  /** Milliseconds since the epoch. */
  started_at: number;
  retry_window: number;
  retry_interval: number;
}

/**
 * When the next try begins, after the one that began at `last`; null where the window has no room for it. Tries begin
 * at 0, i, 2i, ... while that is at most the window; one that takes longer than the interval leaves out what it
 * missed. Instants in milliseconds since the epoch.
 */
export function nextTry(plan: RetryPlan, { last, now }: { last: number; now: number }): number | null {
  const interval_ms = plan.retry_interval * 1000;
  const following = Math.floor((last - plan.started_at) / interval_ms) + 1;
  const ahead = Math.ceil((now - plan.started_at) / interval_ms);
  const offset_ms = Math.max(following, ahead) * interval_ms;
  return offset_ms <= plan.retry_window * 1000 ? plan.started_at + offset_ms : null;
}
