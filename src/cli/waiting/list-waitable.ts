import { ApiError } from '../../client/errors.ts';
import type { Context } from '../context.ts';
import { StillPending } from '../failures/failure.ts';
import type { Invocation } from '../kit/output/invocation.ts';
import { flagArgs, withArgs } from '../kit/output/invocation.ts';
import { phrase } from '../kit/output/message.ts';
import { remarksFor } from '../kit/polling/hints.ts';
import { looksOf } from '../kit/polling/waitable.ts';
import { durationText } from '../line/flags.ts';
import type { Show, StreamLine, StreamResult } from '../result.ts';
import type { Told } from './event-notifications.ts';
import { goingOn } from './wait.ts';
import { typedWaiting, type Waiting } from './waiting-flags.ts';

/** A list whose records move. */
export interface WatchedList<T> {
  /** The newest that its filters show, as they are now. */
  list(): Promise<readonly T[]>;
  look(id: string): Promise<T>;
  idOf(row: T): string;
  isOpen(row: T): boolean;
  /** Whether one that the list shows no more is followed on: it still fits, and newer ones have pushed it out. */
  isKept(row: T): boolean;
  /** Whether nothing that is told happened in between; where a courier is, is not told. */
  isSame(before: T, after: T): boolean;
  lineOf(before: T | null, row: T): StreamLine;
  told: Told;
  /** The list, and its filters as typed: what goes on is said with them. */
  command: Invocation;
  filters: Readonly<Record<string, string | boolean | undefined>>;
  /** What is said of those that are left when time ran out: `processing`. */
  left: string;
}

/** What every record has that is listed. */
interface Updated {
  test_mode: boolean;
  updated_at: string;
}

/** The records of a list as they change, until none of them is open: exit 8 when time ran out before. */
export function watchList<T extends Updated>(
  context: Context,
  listed: WatchedList<T>,
  waiting: Waiting,
): StreamResult {
  return { kind: 'stream', lines: lines(context, listed, waiting) };
}

async function* lines<T extends Updated>(
  context: Context,
  listed: WatchedList<T>,
  waiting: Waiting,
): AsyncGenerator<StreamLine> {
  const { idOf, isOpen, isSame, lineOf, told } = listed;
  const again = lineOn(context, listed, waiting);
  const known = new Map<string, T>();
  const remarks = remarksFor(context, { note: context.note, isEndless: waiting.timeout_ms === undefined });
  const look = () => rowsNow(listed, known);
  const first = await look();
  const subject = {
    ...{ first, look, told, test_mode: first[0]?.row.test_mode ?? true },
    standing: () => phrase`Nothing is changed by watching. Go on with: ${again}`,
    isSame: (before: readonly Row<T>[], after: readonly Row<T>[]) =>
      JSON.stringify(before) === JSON.stringify(after),
    idle: () => null,
  };
  let isFirst = true;
  for await (const rows of looksOf(context, subject, { ...waiting, remarks })) {
    const news: StreamLine[] = [];
    for (const { row, isLeft } of inOrder(rows)) {
      const before = known.get(idOf(row)) ?? null;
      const isNew = before === null || !isSame(before, row);
      if (isLeft) known.delete(idOf(row));
      else known.set(idOf(row), row);
      if (isNew && !(isFirst && waiting.changesOnly)) news.push(lineOf(before, row));
    }
    yield* inTime(news);
    isFirst = false;
    forget(known, new Set(rows.map(({ row }) => idOf(row))));
    if (![...known.values()].some(isOpen)) return;
  }
  const open = [...known.values()].filter(isOpen).map(idOf);
  const message = `Time ran out after ${durationText(waiting.timeout_ms ?? 0)}: ${leftText(open, listed.left)}.`;
  throw new StillPending(message, goingOn(remarks, [again]));
}

/** What one look brings, by the time of its last change; of one moment the older record first. */
function inOrder<T extends Updated>(rows: readonly Row<T>[]): Row<T>[] {
  return rows.toReversed().sort(({ row: left }, { row: right }) => {
    return Date.parse(left.updated_at) - Date.parse(right.updated_at);
  });
}

/** Records have a line each; the changes of all of them are told with the last, in the order of time. */
export function inTime(news: readonly StreamLine[]): readonly StreamLine[] {
  const changes = news.flatMap((line) => line.changes ?? []);
  if (news.every((line) => (line.changes?.length ?? 1) === 1)) return news;
  const sorted = changes.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
  return news.map(({ data }, index) => {
    if (index < news.length - 1) return { data, line: () => null, rows: [] };
    const line = (show: Show) => sorted.map(({ text }) => text(show)).join('\n');
    return { data, line, rows: sorted.map(({ row }) => row) };
  });
}

interface Row<T> {
  row: T;
  /** Whether nothing more is to be said of it: it fits the list no more, or is no more. */
  isLeft: boolean;
}

/** The list, and those that were open and are no more in it: a filter does not hide how they ended. */
async function rowsNow<T>(listed: WatchedList<T>, known: ReadonlyMap<string, T>): Promise<Row<T>[]> {
  const { idOf, isOpen, isKept, look } = listed;
  const rows = await listed.list();
  const ids = new Set(rows.map(idOf));
  const others: Row<T>[] = [];
  for (const [id, last] of known) {
    if (ids.has(id) || !isOpen(last)) continue;
    const row = await look(id).catch(goneIfUnknown);
    others.push(row === null ? { row: last, isLeft: true } : { row, isLeft: !isKept(row) });
  }
  return [...rows.map((row) => ({ row, isLeft: false })), ...others];
}

/** What has ended and is listed no more never comes back. */
function forget(known: Map<string, unknown>, seen: ReadonlySet<string>): void {
  for (const id of known.keys()) if (!seen.has(id)) known.delete(id);
}

/** A draft may be deleted meanwhile. */
function goneIfUnknown(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

/** The command that goes on as this one did. */
function lineOn(
  context: Pick<Context, 'isTyped'>,
  { command, filters }: Pick<WatchedList<unknown>, 'command' | 'filters'>,
  { timeout_ms, interval_ms }: Waiting,
): Invocation {
  const { interval, timeout } = typedWaiting(context, { timeout: timeout_ms, interval: interval_ms });
  return withArgs(command, flagArgs({ ...filters, watch: true, interval, timeout }));
}

/** More than these are only counted. */
const mostNamed = 5;

/** `bat_1, bat_2 are still processing` */
function leftText(ids: readonly string[], left: string): string {
  const named = ids.slice(0, mostNamed).join(', ');
  const more = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more` : '';
  return `${named}${more} ${ids.length === 1 ? 'is' : 'are'} still ${left}`;
}
