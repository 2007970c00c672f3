/** Polls until a state is reached (`wait`), or yields each change on the way (`watch`); sooner after events. */
import type { Hint } from './hints.ts';
import { createPollSchedule, type Notification, type PollOptions } from './poll-schedule.ts';

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
  options: PollOptions,
  subscribe: Subscribe = noNotifications,
): AsyncGenerator<T> {
  const schedule = createPollSchedule(clock.now(), options);
  const broken = new AbortController();
  let wakeup = new AbortController();
  let hasFailed = false;
  const pollNow = async () => {
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
      yield await pollNow();
    }
  } finally {
    unsubscribe();
  }
}

/** Sleeps until the time is over or `wakeup` aborts; rejects with the reason if `broken` aborts. */
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

/** A state that changes, and the target of a wait for it. */
export interface Waitable<T> {
  /** The known state before the first poll. */
  first: T;
  poll(): Promise<T>;
  /** True if the target is reached. */
  reached(seen: T): boolean;
  /** The error if the target can no longer be reached; null while it can. */
  failed(seen: T): Error | null | Promise<Error | null>;
  /** A hint if only a user's action changes the state; null otherwise. */
  stalled(seen: T, before: T | null): Hint | null | Promise<Hint | null>;
  /** The error after a timeout. */
  timedOut(last: T): Promise<Error>;
}

/** A waitable whose changes can be shown. */
interface Watchable<T, Line> extends Waitable<T> {
  /** Lists the changes; `before` is null at first. */
  describeChange(before: T | null, seen: T): readonly Line[];
}

/** How to poll, and how to show the state. */
export interface Polling<T> {
  clock: PollClock;
  options: PollOptions;
  subscribe: Subscribe;
  /** The hint for a temporary error; null ends polling with the error. */
  outage(error: unknown): Hint | null;
  /** Shows a hint; each code is shown once. */
  say(hint: Hint): Promise<void>;
  /** Shows the state during the wait. */
  show(seen: T): Promise<void>;
}

/** Polls until the target is reached and returns that state. Throws the errors of `failed` and `timedOut`. */
export async function wait<T>(waitable: Waitable<T>, polling: Polling<T>): Promise<T> {
  let last = waitable.first;
  for await (const seen of pollUntilReached(waitable, polling)) {
    last = seen;
    await polling.show(seen);
  }
  return last;
}

/** Polls like `wait`, and yields the lines of the first state and of each change. */
export async function* watch<T, Line>(
  waitable: Watchable<T, Line>,
  polling: Polling<T>,
): AsyncGenerator<Line> {
  let before: T | null = null;
  for await (const seen of pollUntilReached(waitable, polling)) {
    yield* waitable.describeChange(before, seen);
    before = seen;
    if (!waitable.reached(seen)) await polling.show(seen);
  }
}

/** Yields each polled state, starting with the first. An outage at the end is thrown instead of the timeout. */
async function* pollUntilReached<T>(waitable: Waitable<T>, polling: Polling<T>): AsyncGenerator<T> {
  const say = sayOnce(polling);
  let last: T | null = null;
  let outage: Error | null = null;
  for await (const seen of pollStates(waitable, polling, say)) {
    outage = seen instanceof Error ? seen : null;
    if (seen instanceof Error) continue;
    yield seen;
    const failure = await waitable.failed(seen);
    if (failure !== null) throw failure;
    if (waitable.reached(seen)) return;
    await say(await waitable.stalled(seen, last));
    last = seen;
  }
  throw outage ?? (await waitable.timedOut(last ?? waitable.first));
}

/** Yields the result of each poll, or a temporary error. */
async function* pollStates<T>(
  { first, poll }: Waitable<T>,
  { clock, options, subscribe, outage }: Polling<T>,
  say: (hint: Hint | null) => Promise<void>,
): AsyncGenerator<T | Error> {
  yield first;
  const attempt = async () => {
    try {
      return await poll();
    } catch (error) {
      const hint = outage(error);
      if (hint === null || !(error instanceof Error)) throw error;
      await say(hint);
      return error;
    }
  };
  yield* pollRepeatedly(attempt, clock, options, subscribe);
}

function sayOnce<T>({ say }: Polling<T>): (hint: Hint | null) => Promise<void> {
  const said = new Set<string>();
  return async (hint) => {
    if (hint === null || said.has(hint.code)) return;
    said.add(hint.code);
    await say(hint);
  };
}
