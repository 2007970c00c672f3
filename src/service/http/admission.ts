/**
 * Decides whether a request is executed at once, waits, or is refused because the service is overloaded. Holders that wait
 * take turns, and none takes the share of others (`fair-share.ts`).
 */
import type { ServiceConfig } from '../runtime/context.ts';
import type { Timers } from '../runtime/time.ts';
import { RetryLater } from './answers.ts';
import { createFairShare, type FairShare, type Holder } from './fair-share.ts';

interface AdmissionLimits {
  /** The shares that a request uses: by default each uses one. */
  max_used: number;
  /** Requests that wait for their turn. */
  max_waiting: number;
  max_wait_ms: number;
}

/**
 * On one core even the slowest writes take a few milliseconds each: what is admitted is answered within a second, and
 * memory does not grow with the load.
 */
export const executionLimits: AdmissionLimits = { max_used: 256, max_waiting: 1_024, max_wait_ms: 500 };
const retry_after_seconds = 1;
/**
 * On SQLite a request is executed without returning to the event loop. After this time the next request waits for a
 * turn of the loop, which accepts new connections: requests then wait in this queue, whose length is limited, and not
 * in the sockets.
 */
const max_block_ms = 10;
/** Requests admitted in one turn: writes among them share a commit, and together they take some milliseconds. */
const max_in_turn = 16;

/** Limits the shares in use, and lets their holders take turns. */
export interface Admission {
  /**
   * Waits for the turn of a request; resolves with the function that ends its use. Throws the refusal if the queue is
   * full or the turn does not come in time.
   */
  enter: (holder: Holder, amount?: number) => Promise<() => void>;
  /** Executes a request in its turn. */
  run: <T>(holder: Holder, execute: () => Promise<T>) => Promise<T>;
}

/** A request that waits for its turn. */
interface Waiting {
  amount: number;
  admit: () => void;
}

/** The waiting requests of a holder, in order of arrival. */
interface Queue {
  holder: Holder;
  requests: Set<Waiting>;
}

/** The waiting requests of all holders, who take turns. */
function createQueues() {
  /** By holder: the next one first. */
  const queues = new Map<string, Queue>();
  return {
    isEmpty: () => queues.size === 0,
    /** Adds a request; returns the function that removes it. */
    add: (holder: Holder, request: Waiting): (() => void) => {
      const name = holder.join('\n');
      const queue = queues.get(name) ?? { holder, requests: new Set() };
      queues.set(name, queue);
      queue.requests.add(request);
      return () => {
        queue.requests.delete(request);
        if (queue.requests.size === 0) queues.delete(name);
      };
    },
    /** Admits the first request of the next holder whose share has room; false if there is none. */
    admitNext: (used: FairShare): boolean => {
      for (const [name, queue] of queues) {
        const [first] = queue.requests;
        if (first === undefined || !used.take(queue.holder, first.amount)) continue;
        first.admit();
        // The turn of this holder comes again after all others.
        queues.delete(name);
        if (queue.requests.size > 0) queues.set(name, queue);
        return true;
      }
      return false;
    },
  };
}

export function createAdmission(
  { timers, monotonic }: Pick<ServiceConfig, 'timers' | 'monotonic'>,
  { max_used, max_waiting, max_wait_ms }: AdmissionLimits = executionLimits,
  refusal: () => RetryLater = overloaded,
): Admission {
  const used = createFairShare(max_used);
  const waiting = createFairShare(max_waiting);
  const queues = createQueues();
  let turned_at = Number.NEGATIVE_INFINITY;
  let isAdmitting = false;
  /** Admits a few requests in each turn of the event loop, so that others can arrive, be refused or be answered. */
  const admitInTurn = async () => {
    isAdmitting = true;
    let admitted = max_in_turn;
    while (!queues.isEmpty() && admitted > 0) {
      await timers.turn();
      turned_at = monotonic.now();
      admitted = 0;
      while (admitted < max_in_turn && queues.admitNext(used)) admitted += 1;
    }
    isAdmitting = false;
  };
  const waitForTurn = async (holder: Holder, amount: number) => {
    if (!waiting.take(holder, 1)) throw refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      cancel();
      remove();
      waiting.release(holder, 1);
    };
    const admit = () => {
      leave();
      resolve();
    };
    const cancel = afterTurn(timers, max_wait_ms, () => {
      leave();
      reject(refusal());
    });
    const remove = queues.add(holder, { amount, admit });
    if (!isAdmitting) void admitInTurn();
    await promise;
  };
  const enter: Admission['enter'] = async (holder, amount = 1) => {
    const isFree = queues.isEmpty() && monotonic.now() - turned_at < max_block_ms;
    if (!isFree || !used.take(holder, amount)) await waitForTurn(holder, amount);
    return () => {
      used.release(holder, amount);
      if (!isAdmitting && !queues.isEmpty()) void admitInTurn();
    };
  };
  return {
    enter,
    run: async (holder, execute) => {
      const leave = await enter(holder);
      return execute().finally(leave);
    },
  };
}

/**
 * Calls `wake` after a time and a turn of the event loop: time in which the process does not run, or runs only for another
 * request, is no load, and what waits is admitted in the turn.
 */
function afterTurn({ after, turn }: Timers, delay_ms: number, wake: () => void): () => void {
  let isCanceled = false;
  const cancel = after(delay_ms, async () => {
    await turn();
    if (!isCanceled) wake();
  });
  return () => {
    isCanceled = true;
    cancel();
  };
}

function overloaded(): RetryLater {
  const message = 'The service has more requests than it can answer in time. Retry in a moment.';
  return new RetryLater('overloaded', message, retry_after_seconds);
}
