import { Interrupted } from '../errors/failure.ts';

/** The wall clock, milliseconds since the epoch. */
export function now(): number {
  return Date.now();
}

/** A random number from 0 up to, but not including, 1. */
export function chance(): number {
  return Math.random();
}

/** Calls back once, unless the returned function is called before. */
export function timer(milliseconds: number, expired: () => void): () => void {
  const handle = setTimeout(expired, milliseconds);
  return () => clearTimeout(handle);
}

/** Calls back when the program first waits, unless the returned function is called before. */
export function atFirstWait(waiting: () => void): () => void {
  const handle = setImmediate(waiting);
  return () => clearImmediate(handle);
}

/** Resolves after the pending callbacks have run. */
export function afterPending(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Waits; rejects with Interrupted when the signal aborts. */
export function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = () => reject(new Interrupted());
  if (signal.aborted) stop();
  const cancel = timer(milliseconds, resolve);
  signal.addEventListener('abort', stop, { once: true });
  return promise.finally(() => {
    cancel();
    signal.removeEventListener('abort', stop);
  });
}
