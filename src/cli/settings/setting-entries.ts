/** Settings as entries with a key, a value and an origin, as `config` lists and changes them. */
import { parseBaseUrl } from '../../client/addresses.ts';
import { readParcel } from '../../domain/parcel.ts';
import { type Flags, flagLabel, nameEnvVar, type RawInput } from '../kit/args/command-input.ts';
import { BadValue, durationText, type Flag, type Origin } from '../kit/args/flags.ts';
import { type GlobalName, type GlobalValues, globalFlags } from '../kit/args/global-flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import type { Environment, Host } from '../kit/host/host.ts';
import { colourVariable } from '../kit/output/colour.ts';
import { isAccessible } from '../kit/output/output-settings.ts';
import { shownKey } from '../kit/output/safe-text.ts';
import { didYouMean, invocation } from '../kit/result/message.ts';
import { type Column, formats } from '../kit/result/result.ts';
import type { AnswerBuilder, Shape } from '../kit/result/shape.ts';
import { initialProfiles, type Profile, type Profiles, readProfiles } from './profiles.ts';
import { profilesFile, selectProfile } from './settings.ts';

/** A setting in JSON. */
export function entryShape({ object, orNull }: AnswerBuilder): Shape {
  return object({
    key: 'string',
    value: orNull('string'),
    origin: 'flag | environment | profile | default',
    source: orNull('string'),
  });
}

/** The effective value of a setting, and its source. */
export interface Entry {
  key: string;
  /** The written form; null if it is not set. */
  value: string | null;
  origin: Origin;
  /** The flag, variable or file that sets it; null for a default. */
  source: string | null;
}

/** The settings that `profiles use` and `login` set, or the service reports. */
const readOnlyKeys: readonly string[] = ['profile', 'mode', 'api_key'];

/** The global flags that depend on the user's taste or environment: a profile can set them. */
const preferenceFlags = [
  'output',
  'color',
  'time',
  'noPager',
  'accessible',
  'requestTimeout',
] as const satisfies readonly GlobalName[];

export const preferences: readonly Preference[] = preferenceFlags.map((name) => ({
  key: settingKey(name),
  flag: name,
  flagSpec: globalFlags[name],
}));

/** The keys of all settings, in list order. */
export const entryKeys: readonly string[] = [
  ...['profile', 'base_url', 'mode', 'api_key'],
  ...preferences.map(({ key }) => key),
  'parcel',
];

/** The keys that can be set. */
export const settableKeys: readonly string[] = entryKeys.filter((key) => !readOnlyKeys.includes(key));

/** The run whose settings are listed. */
interface EntryContext {
  globals: GlobalValues;
  isTyped(name: string): boolean;
  host: Host;
}

/** The effective value of every setting: flag, then environment, then profile, then default. */
export function effectiveEntries(context: EntryContext, profiles: Profiles, file: string): Entry[] {
  const baseUrl = givenText('baseUrl', context);
  const { profile } = selectProfile(profiles, { profile: givenText('profile', context), baseUrl });
  const stored = (key: string, value: string | undefined) => storedEntry(key, value, profiles, file);
  return [
    profileEntry(context, profiles, file),
    givenEntry('base_url', 'baseUrl', withoutPassword(baseUrl), context) ??
      stored('base_url', profile?.base_url),
    stored('mode', profile?.mode),
    keyEntry(context, profile, file),
    ...preferences.map((preference) => preferenceEntry(preference, context, profile, file)),
    stored('parcel', profile?.preferences?.parcel),
  ];
}

/** A value from the file, or a default if there is none or the file does not exist yet. */
function storedEntry(key: string, value: string | undefined, profiles: Profiles, file: string): Entry {
  return value && profiles !== initialProfiles
    ? { key, value, origin: 'profile', source: file }
    : defaultEntry(key, value || null);
}

function profileEntry(context: EntryContext, profiles: Profiles, file: string): Entry {
  return (
    givenEntry('profile', 'profile', givenText('profile', context), context) ??
    storedEntry('profile', profiles.current, profiles, file)
  );
}

/** Warns if a setting was stored without effect, as something else than the profile decides on it here. */
export function warnIfOverridden(
  context: EntryContext & { warning(code: string, message: string, facts: object): void },
  profile: string,
  { key, value }: Pick<Entry, 'key' | 'value'>,
): void {
  const file = profilesFile(context.host);
  const profiles = readProfiles(file);
  const entry =
    key === 'profile'
      ? profileEntry(context, profiles, file)
      : effectiveEntries(context, profiles, file).find((each) => each.key === key);
  const preference = preferences.find((each) => each.key === key);
  const wanted = value !== null && preference !== undefined ? asRead(value, preference) : value;
  if (entry === undefined || entry.value === wanted) return;
  const { source = null } = entry;
  const why =
    source === null || entry.origin === 'profile'
      ? `${nameEnvVar('baseUrl')} names another service, for which the settings of profile ${profile} do not count`
      : `${source} sets it to ${entry.value}`;
  context.warning('overridden', `The stored ${key} has no effect here: ${why}.`, { key, source });
}

