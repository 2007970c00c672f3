import { type Provider, ProviderFault } from '../../providers/port.ts';
import type { ServiceContext } from './context.ts';
import { atMost, type Timers } from './time.ts';

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

/** The usual time limit of one call to a provider; shorter than the time after which a task counts as hung. */
const usual_limit_ms = 5_000;

/**
 * Resolves with a provider's response, or rejects with `ProviderFault` after the timeout. The effect of a call that
 * timed out is unknown, as with any lost response.
 */
export async function withTimeout<T>(
  { timers }: ServiceContext,
  call: Promise<T>,
  { time_limit_ms = usual_limit_ms }: Pick<Provider, 'time_limit_ms'>,
): Promise<T> {
  return atMost(timers, time_limit_ms, call, () => {
    throw new ProviderFault('the provider did not respond in time');
  });
}
