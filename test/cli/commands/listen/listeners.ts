import { expect, onTestFinished } from 'vitest';
import { type Outcome, objectsIn, type RunOptions } from '../../harness.ts';

type Run = (argv: readonly string[], options: RunOptions) => Promise<Outcome>;

/** An endless command, until it is stopped. */
export interface Running {
  /** Its stdout so far. */
  shown(): string;
  /** The objects of a type in its output. */
  lines(type?: string): Record<string, unknown>[];
  /** Waits for a number of objects of a type. */
  printed(type: string, count?: number): Promise<Record<string, unknown>[]>;
  /** Like Ctrl+C. */
  stop(): Promise<Outcome>;
  ended: Promise<Outcome>;
}

/** Runs an endless command, and waits for its first output. */
export async function running(run: Run, argv: readonly string[], options: RunOptions = {}): Promise<Running> {
  const controller = new AbortController();
  let text = '';
  const ended = run(argv, {
    signal: controller.signal,
    written: (chunk) => {
      text += chunk;
    },
    ...options,
  });
  onTestFinished(() => controller.abort());
  const lines = (type?: string) => objectsIn(text).filter((line) => type === undefined || line.type === type);
  await Promise.race([ended, expect.poll(() => text).not.toBe('')]);
  return {
    shown: () => text,
    lines,
    printed: async (type, count = 1) => {
      await expect.poll(() => lines(type).length).toBeGreaterThanOrEqual(count);
      return lines(type);
    },
    stop: () => {
      controller.abort();
      return ended;
    },
    ended,
  };
}