/** A URL with a password is never used, but a variable may contain one. */
function withoutPassword(url: string | undefined): string | undefined {
  return url?.replace(/\/\/[^/?#]*@/, '//***@');
}

function defaultEntry(key: string, value: string | null): Entry {
  return { key, value, origin: 'default', source: null };
}

/** From the line or the environment, also where the command does not take the flag. */
function givenText(name: 'profile' | 'baseUrl', { globals, host }: EntryContext): string | undefined {
  return globals[name] ?? (host.environment[nameEnvVar(name)] || undefined);
}

/** A value from the line or the environment. */
function givenEntry(
  key: string,
  name: GlobalName,
  value: string | undefined,
  { isTyped }: EntryContext,
): Entry | null {
  if (value === undefined) return null;
  return isTyped(name)
    ? { key, value, origin: 'flag', source: flagLabel(name) }
    : { key, value, origin: 'environment', source: nameEnvVar(name) };
}

function keyEntry(context: EntryContext, profile: Profile | null, file: string): Entry {
  const { globals, isTyped, host } = context;
  const key = 'api_key';
  const fromFile = givenEntry(key, 'apiKeyFile', globals.apiKeyFile, context);
  if (fromFile !== null && isTyped('apiKeyFile')) return fromFile;
  const variable = host.environment.WAYBILL_API_KEY;
  if (variable) return { key, value: shownKey(variable), origin: 'environment', source: 'WAYBILL_API_KEY' };
  if (fromFile !== null) return fromFile;
  if (profile?.api_key_in !== undefined)
    return { key, value: profile.api_key_shown ?? null, origin: 'profile', source: "the system's keychain" };
  const value = profile?.api_key === undefined ? profile?.api_key_file : shownKey(profile.api_key);
  return value === undefined ? defaultEntry(key, null) : { key, value, origin: 'profile', source: file };
}

function preferenceEntry(
  preference: Preference,
  context: EntryContext,
  profile: Profile | null,
  file: string,
): Entry {
  const { key, flag: name, flagSpec } = preference;
  const { environment } = context.host;
  const general = generalVariable(key, environment);
  if (context.isTyped(name)) {
    const value = typedValue(context.globals[name], flagSpec);
    return value === 'auto' && general ? general : { key, value, origin: 'flag', source: flagLabel(name) };
  }
  const variable = environment[nameEnvVar(name)];
  const value = variable && asRead(variable, preference);
  if (value && !(value === 'auto' && general))
    return { key, value, origin: 'environment', source: nameEnvVar(name) };
  if (general) return general;
  const text = preferredValue(profile, preference);
  if (text !== undefined) return { key, value: asRead(text, preference), origin: 'profile', source: file };
  return defaultEntry(key, defaultOf(flagSpec));
}

/** The value from a variable that other programs read, too, such as NO_COLOR; null without one. */
function generalVariable(key: string, environment: Environment): Entry | null {
  const colour = key === 'color' ? colourVariable(environment) : null;
  if (colour !== null) return { key, value: colour.mode, origin: 'environment', source: colour.name };
  return key === 'accessible' && isAccessible(environment)
    ? { key, value: 'true', origin: 'environment', source: 'ACCESSIBLE' }
    : null;
}

/** A text as its flag reads it: `true` for `yes`, `90s` for `90000ms`. */
function asRead(text: string, { flagSpec }: Preference): string {
  return typedValue(flagSpec.read([text]), flagSpec);
}

/** Formats a value as typed. */
function typedValue(value: unknown, { kind }: Preference['flagSpec']): string {
  return kind === 'duration' && typeof value === 'number' ? durationText(value) : String(value);
}

/** The default of a flag, as shown in help. */
function defaultOf(flagSpec: Preference['flagSpec']): string | null {
  if (flagSpec.kind === 'switch') return String(flagSpec.absent());
  return flagSpec.defaultText;
}

interface Change {
  key: string;
  value: string;
  name: string;
}

/** Changes a setting of a profile; UsageError for an invalid value, BadBaseUrl for an invalid URL. */
export function withSetting(profile: Profile, { key, value, name }: Change): Profile {
  if (key === 'base_url') return withBaseUrl(profile, value, name);
  checkValue(key, value);
  const output = formats.find((format) => format === value);
  if (key === 'output') return output === undefined ? profile : { ...profile, output };
  return { ...profile, preferences: { ...profile.preferences, [key]: value } };
}

/** Resets a setting of a profile to its default. */
export function withoutSetting(profile: Profile, key: string): Profile {
  const { output, preferences: { [key]: _, ...remaining } = {}, ...rest } = profile;
  return {
    ...rest,
    ...(output === undefined || key === 'output' ? {} : { output }),
    ...(Object.keys(remaining).length === 0 ? {} : { preferences: remaining }),
  };
}

/** Throws UsageError for an invalid value of a setting. */
function checkValue(key: string, value: string): void {
  if (key === 'parcel' && readParcel(value) === null)
    throw new UsageError(
      `parcel must be length, width and height in inches and a weight in pounds, such as 12x10x8,5, not "${value}".`,
      { code: 'bad_value' },
    );
  const flagSpec = preferences.find((preference) => preference.key === key)?.flagSpec;
  const fault = flagSpec === undefined ? null : faultIn(flagSpec, value);
  if (fault === null) return;
  const hint = fault.given === null ? undefined : didYouMean(fault.given, fault.choices);
  throw new UsageError(`${key} ${fault.message}.`, {
    code: 'bad_value',
    choices: fault.choices,
    ...(hint === undefined ? {} : { hint }),
  });
}

/** Sets the URL of a profile. An embedded one keeps it, and one with a key, as that is for its service. */
function withBaseUrl(profile: Profile, value: string, name: string): Profile {
  parseBaseUrl(value);
  if (profile.base_url === value) return profile;
  const { api_key, api_key_file, api_key_in, embedded } = profile;
  const hasKey = [api_key, api_key_file, api_key_in].some((keyField) => keyField !== undefined);
  if (!hasKey && embedded === undefined) {
    // What the former service has reported does not hold for this one.
    const { mode: _, service: __, ...rest } = profile;
    return { ...rest, base_url: value };
  }
  const why = hasKey ? 'has a key, which is for its own service' : 'is the service inside waybill';
  throw new Failure(6, 'profile_settled', `The profile ${name} ${why}: its address stays.`, {
    next: [{ ...invocation('login', [], { baseUrl: value }), when: 'log in there with a new profile' }],
  });
}

/** Columns of settings, with the source of each value on request. */
export function entryColumns(showOrigin: boolean): Column<Entry>[] {
  const columns: Column<Entry>[] = [
    { field: 'key', header: 'Key', kind: 'id' },
    { field: 'value', header: 'Value', kind: 'text' },
  ];
  if (!showOrigin) return columns;
  return [
    ...columns,
    { field: 'origin', header: 'Origin', kind: 'text' },
    { field: 'source', header: 'Source', kind: 'text' },
  ];
}

/** A setting that a profile can have for all its commands. */
interface Preference {
  key: string;
  /** The flag that overrides it, also by its environment variable. */
  flag: GlobalName;
  /** Parses its text. */
  flagSpec: Flag<unknown>;
}

/** `request_timeout` for `requestTimeout`. */
function settingKey(name: GlobalName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The profile's value; undefined if it is missing or invalid. */
function preferredValue(profile: Profile | null, { key, flagSpec }: Preference): string | undefined {
  const text = key === 'output' ? profile?.output : profile?.preferences?.[key];
  return text !== undefined && faultIn(flagSpec, text) === null ? text : undefined;
}

/** The fault of a text; null if it is valid. */
function faultIn(flagSpec: Flag<unknown>, text: string): BadValue | null {
  try {
    flagSpec.read([text]);
    return null;
  } catch (error) {
    if (error instanceof BadValue) return error;
    throw error;
  }
}

/**
 * Adds the profile's values for global flags that are not given. The format is left out, as commands without a service
 * do not use it.
 */
export function withPreferences(
  raw: RawInput,
  flags: Flags,
  profile: Profile,
  environment: Environment,
): RawInput {
  const texts = preferences.flatMap((preference): [string, string[]][] => {
    const { flag: name, key } = preference;
    if (key === 'output' || raw.flags.has(name) || !Object.hasOwn(flags, name)) return [];
    if (name === 'color' && colourVariable(environment) !== null) return [];
    const text = preferredValue(profile, preference);
    return text === undefined ? [] : [[name, [text]]];
  });
  return { ...raw, flags: new Map([...raw.flags, ...texts]) };
}
