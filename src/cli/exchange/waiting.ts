import type { Context } from '../context.ts';

/** How long somebody waits. */
export interface Patience {
  /** All in all; without it, as many looks as the interface recommends. */
  timeout_ms: number | undefined;
  /** Whether a wait goes before the first look: nothing can be there yet. */
  waitFirst: boolean;
}

const firstWait_ms = 2000;
const longestWait_ms = 15_000;
const mostLooks = 10;

/**
 * Looks again and again, and gives what each look brought; the caller stops once it is settled. The waits are
 * those that the interface recommends: 2 s, then double, at most 10 looks; none is longer than 15 s. With a
 * time-out, looks go on until it has passed, the last one at its very end.
 */
export async function* repeatedly<T>(
  look: () => Promise<T>,
  clock: Pick<Context, 'now' | 'sleep'>,
  { timeout_ms, waitFirst }: Patience,
): AsyncGenerator<T> {
  const end = timeout_ms === undefined ? Number.POSITIVE_INFINITY : clock.now() + timeout_ms;
  const most = timeout_ms === undefined ? mostLooks : Number.POSITIVE_INFINITY;
  let wait = firstWait_ms;
  for (let looks = 0; looks < most; looks += 1) {
    if (waitFirst || looks > 0) {
      const left = end - clock.now();
      if (left <= 0) return;
      await clock.sleep(Math.min(wait, left));
      wait = Math.min(wait * 2, longestWait_ms);
    }
    yield await look();
  }
}
