import type { Timers } from './time.ts';

/** A limit to how long something may take. */
export interface Deadline {
  /** Rejects with the fault once the time is over. */
  reached: Promise<never>;
  /** Starts the time again from its beginning. */
  extend: () => void;
  /** Takes the limit away. */
  cancel: () => void;
  /** Whether the time is over. */
  isReached: () => boolean;
}

/** A deadline `limit_ms` of real time from now. */
export function createDeadline(timers: Timers, limit_ms: number, fault: () => Error): Deadline {
  const { promise: reached, reject } = Promise.withResolvers<never>();
  // Whoever no longer waits for it does not need it.
  reached.catch(() => {});
  let isReached = false;
  const start = () =>
    timers.after(limit_ms, () => {
      isReached = true;
      reject(fault());
    });
  let cancel = start();
  return {
    reached,
    isReached: () => isReached,
    cancel: () => cancel(),
    extend: () => {
      if (isReached) return;
      cancel();
      cancel = start();
    },
  };
}
