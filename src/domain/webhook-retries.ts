/** Waits after the failed attempts at an event, in seconds (interface, events and webhooks): 75 hours and a half in all. */
const waits_seconds = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400] as const;

/** By so much of itself a wait is longer at most: never shorter, so that what heals in 75 hours is always seen. */
const jitter = 0.1;

/** So long an event is tried at most. */
export const longestRetrying_ms = waits_seconds.reduce((sum, wait) => sum + wait, 0) * 1000 * (1 + jitter);

/** No endpoint can put an attempt off for longer. */
const longestPutOff_ms = 86_400_000;

/**
 * How long to wait after the attempt with this number (from 1) has failed; null when it was the last. `chance` is
 * from 0 to 1; an endpoint that asked to be left alone for `retry_after_ms` is.
 */
export function waitAfterAttempt(
  number: number,
  { chance, retry_after_ms = 0 }: { chance: number; retry_after_ms?: number | undefined },
): number | null {
  const wait = waits_seconds[number - 1];
  if (wait === undefined) return null;
  const planned_ms = Math.round(wait * 1000 * (1 + jitter * chance));
  return Math.max(planned_ms, Math.min(retry_after_ms, longestPutOff_ms));
}
