/** Records with a status: whether one has changed, and watching a list of them. */
import { ApiError } from '../../client/errors.ts';
import { flagArgs, type Invocation, type InvocationFlags, phrase, withArgs } from '../kit/result/message.ts';
import type { Formatters, StreamLine, StreamResult } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { type EventFilter, type Watched, watchChanges } from './service-waiting.ts';
import { typedWaiting, type Waiting } from './waiting-flags.ts';

/** The fields that show whether a record has changed. */
interface ChangeFields {
  status: string;
  updated_at: string;
}

/** True if a record has not changed. A service without change times still reports the status. */
export function isSameRecord(before: ChangeFields | null | undefined, seen: ChangeFields): boolean {
  return before?.updated_at === seen.updated_at && before.status === seen.status;
}

/** The outcome of a wait: `failed` at a status of `fail_on`, or if the target can no longer be reached. */
export type Outcome = 'reached' | 'failed' | 'open';

interface WatchedList<T> {
  /** Lists the newest records that match its filters. */
  list(): Promise<readonly T[]>;
  get(id: string): Promise<T>;
  idOf(record: T): string;
  isOpen(record: T): boolean;
  /**
   * True if a record that the list no longer contains is still watched: it still matches, but newer ones displaced it.
   */
  isKept(record: T): boolean;
  lineOf(before: T | null, seen: T): StreamLine;
  events: EventFilter;
  /** The list with its filters as typed, for the command that continues. */
  command: Invocation;
  filters: InvocationFlags;
  /** The status of records that have not ended: `processing`. */
  open: string;
}

/** The common fields of listed records. */
interface Updated {
  status: string;
  test_mode: boolean;
  updated_at: string;
}

interface ListState<T> {
  records: readonly T[];
  /** Lines for the changes since the previous poll. */
  lines: readonly StreamLine[];
  open_ids: readonly string[];
}

/** Watches the records of a list until none of them is open; exit 8 after the timeout. */
export function watchList<T extends Updated>(
  context: Context,
  watched: WatchedList<T>,
  waiting: Waiting,
): StreamResult {
  return { kind: 'stream', lines: listChangeLines(context, watched, waiting) };
}

async function* listChangeLines<T extends Updated>(
  context: Context,
  watched: WatchedList<T>,
  waiting: Waiting,
): AsyncGenerator<StreamLine> {
  const again = resumeLine(context, watched, waiting);
  const poll = createListPoll(watched);
  const first = await poll();
  const waitable: Watched<ListState<T>> = {
    first,
    poll,
    events: watched.events,
    test_mode: first.records[0]?.test_mode ?? true,
    isUnchanged: (_, { lines }) => lines.length === 0,
    reached: ({ open_ids }) => open_ids.length === 0,
    failed: () => null,
    interruptionText: () => phrase`Watching changes nothing. Continue with: ${again}`,
    status: ({ open_ids }) => stillOpenText(open_ids, watched.open),
    describeChange: (_, { lines }) => lines,
  };
  yield* watchChanges(context, waitable, { ...waiting, again: () => [again] }).lines;
}

/** Polls the list, and also each open record that is no longer in it, so that a filter does not hide how it ended. */
function createListPoll<T extends Updated>({ list, get, ...watched }: WatchedList<T>) {
  const { idOf, isOpen, isKept, lineOf } = watched;
  let known = new Map<string, T>();
  return async (): Promise<ListState<T>> => {
    const listed = new Map((await list()).map((record) => [idOf(record), record]));
    const records = [...listed.values()];
    for (const [id, last] of known) {
      if (listed.has(id) || !isOpen(last)) continue;
      const record = await get(id).catch(nullIfDeleted);
      if (record !== null) records.push(record);
    }
    const news = byTime(records).flatMap((record) => {
      const before = known.get(idOf(record)) ?? null;
      return isSameRecord(before, record) ? [] : [lineOf(before, record)];
    });
    const kept = records.filter((record) => listed.has(idOf(record)) || isKept(record));
    known = new Map(kept.map((record) => [idOf(record), record]));
    return { records, lines: sortedByTime(news), open_ids: kept.filter(isOpen).map(idOf) };
  };
}

/** Sorts by the time of the last change; at equal times older records come first. */
function byTime<T extends Updated>(records: readonly T[]): T[] {
  return records
    .toReversed()
    .sort((left, right) => Date.parse(left.updated_at) - Date.parse(right.updated_at));
}

/** Each record has a line; the changes of all are attached to the last one, sorted by time. */
export function sortedByTime(news: readonly StreamLine[]): readonly StreamLine[] {
  const changes = news.flatMap((line) => line.changes ?? []);
  if (news.every((line) => (line.changes?.length ?? 1) === 1)) return news;
  const sorted = changes.toSorted((left, right) => Date.parse(left.at) - Date.parse(right.at));
  return news.map(({ data }, index) => {
    if (index < news.length - 1) return { data, line: () => null, rows: [] };
    const line = (show: Formatters) => sorted.map(({ text }) => text(show)).join('\n');
    return { data, line, rows: sorted.map(({ row }) => row) };
  });
}

/** A draft may be deleted in the meantime. */
function nullIfDeleted(error: unknown): null {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
}

/** The command that continues. */
function resumeLine(
  context: Pick<Context, 'isTyped'>,
  { command, filters }: Pick<WatchedList<unknown>, 'command' | 'filters'>,
  { timeout_ms, interval_ms }: Waiting,
): Invocation {
  const { interval, timeout } = typedWaiting(context, { timeout: timeout_ms, interval: interval_ms });
  return withArgs(command, flagArgs({ ...filters, watch: true, interval, timeout }));
}

const max_named = 5;

/** `bat_1, bat_2 are still processing` */
function stillOpenText(ids: readonly string[], open: string): string {
  const named = ids.slice(0, max_named).join(', ');
  const more = ids.length > max_named ? ` and ${ids.length - max_named} more` : '';
  return `${named}${more} ${ids.length === 1 ? 'is' : 'are'} still ${open}`;
}
