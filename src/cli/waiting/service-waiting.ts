/** Waiting for a state of the service, or watching its changes, by polls and events. */
import { ApiError, Unreachable } from '../../client/errors.ts';
import { isGatewayError } from '../../client/retries.ts';
import type { EventType } from '../../contract/vocabulary.ts';
import { second_ms } from '../../domain/durations.ts';
import { durationText } from '../kit/args/flags.ts';
import { type Failure, type FailureDetails, StillPending } from '../kit/errors/failure.ts';
import { once } from '../kit/once.ts';
import { isRedrawn, type Progress } from '../kit/output/progress.ts';
import { lengthText } from '../kit/output/times.ts';
import { createHints, type Hint, type Hints } from '../kit/polling/hints.ts';
import {
  noNotifications,
  type PollClock,
  type Polling,
  type Subscribe,
  type Subscriber,
  type Waitable,
  wait,
  watch,
} from '../kit/polling/poll.ts';
import { type Invocation, phrase, type Text } from '../kit/result/message.ts';
import type { Result, StreamLine, StreamResult } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { clockSteps, pollClock, slowClockHint, stillClockHint } from './service-clock.ts';
import type { Waiting } from './waiting-flags.ts';

/** A state of the service that commands wait for. */
interface ServiceWaitable<T> extends Pick<Waitable<T>, 'first' | 'poll' | 'reached'> {
  test_mode: boolean;
  /** True if nothing changed between two polls. */
  isUnchanged(before: T, seen: T): boolean;
  /** The events about it; null without any. */
  events: EventFilter | null;
  /** The failure if the target can no longer be reached; null while it can. */
  failed(seen: T, details: FailureDetails): Failure | null | Promise<Failure | null>;
  /** A hint if it only changes by a user's action; null if it changes without one. */
  hintIfIdle?(seen: T): Hint | null | Promise<Hint | null>;
  /** The state and how to see it, for an interruption. */
  interruptionText(seen: T): Text;
  /** The state for the error after a timeout: `ord_1 is open`. */
  status(seen: T): Text;
  /** The code of that error, if it has its own. */
  timeoutCode?: string;
  /** Without a timeout, polls as long as the API recommends. */
  recommended?: { clock: PollClock; pollsAtOpening: boolean };
}

/** A state that is awaited until its end. */
export interface Awaitable<T> extends ServiceWaitable<T> {
  /** The state beside the spinner. */
  progress(seen: T): string;
  answer?(seen: T): Result;
  /** Whether a failure includes the result; by default only for programs. */
  answersFailure?(seen: T): boolean;
}

/** A state that is the result of the command. */
export type Answerable<T> = Awaitable<T> & Required<Pick<Awaitable<T>, 'answer'>>;

/** A state whose changes are shown. */
export interface Watched<T> extends ServiceWaitable<T> {
  describeChange(before: T | null, seen: T): readonly StreamLine[];
  /** The current state, for a line that is redrawn. */
  live?(seen: T): string;
}

export interface WaitOptions<T> extends Pick<Waiting, 'timeout_ms' | 'interval_ms'> {
  /** The given timeout, if part of it has already passed. */
  given_ms?: number | undefined;
  /** The commands that resume the wait. */
  again(last: T): readonly (Invocation & { when?: string })[];
}

/**
 * Waits until the target is reached and returns that state. Exit 9 as soon as it can no longer be reached, 8 after the
 * timeout.
 */
export async function waitFor<T>(
  context: Context,
  waitable: Awaitable<T>,
  options: WaitOptions<T>,
): Promise<T> {
  const { answer, answersFailure = () => context.output.json } = waitable;
  const line = progressLine(context, { isTimed: true });
  const details = (seen: T) => (answer !== undefined && answersFailure(seen) ? { answer: answer(seen) } : {});
  const hints = createHints(context, { note: line.note, isEndless: false });
  const show = (seen: T) => line.show(waitable.progress(seen));
  try {
    const clockHint = () => slowClockHint(context);
    return await wait(...adaptToPolling(context, waitable, options, { hints, details, show, clockHint }));
  } finally {
    line.clear();
  }
}

/** Waits as `waitFor` does, and returns the result of the command. */
export async function waitForAnswer<T>(
  context: Context,
  waitable: Answerable<T>,
  options: WaitOptions<T>,
): Promise<Result> {
  return waitable.answer(await waitFor(context, waitable, options));
}

/** Streams the changes until the target is reached; ends like `waitFor`. */
export function watchChanges<T>(
  context: Context,
  waitable: Watched<T>,
  options: WaitOptions<T>,
): StreamResult {
  return { kind: 'stream', lines: changeLines(context, waitable, options) };
}

async function* changeLines<T>(
  context: Context,
  waitable: Watched<T>,
  options: WaitOptions<T>,
): AsyncGenerator<StreamLine> {
  const { live } = waitable;
  // A live line has a time of its own.
  const line = progressLine(context, { isTimed: false });
  const isEndless = options.timeout_ms === undefined && waitable.recommended === undefined;
  const hints = createHints(context, { note: line.note, isEndless });
  const isLive = !context.output.json && isRedrawn(context.host, context.output);
  const show = async (seen: T) => {
    if (live !== undefined && isLive) await line.show(live(seen));
  };
  const clockHint = () => stillClockHint(context);
  const shown = { hints, details: () => ({}), show, clockHint };
  const [adapted, polling] = adaptToPolling(context, waitable, options, shown);
  const watchable = { ...adapted, describeChange: waitable.describeChange };
  try {
    for await (const change of watch(watchable, polling)) {
      line.clear();
      yield change;
    }
  } finally {
    line.clear();
  }
}

