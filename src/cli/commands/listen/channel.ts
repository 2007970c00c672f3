/** A FIFO queue between a producer and one consumer. */
export interface Channel<T> {
  put(value: T): void;
  /** Resolves when the queue is below its limit. */
  room(): Promise<void>;
  /** Ends the queue after its last value was taken. */
  end(): void;
  /** Ends the queue with an error after its last value was taken. */
  fail(error: unknown): void;
  values: AsyncIterable<T>;
}

/** Creates a queue for one reader with a limit for the producer. */
export function createChannel<T>(most: number): Channel<T> {
  const kept: T[] = [];
  let ending: { error: unknown } | 'end' | null = null;
  let arrived = () => {};
  let taken = () => {};
  const close = (how: { error: unknown } | 'end') => {
    ending ??= how;
    arrived();
    taken();
  };
  async function* values(): AsyncGenerator<T> {
    for (;;) {
      for (let value = kept.shift(); value !== undefined; value = kept.shift()) {
        taken();
        yield value;
      }
      if (ending === 'end') return;
      if (ending !== null) throw ending.error;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  }
  return {
    put: (value) => {
      kept.push(value);
      arrived();
    },
    room: async () => {
      while (kept.length >= most && ending === null)
        await new Promise<void>((resolve) => {
          taken = resolve;
        });
    },
    end: () => close('end'),
    fail: (error) => close({ error }),
    values: values(),
  };
}
