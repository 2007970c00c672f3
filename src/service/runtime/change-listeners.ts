/** Tells all who listen that something may have happened. */
export interface Signal {
  ring: () => void;
  /** Calls back at each ring until what it returns is called. */
  listen: (hear: () => void) => () => void;
}

export function createSignal(): Signal {
  const listeners = new Set<() => void>();
  return {
    ring: () => {
      for (const hear of listeners) hear();
    },
    listen: (hear) => {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
  };
}
