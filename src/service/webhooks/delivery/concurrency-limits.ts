// How many attempts at an endpoint are out at once in each of its lanes. One that has yet to show that it answers gets
// few, one that only fails gets one, so that however many are dead there is room for the others.

const width = 20;
const width_unsure = 4;
const width_failing = 1;
/** So many failures in a row make an endpoint one that only fails. */
const failures_enough = 10;

/** What is known of how endpoints answer. */
export interface Widths {
  of: (endpoint_id: string) => number;
  /** Notes how an attempt ended. */
  note: (endpoint_id: string, isArrived: boolean) => void;
}

/** Knows nothing of any endpoint yet. */
export function createWidths(): Widths {
  /** How often each has failed since it answered last; none: it has never done either. */
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