interface Shown<T> extends Pick<Polling<T>, 'show'> {
  hints: Hints;
  details(seen: T): FailureDetails;
  /** What is said of the clock of a sandbox if nothing changes. */
  clockHint(): Promise<Hint | null>;
}

/** Adds the errors and hints of the CLI to a waitable, and how to poll it at this service. */
function adaptToPolling<T>(
  context: Context,
  waitable: ServiceWaitable<T>,
  { timeout_ms, given_ms = timeout_ms, interval_ms, again }: WaitOptions<T>,
  { hints, details, show, clockHint: readClockHint }: Shown<T>,
): [Waitable<T>, Polling<T>] {
  const { first, test_mode, events, timeoutCode, recommended, poll, isUnchanged, reached } = waitable;
  let last = first;
  context.setInterruptionText(() => waitable.interruptionText(last));
  const clockHint = once(readClockHint);
  const timedOut = async (seen: T) => {
    const time = given_ms === undefined ? 'about two minutes' : durationText(given_ms);
    const { next, ...hint } = hints.details();
    const lines = again(seen).map((line) => ({ when: 'continue waiting', ...line }));
    return new StillPending(phrase`Time ran out after ${time}: ${waitable.status(seen)}.`, {
      ...(timeoutCode === undefined ? {} : { code: timeoutCode }),
      ...hint,
      next: [...next, ...lines, ...(hints.hasSaid() ? [] : await clockSteps(context, test_mode))],
      ...details(seen),
    });
  };
  const adapted: Waitable<T> = {
    first,
    reached,
    timedOut,
    poll: async () => {
      last = await poll();
      return last;
    },
    failed: (seen) => waitable.failed(seen, details(seen)),
    stalled: async (seen, before) => {
      const hint = (await waitable.hintIfIdle?.(seen)) ?? null;
      if (hint !== null || !test_mode || before === null || !isUnchanged(before, seen)) return hint;
      return clockHint();
    },
  };
  const { clock = pollClock(context, test_mode), pollsAtOpening } = recommended ?? {};
  const options = {
    timeout_ms: timeout_ms ?? (recommended === undefined ? Number.POSITIVE_INFINITY : undefined),
    interval_ms,
    pollsAtOpening,
  };
  const subscribe = eventNotifications(context, events);
  return [adapted, { clock, options, subscribe, outage: outageHint, say: hints.say, show }];
}

/** A progress line, with the elapsed time if it is timed, which yields to notes and stream lines. */
function progressLine(context: Context, { isTimed }: { isTimed: boolean }) {
  const started_at = context.now();
  let progress: Progress | null = null;
  let shown: string | null = null;
  let stopTimer = () => {};
  const clear = () => {
    stopTimer();
    progress?.stop();
    progress = null;
  };
  const withTime = (text: string) => {
    const elapsed = context.now() - started_at;
    return elapsed < second_ms ? text : `${text} (${lengthText(elapsed)})`;
  };
  const isRunning = isTimed && isRedrawn(context.host, context.output);
  const redraw = () => {
    if (progress === null || shown === null) return;
    progress.say(withTime(shown));
    stopTimer = context.host.timer(second_ms, redraw);
  };
  const show = async (text: string) => {
    shown = text;
    if (progress !== null) return progress.say(isRunning ? withTime(text) : text);
    progress = await context.progress(text);
    if (isRunning) redraw();
  };
  const note = async (line: Text) => {
    clear();
    context.note(line);
    if (shown !== null) await show(shown);
  };
  return { show, clear, note };
}

/** The hint for an error that may pass, as the service is unreachable; null for any other. */
function outageHint(error: unknown): Hint | null {
  if (error instanceof Unreachable) return unreachableHint(error);
  return error instanceof ApiError && isGatewayError(error) ? unreachableHint(error) : null;
}

export function unreachableHint(error: Error): Hint {
  const message = `The service cannot be reached at the moment: ${error.message} Looking again until it can.`;
  return { code: 'unreachable', message, command: null, when: 'find the cause' };
}

/** The events about a record. */
export interface EventFilter {
  types: readonly EventType[];
  delivery_id?: string;
  batch_id?: string;
  /** Filters events by their data where the service cannot. */
  isAbout(data: Readonly<Record<string, unknown>>): boolean;
}

/**
 * Notifications from the service's event stream over HTTP. Polls remain the source of truth: without a stream there are
 * no notifications. The embedded service only changes during requests, so it has none either.
 */
function eventNotifications(context: Context, filter: EventFilter | null): Subscribe {
  if (filter === null || context.settings.target.kind === 'embedded') return noNotifications;
  return (subscriber) => {
    const controller = new AbortController();
    forwardEvents(context, filter, subscriber, controller.signal).catch((error: unknown) => {
      if (!controller.signal.aborted) subscriber.fail(error);
    });
    return () => controller.abort();
  };
}

async function forwardEvents(
  context: Context,
  { isAbout, ...filter }: EventFilter,
  { notify }: Subscriber,
  signal: AbortSignal,
): Promise<void> {
  const onOpen = () => notify('opened');
  const onLost = () => notify('lost');
  try {
    const client = await context.client();
    for await (const event of client.follow({ ...filter, signal, onOpen, onLost, retriesFirst: true })) {
      if (isAbout(event.data)) notify(event.type === 'batch.completed' ? 'final-event' : 'event');
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // The next poll ends the wait if the key is refused.
    notify(error.status === 401 ? 'final-event' : 'lost');
  }
}
