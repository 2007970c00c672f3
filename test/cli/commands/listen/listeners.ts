import { expect, onTestFinished } from 'vitest';
import { jsonOf, type Outcome, type RunOptions } from '../../harness.ts';

type Run = (argv: readonly string[], options: RunOptions) => Promise<Outcome>;

/** A line that goes on until it is ended. */
export interface Running {
  /** All that it wrote to stdout by now. */
  shown(): string;
  /** The objects that it wrote, of a type. */
  lines(type?: string): Record<string, unknown>[];
  /** Waits for so many of a type. */
  told(type: string, count?: number): Promise<Record<string, unknown>[]>;
  press(key: string): void;
  /** As Ctrl+C does. */
  stop(): Promise<Outcome>;
  ended: Promise<Outcome>;
}

/** Runs a line that goes on, and waits until it shows something. */
export async function running(run: Run, argv: readonly string[], options: RunOptions = {}): Promise<Running> {
  const controller = new AbortController();
  let text = '';
  let pressed = (_: string) => {};
  const ended = run(argv, {
    signal: controller.signal,
    written: (chunk) => {
      text += chunk;
    },
    keys: async (hear) => {
      pressed = hear;
      return () => {
        pressed = () => {};
      };
    },
    ...options,
  });
  onTestFinished(() => controller.abort());
  const lines = (type?: string) =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map(jsonOf)
      .filter((line) => type === undefined || line.type === type);
  await Promise.race([ended, expect.poll(() => text, { timeout: 10_000 }).not.toBe('')]);
  return {
    shown: () => text,
    lines,
    told: async (type, count = 1) => {
      await expect.poll(() => lines(type).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(count);
      return lines(type);
    },
    press: (key) => pressed(key),
    stop: () => {
      controller.abort();
      return ended;
    },
    ended,
  };
}
