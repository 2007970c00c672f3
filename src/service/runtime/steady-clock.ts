import type { Clock } from './time.ts';

/** A step back that is worth a line in the log; smaller ones are ordinary corrections. */
const noticed_ms = 1_000;

interface SteadyParts {
  clock: Clock;
  monotonic: Clock;
  /** Called once with the size of a step back. */
  onStepBack: (by_ms: number) => void;
}

/**
 * A clock that follows another one forward. Where that one is set back, it goes on counting by the monotonic clock,
 * until the other one has caught up.
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
