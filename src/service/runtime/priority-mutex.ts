/** A mutex within this process. Background work that holds it is asked to end early while other work waits. */
export interface PriorityMutex {
  /** Runs the work once all work queued before it has ended. */
  run: <T>(work: () => Promise<T>, name?: string) => Promise<T>;
  /** The same for background work, which checks `isContended` between its steps. */
  runInBackground: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether work other than background work is waiting. */
  isContended: () => boolean;
  /** The name of the work that holds the mutex; null if it has no name or the mutex is free. */
  holder: () => string | null;
  /** Asks all work to end early, runs `work`, and waits until the queue is empty. */
  interrupt: (work: () => Promise<void>) => Promise<void>;
  /** Whether multi-step work must not start another step. */
  isInterrupted: () => boolean;
}

/** `onContended` is called when work other than background work starts to wait. */
export function createPriorityMutex(onContended: () => void = () => {}): PriorityMutex {
  let last: Promise<unknown> = Promise.resolve();
  let holder: string | null = null;
  let isInterrupted = false;
  let waiting = 0;
  const queue = <T>(work: () => Promise<T>, name: string | null): Promise<T> => {
    const running = last.then(async () => {
      holder = name;
      try {
        return await work();
      } finally {
        holder = null;
      }
    });
    last = running.catch(() => {});
    return running;
  };
  return {
    isInterrupted: () => isInterrupted,
    isContended: () => waiting > 0,
    interrupt: async (work) => {
      isInterrupted = true;
      try {
        await work();
        // More work may have been queued since.
        for (let seen: unknown; seen !== last; await seen) seen = last;
      } finally {
        isInterrupted = false;
      }
    },
    holder: () => holder,
    runInBackground: (work) => queue(work, null),
    run: (work, name) => {
      waiting++;
      onContended();
      return queue(() => {
        waiting--;
        return work();
      }, name ?? null);
    },
  };
}
