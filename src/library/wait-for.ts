import type { Answer } from './calls.ts';
import { now, sleep } from './ports.ts';

/** How often a record is read, and for how long. */
export interface WaitOptions {
  /** 2,000 without it. */
  interval_ms?: number | undefined;
  /** 600,000 without it. */
  timeout_ms?: number | undefined;
  /** Ends the waiting: it rejects with the reason of the signal. */
  signal?: AbortSignal | undefined;
}

/** The record did not get there in time; `last` is the record as it was read last. */
export class WaitTimeout<T = unknown> extends Error {
  override name = 'WaitTimeout';
  readonly code = 'wait_timeout';
  readonly last: T;

  constructor(message: string, last: T) {
    super(message);
    this.last = last;
  }
}

/**
 * Reads a record again and again until `isReached` is true of it:
 * `waitFor(() => client.deliveries.get({ params: { deliveryid } }), ({ status }) => status === 'delivered')`.
 * Rejects with `WaitTimeout`, and with every error of the call.
 */
export async function waitFor<T>(
  read: () => Promise<Answer<T>>,
  isReached: (record: T) => boolean,
  { interval_ms = 2_000, timeout_ms = 600_000, signal }: WaitOptions = {},
): Promise<T> {
  const end = now() + timeout_ms;
  for (;;) {
    signal?.throwIfAborted();
    const { data } = await read();
    if (isReached(data)) return data;
    if (now() + interval_ms > end) throw new WaitTimeout(`Not reached within ${timeout_ms / 1_000} s.`, data);
    await sleep(interval_ms, signal);
  }
}
