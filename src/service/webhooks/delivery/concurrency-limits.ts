// The maximum number of concurrent attempts of an endpoint in each of its lanes. An endpoint that has not responded yet
// gets few, one that only fails gets one, so that dead endpoints leave room for the others.

const max_attempts = 20;
const max_attempts_new = 4;
const max_attempts_failing = 1;
/** The number of failures in a row after which an endpoint counts as failing. */
const min_failures = 10;

/** The concurrency limits, based on how endpoints respond. */
export interface ConcurrencyLimits {
  of: (endpoint_id: string) => number;
  /** Records the result of an attempt. */
  recordResult: (endpoint_id: string, isDelivered: boolean) => void;
}

/** Starts without any knowledge of endpoints. */
export function createConcurrencyLimits(): ConcurrencyLimits {
  /** The failures of each endpoint since its last success; absent before the first result. */
  const failures = new Map<string, number>();
  const known = new Set<string>();
  return {
    of: (id) => {
      if ((failures.get(id) ?? 0) >= min_failures) return max_attempts_failing;
      return known.has(id) ? max_attempts : max_attempts_new;
    },
    recordResult: (id, isArrived) => {
      if (isArrived) {
        known.add(id);
        failures.delete(id);
      } else failures.set(id, (failures.get(id) ?? 0) + 1);
    },
  };
}
