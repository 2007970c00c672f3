import type { Timers } from './time.ts';

/** A time limit. */
export interface Deadline {
  /** Rejects with the error once the time is over. */
  reached: Promise<never>;
  /** Restarts the time. */
  extend: () => void;
  /** Removes the limit. */
  cancel: () => void;
  /** Whether the time is over. */
  isReached: () => boolean;
}

/** A deadline `limit_ms` of real time from now. */
export function createDeadline(timers: Timers, limit_ms: number, fault: () => Error): Deadline {
  const { promise: reached, reject } = Promise.withResolvers<never>();
  // The rejection is handled by whoever awaits it, if anyone.
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
