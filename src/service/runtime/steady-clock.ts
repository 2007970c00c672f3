import type { Clock } from './time.ts';

/** How fast a clock that is ahead of its base passes. Waits take twice as long, and it is right after twice the step. */
const slowed_rate = 0.5;

export interface SteadyClock extends Clock {
  /** How far it is ahead of its base clock, since that was set back. */
  ahead_ms: () => number;
}

/** A clock that never goes back. If its base clock is set back, it slows down until that has caught up. */
export function createSteadyClock({ clock, monotonic }: { clock: Clock; monotonic: Clock }): SteadyClock {
  let shown = Number.NEGATIVE_INFINITY;
  let shown_at = 0;
  const read = () => {
    const base = clock.now();
    const at = monotonic.now();
    shown = Math.max(base, shown + (base < shown ? (at - shown_at) * slowed_rate : 0));
    shown_at = at;
    return base;
  };
  return {
    now: () => {
      read();
      return Math.floor(shown);
    },
    ahead_ms: () => {
      const base = read();
      return shown - base;
    },
  };
}
