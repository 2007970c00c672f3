import type { ServiceConfig } from '../runtime/context.ts';
import { RetryLater } from './answers.ts';

export interface AdmissionLimits {
  /** Requests that are executed at a time. */
  max_running: number;
  /** Requests that wait for their turn. */
  max_waiting: number;
  max_wait_ms: number;
}

/**
 * On one core even the slowest writes take a few milliseconds each: what is admitted is answered within a second, and
 * memory does not grow with the load.
 */
const defaults: AdmissionLimits = { max_running: 128, max_waiting: 1_024, max_wait_ms: 500 };
const retry_after_seconds = 1;
/**
 * On SQLite a request is executed without returning to the event loop. After this time the next request waits for a
 * turn of the loop, which accepts new connections: requests then wait in this queue, whose length is limited, and not
 * in the sockets.
 */
const max_block_ms = 10;
/** Requests admitted in one turn: writes among them share a commit, and together they take some milliseconds. */
const max_in_turn = 16;

/** Limits the requests that are executed at a time. */
export interface Admission {
  /** Executes a request in its turn. Throws `overloaded` if the queue is full or its turn does not come in time. */
  run: <T>(execute: () => Promise<T>) => Promise<T>;
}

export function createAdmission(
  parts: Pick<ServiceConfig, 'timers' | 'monotonic'>,
  { max_running, max_waiting, max_wait_ms }: AdmissionLimits = defaults,
): Admission {
  const { timers, monotonic } = parts;
  let running = 0;
  let turned_at = Number.NEGATIVE_INFINITY;
  let isAdmitting = false;
  /** Called to admit a request, in order of arrival. */
  const waiting = new Set<() => void>();
  /** Admits a few requests in each turn of the event loop, so that others can arrive, be refused or be answered. */
  const admitInTurn = async () => {
    isAdmitting = true;
    while (waiting.size > 0 && running < max_running) {
      await timers.turn();
      turned_at = monotonic.now();
      for (const admit of [...waiting].slice(0, Math.min(max_in_turn, max_running - running))) admit();
    }
    isAdmitting = false;
  };
  const place = async () => {
    const isFree = waiting.size === 0 && running < max_running;
    if (isFree && monotonic.now() - turned_at < max_block_ms) {
      running += 1;
      return;
    }
    if (waiting.size >= max_waiting) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const admit = () => {
      cancel();
      waiting.delete(admit);
      running += 1;
      resolve();
    };
    const cancel = timers.after(max_wait_ms, () => {
      waiting.delete(admit);
      reject(overloaded());
    });
    waiting.add(admit);
    if (!isAdmitting) void admitInTurn();
    await promise;
  };
  return {
    run: async (execute) => {
      await place();
      try {
        return await execute();
      } finally {
        running -= 1;
        if (!isAdmitting && waiting.size > 0) void admitInTurn();
      }
    },
  };
}

function overloaded(): RetryLater {
  const message = 'The service has more requests than it can answer in time. Retry in a moment.';
  return new RetryLater('overloaded', message, retry_after_seconds);
}
