/** Time and randomness of the machine, for programs that import the package. */

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
  const handle = setTimeout(expired, delay_ms);
  return () => clearTimeout(handle);
}

/** Waits; rejects with the reason of the signal when it aborts. */
export async function sleep(delay_ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const cancel = timer(delay_ms, resolve);
  await promise.finally(() => {
    cancel();
    signal?.removeEventListener('abort', abort);
  });
}
