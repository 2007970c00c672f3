import { realTimers, type Timers } from '../../../src/service/runtime/time.ts';

const limit_ms = 15_000;

/**
 * Timers that skip waiting for responses: once a receiver hangs on every running request, their time-outs expire. All
 * other times are real.
 */
export function hungTimers(): { timers: Timers; hang: () => void } {
  const out = new Set<() => void>();
  let hanging = 0;
  const look = () => {
    if (hanging === 0 || out.size > hanging) return;
    hanging = 0;
    const ended = [...out];
    out.clear();
    for (const wake of ended) wake();
  };
  return {
    hang: () => {
      hanging += 1;
      look();
    },
    timers: {
      ...realTimers,
      after: (ms, wake) => {
        if (ms !== limit_ms) return realTimers.after(ms, wake);
        const ended = () => wake();
        out.add(ended);
        return () => {
          if (out.delete(ended)) look();
        };
      },
    },
  };
}
