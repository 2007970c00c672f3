/** A queue for log lines whose reader may be slow or stall; adding a line never blocks. */
export interface LogQueue {
  add(line: string): void;
  /** Resolves when everything added is written, or the reader is gone. */
  written(): Promise<void>;
}

export interface LogQueueOptions {
  /** Writes text; resolves when the reader has taken it, rejects when the reader has gone. */
  write: (text: string) => Promise<void>;
  /** Resolves after the time between two writes, in which more lines come for the second. */
  pause: () => Promise<void>;
  /** The line that says how many lines were dropped. */
  dropped: (count: number) => string;
  /** The limit of queued characters; further lines are dropped. */
  max_waiting?: number;
}

/**
 * Writes lines in order, one write at a time. Lines that do not fit are counted, and the count is written when there is
 * room.
 */
export function createLogQueue({
  write,
  pause,
  dropped,
  max_waiting = 1024 * 1024,
}: LogQueueOptions): LogQueue {
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
      await pause();
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
      // Keeps the order: after a dropped line, nothing is queued before the count of dropped lines.
      if (dropped_count > 0 || waiting.length + line.length >= max_waiting) dropped_count += 1;
      else waiting += `${line}\n`;
      writing ??= start();
    },
    written: async () => {
      await writing;
    },
  };
}
