import type { Clock } from './time.ts';

/**
 * Stops calling a server that fails. Closed, it admits every call; the fifth fault in a row opens it for 30 seconds, in
 * which no call is admitted. Then it is half open: one call is admitted, whose success closes it and whose fault opens
 * it again.
 */
export interface CircuitBreaker {
  /** Admits a call with 0, which must be followed by its result; otherwise the milliseconds until the next one. */
  enter: () => number;
  recordSuccess: () => void;
  recordFault: () => void;
}

const max_faults = 5;
const open_ms = 30_000;

export function createCircuitBreaker(monotonic: Clock): CircuitBreaker {
  let faults = 0;
  /** Until when no call is admitted. */
  let open_until = 0;
  return {
    enter: () => {
      if (faults < max_faults) return 0;
      const now = monotonic.now();
      if (now < open_until) return open_until - now;
      // The next call is admitted once this one has taken too long.
      open_until = now + open_ms;
      return 0;
    },
    recordSuccess: () => {
      faults = 0;
    },
    recordFault: () => {
      faults += 1;
      if (faults >= max_faults) open_until = monotonic.now() + open_ms;
    },
  };
}
