import { alignedRows } from '../kit/output/rows.ts';
import { oneLine } from '../kit/output/sanitize.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import type { Show, StreamLine } from '../kit/result/result.ts';

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
  const line = (given: Show) => {
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
interface Changing {
  status: string;
  updated_at: string;
}

/** True if a record has not changed. A service without change times still reports the status. */
export function isSameRecord(before: Changing | null | undefined, seen: Changing): boolean {
  return before?.updated_at === seen.updated_at && before.status === seen.status;
}
