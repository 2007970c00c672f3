/** Lets work of one process take turns that must not go on side by side. */
export interface Turns {
  /** Does the work once all that came before has ended. */
  take: <T>(work: () => Promise<T>, name?: string) => Promise<T>;
  /** The name of the work whose turn it is; null where it has none. */
  current: () => string | null;
}

export function createTurns(): Turns {
  let last: Promise<unknown> = Promise.resolve();
  let current: string | null = null;
  return {
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
