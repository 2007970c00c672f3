import { BadValue, type Flag, type FlagOptions, text } from '../line/flags.ts';

/** What somebody waits for. */
export interface Goal<S extends string> {
  /** Any of these. */
  until: readonly S[];
  /** Where waiting is given up; null: wherever `until` cannot be reached any more. */
  fail_on: readonly S[] | null;
}

/** How a wait stands: `lost` where it is given up, or where nothing can lead there any more. */
export type Outcome = 'reached' | 'lost' | 'open';

/** How a kind of record goes through its statuses. */
export interface Course<S extends string> {
  /** The statuses of the usual way, in order: a later one will do. */
  way: readonly S[];
  /** From those where not everything is open any more: what may still come by itself. */
  left: Readonly<Partial<Record<S, readonly S[]>>>;
}

/** A status of `fail_on` is given up though it is later than `until`; an end elsewhere is one in any case. */
export function outcomeAlong<S extends string>(
  status: S,
  { until, fail_on }: Goal<S>,
  { way, left }: Course<S>,
): Outcome {
  if (until.includes(status)) return 'reached';
  if (fail_on?.includes(status)) return 'lost';
  if (until.some((each) => way.includes(each) && way.indexOf(status) > way.indexOf(each))) return 'reached';
  const coming = left[status];
  return coming === undefined || until.some((each) => coming.includes(each)) ? 'open' : 'lost';
}

/** The words that name statuses of a noun: the statuses, and groups of them. */
export interface Vocabulary<S extends string> {
  statuses: readonly S[];
  groups?: Readonly<Record<string, readonly S[]>>;
}

/** Statuses, and the text that named them. */
export interface NamedStatuses<S extends string> {
  text: string;
  statuses: readonly S[];
}

type Options = Omit<FlagOptions, 'placeholder' | 'group'>;

/** `canceled,failed,returned`: statuses and groups of them; a name that is both is the group. */
export function statusesFlag<S extends string>(
  vocabulary: Vocabulary<S>,
  options: Options,
): Flag<NamedStatuses<S> | null> {
  return { ...named(vocabulary, options), absent: () => null };
}

/** The same, with statuses that are meant where none are named. */
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
