import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { AmountUnit } from '../../client/contract-notation.ts';
import { type Features, featureNames } from '../../client/features.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import { didYouMean } from '../kit/args/suggestions.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { jsonFault } from '../kit/output/json-fault.ts';
import { invocation } from '../kit/result/message.ts';
import { type Format, formats } from '../kit/result/result.ts';
import type { AnswerBuilder, Shape } from '../kit/result/shape.ts';
import { type SettingsFile, settingsFile } from '../kit/settings/settings-file.ts';
import { reasonOf } from '../kit/system/files.ts';

/** A profile: the service, its key and mode. */
export interface Profile {
  /** The embedded service; otherwise `base_url` is set. */
  embedded?: true;
  base_url?: string;
  /** Reported by the service, never guessed. */
  mode?: 'test' | 'live';
  /** The service's features; absent if it has all of them or was not asked. */
  service?: Features;
  /** The unit of the service's amounts, if the user gave it. */
  amounts?: AmountUnit;
  api_key?: string;
  /** The path of the key, instead of the key. */
  api_key_file?: string;
  /** The key is in the system keychain; `api_key_shown` has its visible part. */
  api_key_in?: 'keychain';
  api_key_shown?: string;
  /** Store new keys in this file instead of the keychain. */
  insecure_storage?: true;
  /** The secret that signs events forwarded by `listen`. */
  listening_secret?: string;
  /** The default output format. */
  output?: Format;
  /** Default values of global flags and settings: texts by their keys. */
  preferences?: Preferences;
}

/** The exit codes and errors of commands that use a profile, but no service. */
export const profileFaults = {
  exits: { 5: 'no such profile' },
  errors: ['profile_not_found', 'settings_broken', 'settings_unusable'],
} as const;

/** A profile in JSON. */
export function profileShape({ object }: AnswerBuilder): Shape {
  return object({
    name: 'string',
    current: 'boolean',
    'base_url?': 'string',
    'embedded?': 'true',
    'mode?': 'test | live',
    'amounts?': 'dollars | cents',
    'api_key?': 'string',
    'api_key_file?': 'string',
    'api_key_in?': 'string',
    'api_key_shown?': 'string',
    'insecure_storage?': 'true',
    'output?': 'string',
    'preferences?': 'object',
  });
}

type Preferences = Readonly<Record<string, string>>;

export interface Profiles {
  current: string;
  profiles: Readonly<Record<string, Profile>>;
}

export const defaultName = 'sandbox';

/** The profiles before any setup. */
export const initial: Profiles = {
  current: defaultName,
  profiles: { [defaultName]: { embedded: true, mode: 'test' } },
};

/** Reads the profiles of a file; the initial ones without a file. */
export function readProfiles(file: string): Profiles {
  return profilesIn(file).read();
}

/** Throws Failure if profiles cannot be written: call it before a step that cannot be undone. */
export function checkWritable(file: string): void {
  profilesIn(file).checkWritable();
}

/** Changes the profiles as currently stored, so that changes by other processes are kept. */
export function changeProfiles(file: string, change: (profiles: Profiles) => Profiles): void {
  profilesIn(file).change(change);
}

/** Changes one profile, which is undefined if it does not exist. */
export function changeProfile(
  file: string,
  name: string,
  change: (profile: Profile | undefined) => Profile,
): void {
  changeProfiles(file, (all) => {
    const kept = Object.hasOwn(all.profiles, name) ? all.profiles[name] : undefined;
    return { ...all, profiles: { ...all.profiles, [name]: change(kept) } };
  });
}

function profilesIn(file: string): SettingsFile<Profiles> {
  return settingsFile(file, {
    initial,
    parse: (content) => parseProfiles(content, file),
    errorFor: (problem, cause) => errors[problem](file, cause),
  });
}

const errors = {
  not_json: (file: string) => {
    const fault = jsonFault(readFileSync(file, 'utf8'), { isSecret: true });
    return broken(file, `it is not valid JSON: ${fault}`);
  },
  unreadable: (file: string, cause: unknown) => unusable(`The settings file ${file} cannot be read`, cause),
  unwritable: (file: string, cause: unknown) =>
    unusable(`The settings folder ${dirname(file)} cannot be written to`, cause),
};

