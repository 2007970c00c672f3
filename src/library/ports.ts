/** The time, randomness and network of the machine that the library uses. */
import { max_timer_ms } from '../domain/durations.ts';
import type { Fetch } from './calls.ts';

/** The timers at the import of the package, so that fake timers that a test installs later do not stop the client. */
const { setTimeout: startTimer, clearTimeout: stopTimer } = globalThis;

/** Calls the global `fetch`, also one that a test has put in its place later. */
export const webFetch: Fetch = (url, init) => fetch(url, init);

/** Milliseconds since 1970. */
export function now(): number {
  return Date.now();
}

/** From 0 up to, not including, 1. */
export function chance(): number {
  return Math.random();
}

/** A fresh key, so that a request that is sent again changes nothing twice. */
export function newIdempotencyKey(): string {
  return crypto.randomUUID();
}

/** Calls back once, unless the returned function is called before. */
export function timer(delay_ms: number, expired: () => void): () => void {
  const handle = startTimer(expired, Math.min(delay_ms, max_timer_ms));
  return () => stopTimer(handle);
}

/** Waits; rejects with the reason of the signal when it aborts. */
export async function sleep(delay_ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = () => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = timer(delay_ms, () => {
      signal?.removeEventListener('abort', abort);
      resolve();
    });
    signal?.addEventListener('abort', abort, { once: true });
  });
}
