import type { Clock } from './time.ts';

/** The smallest step back that is logged; smaller ones are ordinary corrections. */
const noticed_ms = 1_000;

interface SteadyParts {
  clock: Clock;
  monotonic: Clock;
  /** Called once with the size of a step back. */
  onStepBack: (by_ms: number) => void;
}

/**
 * A monotonic version of a clock. If that clock is set back, it continues with the monotonic clock until the other
 * has caught up.
 */
export function createSteadyClock({ clock, monotonic, onStepBack }: SteadyParts): Clock {
  let shown = Number.NEGATIVE_INFINITY;
  let shown_at = 0;
  let isReported = false;
  return {
    now: () => {
      const read = clock.now();
      const at = monotonic.now();
      const counted = shown + (at - shown_at);
      if (read < shown && counted - read > noticed_ms && !isReported) {
        isReported = true;
        onStepBack(counted - read);
      }
      shown = read < shown ? counted : read;
      shown_at = at;
      return shown;
    },
  };
}
