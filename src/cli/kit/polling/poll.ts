/** Polling until a state is reached, sooner where events announce a change. */
import {
  type Invocation,
  joinedTexts,
  type NextStep,
  type StepObject,
  type Text,
} from '../result/message.ts';

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

/** A state that changes, and the target of a wait for it. */
export interface Waitable<T> {
  /** The known state before the first poll. */
  first: T;
  poll(): Promise<T>;
  /** True if nothing changed between two polls. */
  isUnchanged(before: T, seen: T): boolean;
  /** True if the target is reached. */
  reached(seen: T): boolean;
  /** The error if the target can no longer be reached; null while it can. */
  failed(seen: T): Error | null | Promise<Error | null>;
  /** A hint if the state does not change without a user's action; else null. */
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

/** The same with a line for the first state and for each change. */
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

/** Why nothing changes, and the command that helps. */
export interface Hint {
  code: string;
  message: Text;
  command: Invocation | null;
  /** The purpose of the command. */
  when: string;
}

/** Shows hints, or keeps them for the final error. */
export interface Hints {
  say(hint: Hint): Promise<void>;
  /** The kept hints, for the error after a timeout. */
  details(): { hint?: Text; next: NextStep[] };
  /** Whether anything was said. */
  hasSaid(): boolean;
}

/** The part of the context that hints need. */
interface HintContext {
  output: { json: boolean; quiet: boolean };
  plainText(text: Text): string;
  stepObject(step: NextStep): StepObject;
}

/**
 * People see a hint immediately. Programs that wait for an end, and --quiet, get it with the final error; those that watch
 * without an end get it as an object.
 */
export function createHints(
  { output, plainText, stepObject }: HintContext,
  { note, isEndless }: { note(line: Text): void | Promise<void>; isEndless: boolean },
): Hints {
  const kept: Hint[] = [];
  let hasSaid = false;
  const objectOf = ({ code, message, command, when }: Hint) => {
    const next = command === null ? [] : [stepObject({ ...command, when })];
    return { type: 'hint', code, message: plainText(message), next };
  };
  return {
    hasSaid: () => hasSaid,
    say: async (hint) => {
      hasSaid = true;
      if (!output.json && !output.quiet) await note(hint.message);
      else if (isEndless && output.json) await note(JSON.stringify(objectOf(hint)));
      else kept.push(hint);
    },
    details: () => {
      const messages = kept.map(({ message }) => message);
      return {
        ...(messages.length === 0 ? {} : { hint: joinedTexts(messages, ' ') }),
        next: kept.flatMap(({ command, when }) => (command === null ? [] : [{ ...command, when }])),
      };
    },
  };
}

/** A notification of a subscription: its stream was opened or lost, or an event arrived. */
export type Notification =
  | 'opened'
  | 'lost'
  | 'event'
  /** Probably the last event: it is worth an immediate poll. */
  | 'final-event';

/** Decides when to poll next. Times are milliseconds; nothing here waits. */
interface PollSchedule {
  /** Starts the pause before the next poll; false after the timeout. `hasFailed`: the last poll did. */
  startPause(now: number, hasFailed: boolean): boolean;
  /** The remaining pause as of `now`. */
  remaining(now: number): number;
  notify(notification: Notification, now: number): void;
  /** Starts a poll, which covers every notification so far. */
  startPoll(now: number): void;
}

const min_backoff_ms = 2000;
const max_backoff_ms = 15_000;
const max_polls = 10;
/** About the duration of ten polls. */
const default_timeout_ms = 120_000;
/** The pause while a stream is open, as a proxy may delay its events. */
const max_pause_with_stream_ms = 30_000;
/** Events within this time share a poll. */
const debounce_ms = 50;

/**
 * Schedules polls after events, less often while events keep arriving. Without a stream it uses the pauses that the API
 * recommends: 2 s, doubled up to 15 s; without a timeout it ends after ten polls or two minutes. An interval replaces
 * those pauses, and the longest pause with a stream.
 */
export function createPollSchedule(
  timeout_ms: number | undefined,
  started_at: number,
  interval_ms?: number,
  pollsAtOpening = true,
): PollSchedule {
  const deadline = timeout_ms === undefined ? Number.POSITIVE_INFINITY : started_at + timeout_ms;
  const isCounted = timeout_ms === undefined && interval_ms === undefined;
  const backoff = createBackoff(interval_ms);
  const events = createDebounce(started_at);
  const stream = { isOpen: false, wasOpen: false, since: started_at };
  let polls = 0;
  let due = started_at;
  const end = () =>
    timeout_ms === undefined && (stream.isOpen || !isCounted) ? started_at + default_timeout_ms : deadline;
  const lose = (now: number) => {
    if (!stream.isOpen) return;
    if (now - stream.since >= max_backoff_ms) backoff.reset();
    stream.isOpen = false;
    due = Math.min(due, now + backoff.next());
  };
  const open = (now: number) => {
    // A reopened stream delivers missed events, so the poll keeps its time.
    if (!stream.wasOpen && pollsAtOpening) events.add(now, true);
    Object.assign(stream, { isOpen: true, wasOpen: true, since: now });
  };
  return {
    startPause: (now, hasFailed) => {
      if ((isCounted && polls >= max_polls) || now >= end()) return false;
      const isStreaming = stream.isOpen && !hasFailed;
      due = now + (isStreaming ? (interval_ms ?? max_pause_with_stream_ms) : backoff.next());
      events.startPause(now);
      return true;
    },
    remaining: (now) => Math.max(0, Math.min(due, events.due(), end()) - now),
    notify: (notification, now) => {
      if (notification === 'opened') open(now);
      else if (notification === 'lost') lose(now);
      else events.add(now, notification === 'final-event');
    },
    startPoll: (now) => {
      if (!stream.isOpen) polls += 1;
      events.startPoll(now);
    },
  };
}

function createBackoff(interval_ms: number | undefined) {
  let pause_ms = min_backoff_ms;
  return {
    next: () => {
      const given = pause_ms;
      pause_ms = Math.min(2 * pause_ms, max_backoff_ms);
      return interval_ms ?? given;
    },
    reset: () => {
      pause_ms = min_backoff_ms;
    },
  };
}

/** Debounces events: polls soon after one, but with pauses that double while each poll is followed by more events. */
function createDebounce(started_at: number) {
  let pending: { since: number; isUrgent: boolean } | null = null;
  let paused_at = started_at;
  let spacing_ms = debounce_ms;
  return {
    add: (now: number, isUrgent: boolean) => {
      pending = { since: pending?.since ?? now, isUrgent: isUrgent || pending?.isUrgent === true };
    },
    due: () => {
      if (pending === null) return Number.POSITIVE_INFINITY;
      const soon = pending.since + debounce_ms;
      return pending.isUrgent ? soon : Math.max(soon, paused_at + spacing_ms);
    },
    startPause: (now: number) => {
      paused_at = now;
    },
    startPoll: (now: number) => {
      const isFlood = pending !== null && now - paused_at < 2 * spacing_ms;
      spacing_ms = isFlood ? Math.min(2 * spacing_ms, max_backoff_ms) : debounce_ms;
      pending = null;
    },
  };
}
