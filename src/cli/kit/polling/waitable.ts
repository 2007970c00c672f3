import type { Hint } from './hints.ts';
import { type PollClock, type PollOptions, pollRepeatedly, type Subscribe } from './poll.ts';

/** Something that changes by itself, and what somebody waits for. */
export interface Waitable<T> {
  /** As it is known before the first poll. */
  first: T;
  poll(): Promise<T>;
  /** Whether nothing happened between two polls. */
  isUnchanged(before: T, seen: T): boolean;
  /** Whether it is as somebody waits for it to be. */
  reached(seen: T): boolean;
  /** Why it cannot get there any more; null as long as it can. */
  failed(seen: T): Error | null | Promise<Error | null>;
  /** Why waiting alone changes nothing; null where it does. */
  stalled(seen: T, before: T | null): Hint | null | Promise<Hint | null>;
  /** The error where time ran out. */
  timedOut(last: T): Error;
}

/** A waitable whose changes can be shown. */
export interface Watchable<T, Line> extends Waitable<T> {
  /** What is new; at first, `before` is null. */
  describeChange(before: T | null, seen: T): readonly Line[];
}

/** How something is polled, and what shows it. */
export interface Polling<T> {
  clock: PollClock;
  options: PollOptions;
  subscribe: Subscribe;
  /** What to say of an error that may pass; null where polling ends with it. */
  outage(error: unknown): Hint | null;
  /** Says a hint; each code is said once. */
  say(hint: Hint): Promise<void>;
  /** Shows the state while it is waited for. */
  show(seen: T): Promise<void>;
}

/** Polls until it is reached, and gives it as it is then. Throws what `failed` and `timedOut` give. */
export async function wait<T>(waitable: Waitable<T>, polling: Polling<T>): Promise<T> {
  let last = waitable.first;
  for await (const seen of follow(waitable, polling)) {
    last = seen;
    await polling.show(seen);
  }
  return last;
}

/** The same, with a line for each change; `changesOnly` leaves out how it stands at first. */
export async function* watch<T, Line>(
  waitable: Watchable<T, Line>,
  polling: Polling<T>,
  { changesOnly }: { changesOnly: boolean },
): AsyncGenerator<Line> {
  let before: T | null = null;
  for await (const seen of follow(waitable, polling)) {
    const lines = waitable.describeChange(before, seen);
    if (before !== null || !changesOnly) yield* lines;
    before = seen;
    if (!waitable.reached(seen)) await polling.show(seen);
  }
}

/** Gives each state that is seen, the first one at once. An outage at the end is thrown in place of the time-out. */
async function* follow<T>(waitable: Waitable<T>, polling: Polling<T>): AsyncGenerator<T> {
  const say = sayOnce(polling);
  let last: T | null = null;
  let outage: Error | null = null;
  for await (const seen of states(waitable, polling, say)) {
    outage = seen instanceof Error ? seen : null;
    if (seen instanceof Error) continue;
    yield seen;
    const failure = await waitable.failed(seen);
    if (failure !== null) throw failure;
    if (waitable.reached(seen)) return;
    await say(await waitable.stalled(seen, last));
    last = seen;
  }
  throw outage ?? waitable.timedOut(last ?? waitable.first);
}

/** What each poll finds, or the error that may pass. */
async function* states<T>(
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
