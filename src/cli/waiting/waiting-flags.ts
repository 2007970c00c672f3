/** The flags of commands that wait or watch: how long, how often, and until which statuses. */
import { statusNamed } from '../../domain/status-words.ts';
import { flagLabel } from '../kit/args/command-input.ts';
import {
  BadValue,
  durationFlag,
  durationText,
  type Flag,
  type FlagOptions,
  readDuration,
  switchFlag,
  textFlag,
} from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

const group = 'Waiting';

export interface Waiting {
  /** The total time; by default as the command defines. */
  timeout_ms: number | undefined;
  /** The pause between two polls; by default as the API recommends. */
  interval_ms: number | undefined;
}

/** The flags of every wait: timeout and poll interval; `otherwise` describes the default timeout. */
export function paceFlags(otherwise: string) {
  return {
    interval: intervalFlag(),
    timeout: durationFlag({ summary: `Maximum time to wait, then exit 8 (default: ${otherwise})`, group }),
  };
}

/** The flags of a command that can watch: a line for each change, until `end`. */
export function watchFlags(end: string, otherwise = 'no limit') {
  return {
    watch: switchFlag({ summary: `Print a line for each change until ${end}`, short: 'w', group }),
    ...paceFlags(otherwise),
  };
}

/** For commands that return their result at the end of the wait. */
export function waitFlag(summary: string): Flag<boolean> {
  return switchFlag({ summary, group });
}

const min_interval_ms = 250;

function intervalFlag(): Flag<number | undefined> {
  const base = durationFlag({ summary: 'Time between polls (default: 2s, increasing to 15s)', group });
  return { ...base, read: (texts) => readInterval(texts.at(-1) ?? '') };
}

function readInterval(given: string): number {
  const length = readDuration(given);
  if (length >= min_interval_ms) return length;
  throw new BadValue(`must be at least ${durationText(min_interval_ms)}, not "${given}"`);
}

interface WaitingValues {
  timeout: number | undefined;
  interval: number | undefined;
}

export function toWaiting({ timeout, interval }: WaitingValues): Waiting {
  return { timeout_ms: timeout, interval_ms: interval };
}

/** The flags of a wait as typed. */
export function typedWaiting(
  { isTyped }: Pick<Context, 'isTyped'>,
  values: Partial<WaitingValues> & Targets,
) {
  const { timeout, interval, until, failOn } = values;
  const typed = (length: number | undefined) => (length === undefined ? undefined : durationText(length));
  return {
    until: isTyped('until') ? until?.text : undefined,
    failOn: failOn?.text,
    interval: typed(interval),
    timeout: isTyped('timeout') ? typed(timeout) : undefined,
  };
}

/** Returns the options set by the flags, and the command that resumes the wait with the same flags. */
export function waitOptions(
  context: Pick<Context, 'isTyped'>,
  [command, id, way = {}]: readonly [command: string, id: string, way?: WaitWay],
  flags: WaitingValues & Targets,
  default_timeout_ms?: number,
) {
  const again = invocation(command, [id], { ...way, ...typedWaiting(context, flags) });
  const { timeout = default_timeout_ms } = flags;
  return { ...toWaiting({ ...flags, timeout }), again: () => [again] };
}

/** The flag that makes a command wait, if waiting is optional. */
export interface WaitWay {
  wait?: boolean;
  watch?: boolean;
}

interface Targets {
  until?: { text: string } | null;
  failOn?: { text: string } | null;
}

/** Flags that require a waiting flag. */
const waitingNames: readonly string[] = ['timeout', 'interval', 'failOn'];
/** With --until, which waits for one record and filters a list. */
export const recordWaitingNames: readonly string[] = ['until', ...waitingNames];

/**
 * Throws UsageError for several ways to wait, or for waiting options without one; their values from the environment are
 * defaults for commands that wait.
 */
export function checkWaiting(
  { isTyped }: Pick<Context, 'isTyped'>,
  ways: Readonly<Record<string, boolean>>,
  names = waitingNames,
): void {
  const labels = Object.keys(ways).map(flagLabel);
  const given = labels.filter((_, index) => Object.values(ways)[index]);
  if (given.length > 1) throw new UsageError(`Use only one of ${given.join(' and ')}.`);
  const typed = names.filter(isTyped);
  if (given.length === 0 && typed.length > 0) {
    const verb = typed.length === 1 ? 'requires' : 'require';
    const said = typed.map(flagLabel).join(', ');
    throw new UsageError(`${said} ${verb} ${labels.join(' or ')}.`);
  }
}

/** Throws UsageError if a list cannot be watched, or if watching options are given without watching. */
export function checkWatchedList(
  context: Pick<Context, 'isTyped'>,
  { watch, all, cursor }: { watch: boolean; all: boolean; cursor: string | undefined },
): void {
  checkWaiting(context, { watch });
  if (watch && (all || cursor !== undefined))
    throw new UsageError('--watch cannot be combined with --all or --cursor.');
}

/** A watched list is a single page. */
export function watchedLimit(limit: number): number {
  return Math.min(limit, 100);
}

/** The statuses that a wait ends at. */
export interface StatusTarget<S extends string> {
  /** Any of these ends it successfully. */
  until: readonly S[];
  /** Statuses that fail the wait; null: every status from which `until` is unreachable. */
  fail_on: readonly S[] | null;
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
      summary: 'Statuses that mean failure (default: any from which what is waited for is not reached)',
    }),
  };
}

/** The target that those flags specify. */
export function statusTarget<S extends string>({ until, failOn }: TargetValues<S>): StatusTarget<S> {
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
  return { ...statusesFlagBase(vocabulary, options), absent: () => null };
}

/** A flag of statuses as `statusesFlag` makes it, with a default. */
export function presetStatuses<S extends string>(
  vocabulary: Vocabulary<S>,
  options: Options & { default: S },
): Flag<NamedStatuses<S>> {
  const preset = options.default;
  const absent = () => ({ text: preset, statuses: [preset] });
  return { ...statusesFlagBase(vocabulary, options), defaultText: preset, absent };
}

function statusesFlagBase<S extends string>(vocabulary: Vocabulary<S>, options: Options) {
  const base = textFlag({ ...options, placeholder: 'STATUSES', group: 'Waiting' });
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
    const typed = part.trim();
    const name = namesOf(vocabulary).includes(typed) ? typed : statusNamed(typed);
    const grouped = Object.hasOwn(groups, name) ? groups[name] : undefined;
    const found = grouped ?? statuses.filter((each) => each === name);
    if (found.length > 0) return found;
    const words = Object.keys(groups).length === 0 ? '' : ' and groups of them';
    const message = `must be comma-separated statuses${words}, not "${typed}"`;
    throw new BadValue(message, namesOf(vocabulary), typed);
  });
}
