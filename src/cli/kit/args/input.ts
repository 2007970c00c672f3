import { product } from '../product.ts';
import { dashed } from '../result/message.ts';
import type {
  BadInput,
  Flags,
  InputFaults,
  MissingInput,
  PositionalSpec,
  PositionalSpecs,
  Raw,
} from './command-spec.ts';
import { BadValue, type Flag, type Given } from './flags.ts';
import { didYouMean, meant } from './suggestions.ts';

/** Finds all faults of the given texts; `oneOf` are flags of which one is required. */
export function faultsOf(
  flags: Flags,
  places: PositionalSpecs,
  raw: Raw,
  oneOf: readonly string[] = [],
): InputFaults {
  const given = givenOf(places, raw);
  const missing = [...missingOf(places, given, placeLabel), ...missingOf(flags, given, flagLabel)];
  return {
    missing,
    bad: [...excessOf(places, raw), ...badPlacesOf(places, raw), ...badOf(flags, raw)],
    oneOf: oneOf.some((name) => given.has(name)) ? [] : oneOf.map(flagLabel),
  };
}

function missingOf(
  parts: Flags | PositionalSpecs,
  given: Given,
  label: (name: string) => string,
): MissingInput[] {
  return Object.entries(parts)
    .filter(([name, part]) => !given.has(name) && isRequired(part, given))
    .map(([name, part]) => ({ label: label(name), name, part }));
}

function isRequired(part: Flag<unknown> | PositionalSpec<unknown>, given: Given): boolean {
  return typeof part.required === 'function' ? part.required(given) : part.required;
}

function badOf(flags: Flags, raw: Raw): BadInput[] {
  return Object.entries(flags).flatMap(([name, flag]) => {
    const texts = raw.flags.get(name);
    if (texts === undefined) return [];
    return faultOf(flagLabel(name), () => flag.read(texts)).map((fault) =>
      withFlagMeant(fault, flags, texts),
    );
  });
}

/** Suggests the flag if a flag's value is the name of another flag: `--status late`. */
function withFlagMeant(fault: BadInput, flags: Flags, texts: readonly string[]): BadInput {
  const name = texts.at(-1)?.toLowerCase() ?? '';
  const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
  if (flag === undefined || fault.choices.length === 0) return fault;
  return { ...fault, hint: meant([`${flagLabel(name)} ${flag.placeholder}`.trimEnd()]) };
}

function badPlacesOf(places: PositionalSpecs, raw: Raw): BadInput[] {
  const words = assign(places, raw.words);
  return Object.entries(places).flatMap(([name, place]) => {
    const given = words.get(name) ?? [];
    return given.some(isBlank)
      ? [{ label: placeLabel(name), message: notEmpty, choices: [] }]
      : faultOf(placeLabel(name), () => place.read(given));
  });
}

/** The fault of an empty text, such as `"$ID"` with an unset variable: it never identifies a record. */
export const notEmpty = 'must not be empty';

/** True for an empty or blank text. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function faultOf(label: string, read: () => unknown): BadInput[] {
  try {
    read();
    return [];
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    const { message, choices, given, hint } = error;
    const near = given === null ? undefined : didYouMean(given, choices);
    return [{ label, message, choices, hint: hint ?? near }];
  }
}

/** The fault of an unexpected argument; the message may continue. */
export const tooMany = 'is an unexpected argument';

function excessOf(places: PositionalSpecs, raw: Raw): BadInput[] {
  const entries = Object.values(places);
  const room = entries.some((place) => place.variadic) ? Number.POSITIVE_INFINITY : entries.length;
  return raw.words.slice(room).map((word) => ({
    label: isBlank(word) ? '""' : word,
    message: room === 0 ? `${tooMany}: this command takes none` : tooMany,
    choices: [],
  }));
}

/** Returns which flags and positionals were given. */
export function givenOf(places: PositionalSpecs, raw: Raw): Given {
  const words = assign(places, raw.words);
  return {
    has: (name) => raw.flags.has(name) || (words.get(name)?.length ?? 0) > 0,
    says: (name, text) => (raw.flags.get(name) ?? words.get(name))?.at(-1) === text,
    find: (name) => {
      const texts = raw.flags.get(name);
      return texts === undefined ? null : { texts, origin: raw.origins?.get(name) ?? 'flag' };
    },
  };
}

/** Reads the values of all flags; throws BadValue. */
export function readFlags(flags: Flags, raw: Raw): Record<string, unknown> {
  const values = Object.entries(flags).map(([name, flag]) => {
    const texts = raw.flags.get(name);
    return [name, texts === undefined ? flag.absent() : flag.read(texts)];
  });
  return Object.fromEntries(values);
}

/** The values of all positionals. */
export function readPlaces(places: PositionalSpecs, raw: Raw): Record<string, unknown> {
  const words = assign(places, raw.words);
  const values = Object.entries(places).map(([name, place]) => [name, place.read(words.get(name) ?? [])]);
  return Object.fromEntries(values);
}

function assign(places: PositionalSpecs, words: readonly string[]): Map<string, readonly string[]> {
  const entries = Object.entries(places);
  return new Map(
    entries.map(([name, { variadic }], index) => [
      name,
      variadic ? words.slice(index) : words.slice(index, index + 1),
    ]),
  );
}

/** The label of a flag: `--pickup-address`. */
export function flagLabel(name: string): string {
  return `--${dashed(name)}`;
}

/** The label of a positional in help: `ORDER`. */
export function placeLabel(name: string): string {
  return dashed(name).toUpperCase();
}

const { environment_prefix } = product;

/** The environment variable of a flag: `WAYBILL_BASE_URL`. */
export function envVarOf(name: string): string {
  return `${environment_prefix}${dashed(name).toUpperCase().replaceAll('-', '_')}`;
}

/** The name of the flag with this environment variable, or an empty list. Windows ignores the case of names. */
export function flagsOfEnvVar(variable: string): string[] {
  const upper = variable.toUpperCase();
  if (!upper.startsWith(environment_prefix)) return [];
  const [first = '', ...words] = upper.slice(environment_prefix.length).toLowerCase().split('_');
  return [first + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')];
}
