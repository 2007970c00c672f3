/** Records with a status: how a change of one is shown, where a wait for it ends, and watching a list of them. */
import { ApiError } from '../../client/errors.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { alignedRows } from '../kit/output/terminal-lines.ts';
import { flagArgs, type Invocation, invocation, phrase, type Text, withArgs } from '../kit/result/message.ts';
import type { Formatters, StreamLine, StreamResult } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { type EventFilter, type Watched, watchChanges } from './service-waiting.ts';
import { type StatusTarget, typedWaiting, type Waiting } from './waiting-flags.ts';

/** A record with a status. */
interface StatusRecord<S extends string> {
  id: string;
  status: S;
  test_mode: boolean;
  updated_at: string;
}

/** A kind of such records. */
export interface RecordKind<T extends StatusRecord<S>, S extends string> {
  /** `order`: the prefix of the line types for programs. */
  noun: string;
  statuses: readonly S[];
  /** A short description of the record's status. */
  words(seen: T): string;
  /** The IANA zone in which people read its times; absent: their own. */
  zone?(seen: T): string | null;
}

/** The common part of waitables for records with a status. */
export function statusRecord<T extends StatusRecord<S>, S extends string>(first: T, kind: RecordKind<T, S>) {
  return {
    first,
    test_mode: first.test_mode,
    isUnchanged: isSameRecord,
    interruptionText: ({ id, status }: T): Text =>
      phrase`${id} is ${status}. See it with: ${invocation(`${kind.noun}s get`, [id])}`,
    status: ({ id, status }: T) => `${id} is ${status}`,
    progress: ({ id, status }: T) => `Waiting for ${id}: ${status}`,
    describeChange: (before: T | null, seen: T) =>
      isSameRecord(before, seen) ? [] : [recordLine(kind, before, seen, [])],
  };
}

/** A line for a record: the time of the change, its `names`, its status and description. */
export function recordLine<T extends StatusRecord<S>, S extends string>(
  { noun, statuses, words, zone }: RecordKind<T, S>,
  before: T | null,
  record: T,
  names: readonly string[],
): StreamLine {
  const { status, updated_at } = record;
  const width = Math.max(...statuses.map(({ length }) => length));
  const line = (given: Formatters) => {
    const show = given.inZone(zone?.(record) ?? null);
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

/** How a kind of record moves through its statuses. */
export interface StatusPath<S extends string> {
  /** The usual statuses in order: a later one also counts as reached. */
  usual: readonly S[];
  /** The statuses that can follow, for those after which not all can. */
  reachable: Readonly<Partial<Record<S, readonly S[]>>>;
}

/** A status of `fail_on` fails even if it is later than `until`; another final status always fails. */
export function outcomeOf<S extends string>(
  status: S,
  { until, fail_on }: StatusTarget<S>,
  { usual, reachable }: StatusPath<S>,
): Outcome {
  if (until.includes(status)) return 'reached';
  if (fail_on?.includes(status)) return 'failed';
  if (until.some((each) => usual.includes(each) && usual.indexOf(status) > usual.indexOf(each)))
    return 'reached';
  const coming = reachable[status];
  return coming === undefined || until.some((each) => coming.includes(each)) ? 'open' : 'failed';
}

/** A list whose records change. */
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
  /** True without a visible change between two polls; by default if status and time of the change are the same. */
  isUnchanged?(before: T, seen: T): boolean;
  lineOf(before: T | null, seen: T): StreamLine;
  events: EventFilter;
  /** The list with its filters as typed, for the command that continues. */
  command: Invocation;
  filters: Readonly<Record<string, string | boolean | undefined>>;
  /** The status of records that have not ended: `processing`. */
  open: string;
}

/** The common fields of listed records. */
interface Updated {
  status: string;
  test_mode: boolean;
  updated_at: string;
}

/** The result of polling a list. */
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
  const { idOf, isOpen, isKept, isUnchanged = isSameRecord, lineOf } = watched;
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
      return before !== null && isUnchanged(before, record) ? [] : [lineOf(before, record)];
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