function broken(file: string, reason: string): Failure {
  return new Failure(2, 'settings_broken', `The settings file ${file} cannot be used: ${reason}.`, {
    hint: `Correct the file, or move it away and log in again. Nothing was written to it.`,
  });
}

function unusable(what: string, error: unknown): Failure {
  return new Failure(2, 'settings_unusable', `${what}: ${reasonOf(error)}.`, {
    hint: 'Put that right, or name another folder for the settings with WAYBILL_CONFIG_DIR.',
    cause: error,
  });
}

function parseProfiles({ current, profiles }: Fields, file: string): Profiles {
  if (!isFields(profiles)) throw broken(file, 'it does not hold profiles');
  const entries = Object.entries(profiles).map(([name, fields]) => [name, parseProfile(fields, name, file)]);
  return {
    current: typeof current === 'string' ? current : defaultName,
    profiles: { ...initial.profiles, ...Object.fromEntries(entries) },
  };
}

/** Parses a profile and leaves out fields that this version cannot read. */
function parseProfile(fields: unknown, name: string, file: string): Profile {
  if (!isFields(fields)) throw broken(file, `profile ${name} is not an object`);
  const { embedded, base_url, mode, service, amounts, listening_secret, output, preferences } = fields;
  const format = formats.find((known) => known === output);
  if (embedded !== true && typeof base_url !== 'string') {
    throw broken(file, `profile ${name} has neither base_url nor embedded`);
  }
  return {
    ...(typeof base_url === 'string' ? { base_url } : { embedded: true }),
    ...(mode === 'test' || mode === 'live' ? { mode } : {}),
    ...(isFields(service) ? { service: parseFeatures(service) } : {}),
    ...(amounts === 'dollars' || amounts === 'cents' ? { amounts } : {}),
    ...keyFields(fields),
    ...(typeof listening_secret === 'string' ? { listening_secret } : {}),
    ...(format === undefined ? {} : { output: format }),
    ...(isFields(preferences) ? { preferences: textsOf(preferences) } : {}),
  };
}

/** The key, or its location. */
function keyFields({
  api_key,
  api_key_file,
  api_key_in,
  api_key_shown,
  insecure_storage,
}: Fields): Partial<Profile> {
  return {
    ...(typeof api_key === 'string' ? { api_key } : {}),
    ...(typeof api_key_file === 'string' ? { api_key_file } : {}),
    ...(api_key_in === 'keychain' ? { api_key_in } : {}),
    ...(typeof api_key_shown === 'string' ? { api_key_shown } : {}),
    ...(insecure_storage === true ? { insecure_storage } : {}),
  };
}

function parseFeatures(fields: Fields): Features {
  const known = featureNames.flatMap((name) => {
    const has = fields[name];
    return typeof has === 'boolean' ? [[name, has]] : [];
  });
  return Object.fromEntries(known);
}

function textsOf(entries: Fields): Preferences {
  const texts = Object.entries(entries).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text]] : [],
  );
  return Object.fromEntries(texts);
}

/** Finds a profile by name; Failure with exit 5 if it does not exist. */
export function profileNamed({ profiles }: Profiles, name: string): Profile {
  const profile = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (profile !== undefined) return profile;
  const hint = didYouMean(name, Object.keys(profiles));
  throw new Failure(5, 'profile_not_found', `There is no profile "${name}".`, {
    ...(hint === undefined ? {} : { hint }),
    choices: Object.keys(profiles),
    next: [
      { ...invocation('profiles list'), when: 'see those there are' },
      { ...invocation('profiles create', [name], { baseUrl: 'URL' }), when: 'make it' },
    ],
  });
}

/** Throws UsageError for an invalid profile name. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,62}$/.test(name) && !(name in {})) return;
  throw new UsageError(`"${name}" cannot name a profile: letters, digits, dots, dashes, underscores.`);
}
