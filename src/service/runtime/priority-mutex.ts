/** Lets work of one process take turns that must not go on side by side. */
export interface Turns {
  /** Does the work once all that came before has ended. */
  take: <T>(work: () => Promise<T>, name?: string) => Promise<T>;
  /** The same for work that goes on as long as there is some: it is to end early where other work waits. */
  background: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether other than background work waits for its turn. */
  isAwaited: () => boolean;
  /** The name of the work whose turn it is; null where it has none. */
  current: () => string | null;
  /** Does something while all that takes turns is asked to end soon, and waits until it has. */
  interrupt: (work: () => Promise<void>) => Promise<void>;
  /** Whether work of many steps is to take no further one. */
  isInterrupted: () => boolean;
}

/** `awaited` hears when other than background work comes to wait. */
export function createTurns(awaited: () => void = () => {}): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let current: string | null = null;
  let interrupted = false;
  let waiting = 0;
  const queue = <T>(work: () => Promise<T>, name: string | null): Promise<T> => {
    const turn = last.then(async () => {
      current = name;
      try {
        return await work();
      } finally {
        current = null;
      }
    });
    last = turn.catch(() => {});
    return turn;
  };
  return {
    isInterrupted: () => interrupted,
    isAwaited: () => waiting > 0,
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
    background: (work) => queue(work, null),
    take: (work, name) => {
      waiting++;
      awaited();
      return queue(() => {
        waiting--;
        return work();
      }, name ?? null);
    },
  };
}
