import {
  type Invocation,
  joinedTexts,
  type NextStep,
  type StepObject,
  type Text,
} from '../result/message.ts';
import { type PollClock, type PollOptions, pollRepeatedly, type Subscribe } from './poll.ts';

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
  timedOut(last: T): Error;
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
  for await (const seen of follow(waitable, polling)) {
    last = seen;
    await polling.show(seen);
  }
  return last;
}

/** The same with a line for each change; `changesOnly` leaves out the initial state. */
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

/** Yields each polled state, starting with the first. An outage at the end is thrown instead of the timeout. */
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

/** Yields the result of each poll, or a temporary error. */
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
}

/** The part of the context that hints need. */
interface HintContext {
  output: { json: boolean };
  plainText(text: Text): string;
  stepObject(step: NextStep): StepObject;
}

/**
 * People see a hint immediately. Programs that wait for an end get it with the final error, as stderr has only that
 * object; those that watch without an end get it as an object.
 */
export function createHints(
  { output, plainText, stepObject }: HintContext,
  { note, isEndless }: { note(line: Text): void | Promise<void>; isEndless: boolean },
): Hints {
  const kept: Hint[] = [];
  const objectOf = ({ code, message, command, when }: Hint) => {
    const next = command === null ? [] : [stepObject({ ...command, when })];
    return { type: 'hint', code, message: plainText(message), next };
  };
  return {
    say: async (hint) => {
      if (!output.json) await note(hint.message);
      else if (isEndless) await note(JSON.stringify(objectOf(hint)));
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
