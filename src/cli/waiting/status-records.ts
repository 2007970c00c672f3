import type { Context } from '../context.ts';
import { type Failure, type FailureDetails, StillPending } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import type { Text } from '../kit/output/message.ts';
import { type Remark, type Remarks, remarksFor } from '../kit/polling/hints.ts';
import { looksOf } from '../kit/polling/waitable.ts';
import { durationText } from '../line/flags.ts';
import { alignedRows } from '../output/rows.ts';
import { oneLine } from '../output/sanitize.ts';
import type { Result, Show, StreamLine, StreamResult } from '../result.ts';
import type { Told } from './event-notifications.ts';
import type { Goal, Outcome } from './status-targets.ts';
import { awaited, goingOn } from './wait.ts';
import type { Waiting } from './waiting-flags.ts';

/** What every record has that moves. */
interface Moved<S extends string> {
  id: string;
  status: S;
  test_mode: boolean;
  updated_at: string;
}

/** A kind of record that moves. */
export interface Moving<T extends Moved<S>, S extends string> {
  /** `order`: lines of programs have types that begin so. */
  noun: string;
  statuses: readonly S[];
  look(context: Context, id: string): Promise<T>;
  told(first: T): Told;
  standing(seen: T): Text;
  /** Why waiting alone changes nothing; null where it does. */
  idle(context: Context, seen: T): Remark | null;
  outcome(context: Context, seen: T, goal: Goal<S>): Outcome | Promise<Outcome>;
  /** Exit 9: why it did not get there. */
  failure(context: Context, seen: T, details: FailureDetails): Promise<Failure>;
  answer(seen: T): Result;
  /** What its status says, in a few words. */
  words(seen: T): string;
}

/** How one record is followed. */
export interface RecordWait<S extends string> {
  goal: Goal<S>;
  waiting: Waiting;
  /** The command that waits on. */
  again: Invocation;
}

function looksAt<T extends Moved<S>, S extends string>(
  context: Context,
  moving: Moving<T, S>,
  first: T,
  following: { waiting: Waiting; remarks: Remarks },
): AsyncGenerator<T> {
  const subject = {
    ...{ first, test_mode: first.test_mode, told: moving.told(first), standing: moving.standing },
    look: () => moving.look(context, first.id),
    isSame: (before: T, after: T) => before.updated_at === after.updated_at,
    idle: (seen: T) => moving.idle(context, seen),
  };
  return looksOf(context, subject, { ...following.waiting, remarks: following.remarks });
}

/**
 * Waits until a record has a status, and answers with it. Exit 9 at once where it cannot get there any more, 8 when
 * time ran out; programs get the record all the same.
 */
export async function awaitRecord<T extends Moved<S>, S extends string>(
  context: Context,
  moving: Moving<T, S>,
  first: T,
  { goal, waiting, again }: RecordWait<S>,
): Promise<Result> {
  const details = (seen: T) => (context.output.json ? { answer: moving.answer(seen) } : {});
  const { last, isSettled, remarks } = await awaited(context, {
    first,
    looks: (made) => looksAt(context, moving, first, { waiting, remarks: made }),
    text: ({ id, status }) => `Waiting for ${id}: ${status}`,
    isSettled: async (seen) => {
      const outcome = await moving.outcome(context, seen, goal);
      if (outcome === 'lost') throw await moving.failure(context, seen, details(seen));
      return outcome === 'reached';
    },
  });
  if (isSettled) return moving.answer(last);
  throw ranOut(last, waiting, { ...goingOn(remarks, [again]), ...details(last) });
}

/** A record as it changes, until it has a status; ends as `awaitRecord` does. */
export function watchRecord<T extends Moved<S>, S extends string>(
  context: Context,
  moving: Moving<T, S>,
  first: T,
  wait: RecordWait<S>,
): StreamResult {
  return { kind: 'stream', lines: lines(context, moving, first, wait) };
}

async function* lines<T extends Moved<S>, S extends string>(
  context: Context,
  moving: Moving<T, S>,
  first: T,
  { goal, waiting, again }: RecordWait<S>,
): AsyncGenerator<StreamLine> {
  let before: T | null = null;
  const isEndless = waiting.timeout_ms === undefined;
  const remarks = remarksFor(context, { note: context.note, isEndless });
  for await (const seen of looksAt(context, moving, first, { waiting, remarks })) {
    const isTold: boolean = before === null ? !waiting.changesOnly : before.updated_at !== seen.updated_at;
    if (isTold) yield recordLine(moving, before, seen, []);
    before = seen;
    const outcome = await moving.outcome(context, seen, goal);
    if (outcome === 'reached') return;
    if (outcome === 'lost') throw await moving.failure(context, seen, {});
  }
  throw ranOut(before ?? first, waiting, goingOn(remarks, [again]));
}

function ranOut({ id, status }: Moved<string>, { timeout_ms = 0 }: Waiting, details: FailureDetails) {
  return new StillPending(`Time ran out after ${durationText(timeout_ms)}: ${id} is ${status}.`, details);
}

/** A line on a record: when it changed, `names` of it, its status, and what that says. */
export function recordLine<T extends Moved<S>, S extends string>(
  { noun, statuses, words }: Pick<Moving<T, S>, 'noun' | 'statuses' | 'words'>,
  before: T | null,
  record: T,
  names: readonly string[],
): StreamLine {
  const { status, updated_at } = record;
  const width = Math.max(...statuses.map(({ length }) => length));
  const line = (show: Show) => {
    const cells = [
      { text: show.clock(updated_at), paint: show.dim },
      ...names.map((name) => ({ text: oneLine(name) })),
      { text: status, paint: show.status, width },
      { text: oneLine(words(record)) },
    ];
    return alignedRows([cells], { room: show.room, indent: 0 }).join('\n');
  };
  const type = before === null ? `${noun}.current` : `${noun}.updated`;
  return { data: { type, ...record }, line, rows: [[updated_at, ...names, status, words(record)]] };
}
