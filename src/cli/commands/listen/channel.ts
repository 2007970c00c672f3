/** Values put in at one end and taken out at the other, in their order. */
export interface Channel<T> {
  put(value: T): void;
  /** Resolves once not too many are in it. */
  room(): Promise<void>;
  /** Ends it once all was taken out. */
  end(): void;
  /** Ends it with an error, once all was taken out. */
  fail(error: unknown): void;
  values: AsyncIterable<T>;
}

/** A channel for one reader, in which so many are few enough. */
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
