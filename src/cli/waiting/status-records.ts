import { BadValue, type Flag, type FlagOptions, text } from '../kit/args/flags.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { alignedRows } from '../kit/output/terminal-lines.ts';
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

/** The statuses that a wait ends at. */
export interface StatusTarget<S extends string> {
  /** Any of these ends it successfully. */
  until: readonly S[];
  /** Statuses that fail the wait; null: every status from which `until` is unreachable. */
  fail_on: readonly S[] | null;
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

/** The accepted names of a record's statuses, including groups. */
interface Vocabulary<S extends string> {
  statuses: readonly S[];
  groups?: Readonly<Record<string, readonly S[]>>;
}

/** Statuses, and the text that specified them. */
export interface NamedStatuses<S extends string> {
  text: string;
  statuses: readonly S[];
}

/** The flags of a wait for a status: --until with a default, and --fail-on. */
export function targetFlags<S extends string>(vocabulary: Vocabulary<S>, preset: S) {
  return {
    until: presetStatuses(vocabulary, {
      default: preset,
      summary: 'Status to wait for (comma-separated for any of several)',
    }),
    failOn: statusesFlag(vocabulary, {
      summary: 'Statuses that mean failure (default: any that makes --until unreachable)',
    }),
  };
}

/** The target that those flags specify. */
export function targetOf<S extends string>({ until, failOn }: TargetValues<S>): StatusTarget<S> {
  return { until: until.statuses, fail_on: failOn?.statuses ?? null };
}

interface TargetValues<S extends string> {
  until: NamedStatuses<S>;
  failOn: NamedStatuses<S> | null;
}

type Options = Omit<FlagOptions, 'placeholder' | 'group'>;

/** `canceled,failed,returned`: statuses and groups; a name that is both means the group. */
export function statusesFlag<S extends string>(
  vocabulary: Vocabulary<S>,
  options: Options,
): Flag<NamedStatuses<S> | null> {
  return { ...named(vocabulary, options), absent: () => null };
}

/** The same with a default. */
export function presetStatuses<S extends string>(
  vocabulary: Vocabulary<S>,
  options: Options & { default: S },
): Flag<NamedStatuses<S>> {
  const preset = options.default;
  const absent = () => ({ text: preset, statuses: [preset] });
  return { ...named(vocabulary, options), defaultText: preset, absent };
}

function named<S extends string>(vocabulary: Vocabulary<S>, options: Options) {
  const base = text({ ...options, placeholder: 'STATUSES', group: 'Waiting' });
  const read = (texts: readonly string[]): NamedStatuses<S> => {
    const given = texts.at(-1) ?? '';
    return { text: given, statuses: readStatuses(given, vocabulary) };
  };
  return { ...base, choices: namesOf(vocabulary), read };
}

function namesOf({ statuses, groups = {} }: Vocabulary<string>): string[] {
  return [...new Set([...Object.keys(groups), ...statuses])];
}

/** Throws BadValue. */
export function readStatuses<S extends string>(given: string, vocabulary: Vocabulary<S>): readonly S[] {
  const { statuses, groups = {} } = vocabulary;
  return given.split(',').flatMap((part) => {
    const name = part.trim();
    const group = Object.hasOwn(groups, name) ? groups[name] : undefined;
    const found = group ?? statuses.filter((each) => each === name);
    if (found.length > 0) return found;
    const words = Object.keys(groups).length === 0 ? '' : ' and groups of them';
    const message = `must be comma-separated statuses${words}, not "${name}"`;
    throw new BadValue(message, namesOf(vocabulary), name);
  });
}
