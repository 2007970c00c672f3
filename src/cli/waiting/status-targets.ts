/** The statuses that a wait ends at, and the flags that name them. */
import { statusNamed } from '../../domain/status-words.ts';
import { BadValue, type Flag, type FlagOptions, textFlag } from '../kit/args/flags.ts';

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
