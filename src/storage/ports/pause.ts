// The globals may be fake timers in the tests of a program that runs the service.
import { setImmediate, setTimeout } from 'node:timers';

/** Waits without blocking the process. */
export function pauseFor(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Milliseconds from an arbitrary start, by a clock that cannot be set. */
export function elapsed_ms(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** Waits for a random part of a time, so that those who wait for the same thing do not meet again. */
export function randomPause(max_ms: number): Promise<void> {
  return pauseFor(Math.random() * max_ms);
}

/** Resolves after the next turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Calls back after a time, for which it does not keep the process alive. */
export function later(ms: number, then: () => void): void {
  setTimeout(then, ms).unref();
}
