import { createPollSchedule, type Notification } from './poll-schedule.ts';

/** How long something is polled, and how often. */
export interface PollOptions {
  /** All in all; without it, as many polls as the interface recommends. */
  timeout_ms: number | undefined;
  /** Between two polls; without it, as the interface recommends. */
  interval_ms?: number | undefined;
  /** Whether the opening of the stream calls for a poll, for what happened before it; yes when not given. */
  pollsAtOpening?: boolean | undefined;
}

/** Time as it passes, or as a test makes it pass. */
export interface PollClock {
  now(): number;
  /** May end early by rejecting once `woken` aborts. */
  sleep(milliseconds: number, woken: AbortSignal): Promise<void>;
}

/** Is notified of changes. */
export interface Subscriber {
  notify(notification: Notification): void;
  /** Ends the polling with an error. */
  fail(error: unknown): void;
}

/** Notifies of changes until the function that it returns is called. */
export type Subscribe = (subscriber: Subscriber) => () => void;

export const noNotifications: Subscribe = () => () => {};

/**
 * Polls after each pause and gives each result; the caller stops once it has what it wants. Notifications bring polls
 * forward. With a time-out, the last poll is at its very end. A result that is an Error counts as a poll that failed.
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

/** Rejects with the reason of `broken` where that aborts. */
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
