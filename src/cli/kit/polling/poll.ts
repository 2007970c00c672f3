import { createPollSchedule, type Notification } from './poll-schedule.ts';

/** How long and how often to poll. */
export interface PollOptions {
  /** The total time; by default as many polls as the API recommends. */
  timeout_ms: number | undefined;
  /** The pause between two polls; by default as the API recommends. */
  interval_ms?: number | undefined;
  /** Whether opening the stream triggers a poll, for earlier changes; yes by default. */
  pollsAtOpening?: boolean | undefined;
}

/** The clock, which a test replaces. */
export interface PollClock {
  now(): number;
  /** May reject early once `woken` aborts. */
  sleep(milliseconds: number, woken: AbortSignal): Promise<void>;
}

/** Receives notifications of changes. */
export interface Subscriber {
  notify(notification: Notification): void;
  /** Ends polling with an error. */
  fail(error: unknown): void;
}

/** Sends notifications until the returned function is called. */
export type Subscribe = (subscriber: Subscriber) => () => void;

export const noNotifications: Subscribe = () => () => {};

/**
 * Polls after each pause and yields each result, until the caller stops. Notifications trigger earlier polls. With a
 * timeout, the last poll is at its end. A result that is an Error counts as a failed poll.
 */
export async function* pollRepeatedly<T>(
  poll: () => Promise<T>,
  clock: PollClock,
  { timeout_ms, interval_ms, pollsAtOpening }: PollOptions,
  subscribe: Subscribe = noNotifications,
): AsyncGenerator<T> {
  const schedule = createPollSchedule(timeout_ms, clock.now(), interval_ms, pollsAtOpening);
  const broken = new AbortController();
  let wakeup = new AbortController();
  let hasFailed = false;
  const polled = async () => {
    schedule.startPoll(clock.now());
    const result = await poll();
    hasFailed = result instanceof Error;
    return result;
  };
  const notify = (notification: Notification) => {
    schedule.notify(notification, clock.now());
    wakeup.abort();
  };
  const unsubscribe = subscribe({ notify, fail: (error) => broken.abort(error) });
  try {
    while (schedule.startPause(clock.now(), hasFailed)) {
      do {
        wakeup = new AbortController();
        await sleepUntilWoken(clock, schedule.remaining(clock.now()), wakeup.signal, broken.signal);
      } while (wakeup.signal.aborted);
      yield await polled();
    }
  } finally {
    unsubscribe();
  }
}

/** Rejects with the reason if `broken` aborts. */
async function sleepUntilWoken(
  clock: PollClock,
  milliseconds: number,
  wakeup: AbortSignal,
  broken: AbortSignal,
): Promise<void> {
  broken.throwIfAborted();
  if (milliseconds === 0) return;
  const woken = AbortSignal.any([wakeup, broken]);
  await clock.sleep(milliseconds, woken).catch((error: unknown) => {
    if (!woken.aborted) throw error;
  });
  broken.throwIfAborted();
}
