import type { Line } from './lines.ts';

/** The lines to be written: many functions add to the queue, one writer takes from it. */
export interface LineQueue {
  put(line: Line): void;
  /** Resolves when the queue is below its limit. */
  room(): Promise<void>;
  /** Ends the queue after its last line was taken. */
  end(): void;
  /** Ends the queue with an error after its last line was taken. */
  fail(error: unknown): void;
  lines: AsyncIterable<Line>;
}

/** Creates a queue in which `room` waits while there are as many lines as `max_lines`. */
export function createLineQueue(max_lines: number): LineQueue {
  const waiting: Line[] = [];
  let ending: { error: unknown } | 'end' | null = null;
  let arrived = () => {};
  let taken = () => {};
  const close = (how: { error: unknown } | 'end') => {
    ending ??= how;
    arrived();
    taken();
  };
  async function* takeLines(): AsyncGenerator<Line> {
    for (;;) {
      for (let line = waiting.shift(); line !== undefined; line = waiting.shift()) {
        taken();
        yield line;
      }
      if (ending === 'end') return;
      if (ending !== null) throw ending.error;
      await new Promise<void>((resolve) => {
        arrived = resolve;
      });
    }
  }
  return {
    put: (line) => {
      waiting.push(line);
      arrived();
    },
    room: async () => {
      while (waiting.length >= max_lines && ending === null)
        await new Promise<void>((resolve) => {
          taken = resolve;
        });
    },
    end: () => close('end'),
    fail: (error) => close({ error }),
    lines: takeLines(),
  };
}
