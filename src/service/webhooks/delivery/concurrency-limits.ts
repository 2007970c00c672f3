// The maximum number of concurrent attempts of an endpoint in each of its lanes. An endpoint that has not responded yet
// gets few, one that only fails gets one, so that dead endpoints leave room for the others.

const width = 20;
const width_unsure = 4;
const width_failing = 1;
/** The number of failures in a row after which an endpoint counts as failing. */
const failures_enough = 10;

/** The concurrency limits, based on how endpoints respond. */
export interface Widths {
  of: (endpoint_id: string) => number;
  /** Records the result of an attempt. */
  note: (endpoint_id: string, isArrived: boolean) => void;
}

/** Starts without any knowledge of endpoints. */
export function createWidths(): Widths {
  /** The failures of each endpoint since its last success; absent before the first result. */
  const failures = new Map<string, number>();
  const known = new Set<string>();
  return {
    of: (id) => {
      if ((failures.get(id) ?? 0) >= failures_enough) return width_failing;
      return known.has(id) ? width : width_unsure;
    },
    note: (id, isArrived) => {
      if (isArrived) {
        known.add(id);
        failures.delete(id);
      } else failures.set(id, (failures.get(id) ?? 0) + 1);
    },
  };
}
