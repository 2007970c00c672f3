/** Lets work of one process take turns that must not go on side by side. */
export interface Turns {
  /** Does the work once all that came before has ended. */
  take: <T>(work: () => Promise<T>, name?: string) => Promise<T>;
  /** The name of the work whose turn it is; null where it has none. */
  current: () => string | null;
  /** Does something while all that takes turns is asked to end soon, and waits until it has. */
  interrupt: (work: () => Promise<void>) => Promise<void>;
  /** Whether work of many steps is to take no further one. */
  isInterrupted: () => boolean;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let current: string | null = null;
  let interrupted = false;
  return {
    isInterrupted: () => interrupted,
    interrupt: async (work) => {
      interrupted = true;
      try {
        await work();
        // Others may have come meanwhile.
        for (let seen: unknown; seen !== last; await seen) seen = last;
      } finally {
        interrupted = false;
      }
    },
    current: () => current,
    take: (work, name) => {
      const turn = last.then(async () => {
        current = name ?? null;
        try {
          return await work();
        } finally {
          current = null;
        }
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}
