/** Lines for a reader who may be slow or stall: whoever adds one never waits. */
export interface LogQueue {
  add(line: string): void;
  /** Resolves when all that was added is written, or its reader has gone. */
  written(): Promise<void>;
}

export interface LogQueueOptions {
  /** Writes text; resolves when the reader has taken it, rejects when the reader has gone. */
  write: (text: string) => Promise<void>;
  /** The line that says how many lines were dropped. */
  dropped: (count: number) => string;
  /** Characters that wait for the reader; what comes on top is dropped. */
  max_waiting?: number;
}

/** Writes lines in their order, one write at a time. Lines that do not fit are counted, and the count is written once there is room. */
export function createLogQueue({ write, dropped, max_waiting = 1024 * 1024 }: LogQueueOptions): LogQueue {
  let waiting = '';
  let dropped_count = 0;
  let isGone = false;
  let writing: Promise<void> | null = null;

  const writeAll = async () => {
    while (waiting !== '' || dropped_count > 0) {
      const text = waiting + (dropped_count === 0 ? '' : `${dropped(dropped_count)}\n`);
      waiting = '';
      dropped_count = 0;
      await write(text);
    }
  };
  const start = async () => {
    try {
      await writeAll();
    } catch {
      isGone = true;
    }
    writing = null;
  };
  return {
    add: (line) => {
      if (isGone) return;
      // The order stays: nothing comes behind a line that was dropped before the count of such lines.
      if (dropped_count > 0 || waiting.length + line.length >= max_waiting) dropped_count += 1;
      else waiting += `${line}\n`;
      writing ??= start();
    },
    written: async () => {
      await writing;
    },
  };
}
