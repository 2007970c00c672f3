/** The profiles in the settings file: how they are read and checked (`readProfiles`), changed, and found by name. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Features, featureNames } from '../../client/service-features.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { didYouMean, invocation } from '../kit/result/message.ts';
import { type Format, formats } from '../kit/result/result.ts';
import type { AnswerBuilder, Shape } from '../kit/result/shape.ts';
import { explainFileError } from '../kit/system/files.ts';
import { jsonFault } from '../kit/system/json-fault.ts';
import { type SettingsFile, settingsFile } from '../kit/system/settings-file.ts';

/** A profile: a service with its key and mode, and the user's preferences. */
export interface Profile {
  /** The embedded service; otherwise `base_url` is set. */
  embedded?: true;
  base_url?: string;
  /** Reported by the service, never guessed. */
  mode?: 'test' | 'live';
  /** The service's features; absent if it has all of them or they are unknown. */
  service?: Features;
  api_key?: string;
  /** The path of the key, instead of the key. */
  api_key_file?: string;
  /** The key is in the system keychain; `api_key_shown` has its visible part. */
  api_key_in?: 'keychain';
  api_key_shown?: string;
  /** What the key may do, if it is no admin key; learned at login. */
  key_permission?: 'read' | 'write';
  /** Store new keys in this file instead of the keychain. */
  insecure_storage?: true;
  /** The secret that signs events forwarded by `listen`. */
  listening_secret?: string;
  /** The default output format. */
  output?: Format;
  /** The values of settings as texts, by their keys. */
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
    'api_key?': 'string',
    'api_key_file?': 'string',
    'api_key_in?': 'string',
    'api_key_shown?': 'string',
    'key_permission?': 'read | write',
    'insecure_storage?': 'true',
    'output?': 'string',
    'preferences?': 'object',
  });
}

type Preferences = Readonly<Record<string, string>>;

export interface Profiles {
  /** The name of the profile that commands use by default. */
  current: string;
  profiles: Readonly<Record<string, Profile>>;
}

export const default_profile = 'sandbox';

/** The profiles before any setup. */
export const initialProfiles: Profiles = {
  current: default_profile,
  profiles: { [default_profile]: { embedded: true, mode: 'test' } },
};

/** Reads the profiles of a file; the initial ones without a file. */
export function readProfiles(file: string): Profiles {
  return openProfiles(file).read();
}

/** Throws Failure if profiles cannot be written: call it before a step that cannot be undone. */
export function checkWritable(file: string): void {
  openProfiles(file).checkWritable();
}

/** Changes the profiles as currently stored, so that changes by other processes are kept. */
export function changeProfiles(file: string, change: (profiles: Profiles) => Profiles): void {
  openProfiles(file).change(change);
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

function openProfiles(file: string): SettingsFile<Profiles> {
  return settingsFile(file, {
    initial: initialProfiles,
    parse: (content) => parseProfiles(content, file),
    errorFor: (problem, cause) => errors[problem](file, cause),
  });
}

/** The errors of the settings file, by the problem. */
const errors = {
  not_json: (file: string) => {
    const fault = jsonFault(readFileSync(file, 'utf8'), { isSecret: true });
    return brokenFile(file, `it is not valid JSON: ${fault}`);
  },
  unreadable: (file: string, cause: unknown) =>
    unusableFile(`The settings file ${file} cannot be read`, cause),
  unwritable: (file: string, cause: unknown) =>
    unusableFile(`The settings folder ${dirname(file)} cannot be written to`, cause),
};

function brokenFile(file: string, reason: string): Failure {
  return new Failure(2, 'settings_broken', `The settings file ${file} cannot be used: ${reason}.`, {
    hint: `Correct the file, or move it away and log in again. Nothing was written to it.`,
  });
}

function unusableFile(what: string, error: unknown): Failure {
  return new Failure(2, 'settings_unusable', `${what}: ${explainFileError(error)}.`, {
    hint: 'Put that right, or name another folder for the settings with WAYBILL_CONFIG_DIR.',
    cause: error,
  });
}

/** Parses the content of the file. The fields of a newer version, which this one does not know, are kept. */
function parseProfiles({ current, profiles, ...unknown }: Fields, file: string): Profiles {
  if (!isFields(profiles)) throw brokenFile(file, 'it does not hold profiles');
  const entries = Object.entries(profiles).map(([name, fields]) => [name, parseProfile(fields, name, file)]);
  return {
    ...unknown,
    current: typeof current === 'string' ? current : default_profile,
    profiles: { ...initialProfiles.profiles, ...Object.fromEntries(entries) },
  };
}

/** Parses a profile. Known fields whose values this version cannot read are left out, and unknown ones are kept. */
function parseProfile(fields: unknown, name: string, file: string): Profile {
  if (!isFields(fields)) throw brokenFile(file, `profile ${name} is not an object`);
  const { embedded, base_url, mode, service, listening_secret, output, preferences, ...rest } = fields;
  const { api_key, api_key_file, api_key_in, api_key_shown, key_permission, insecure_storage, ...unknown } =
    rest;
  const format = formats.find((known) => known === output);
  if (embedded !== true && typeof base_url !== 'string') {
    throw brokenFile(file, `profile ${name} has neither base_url nor embedded`);
  }
  return {
    ...unknown,
    ...(typeof base_url === 'string' ? { base_url } : { embedded: true }),
    ...(mode === 'test' || mode === 'live' ? { mode } : {}),
    ...(isFields(service) ? { service: parseFeatures(service) } : {}),
    ...keyFields({ api_key, api_key_file, api_key_in, api_key_shown, key_permission, insecure_storage }),
    ...(typeof listening_secret === 'string' ? { listening_secret } : {}),
    ...(format === undefined ? {} : { output: format }),
    ...(isFields(preferences) ? { preferences: textFields(preferences) } : {}),
  };
}

/** The fields of a profile with the key, or its location. */
function keyFields({
  api_key,
  api_key_file,
  api_key_in,
  api_key_shown,
  key_permission,
  insecure_storage,
}: Fields): Partial<Profile> {
  return {
    ...(typeof api_key === 'string' ? { api_key } : {}),
    ...(typeof api_key_file === 'string' ? { api_key_file } : {}),
    ...(api_key_in === 'keychain' ? { api_key_in } : {}),
    ...(typeof api_key_shown === 'string' ? { api_key_shown } : {}),
    ...(key_permission === 'read' || key_permission === 'write' ? { key_permission } : {}),
    ...(insecure_storage === true ? { insecure_storage } : {}),
  };
}

function parseFeatures(fields: Fields): Features {
  const entries = featureNames.flatMap((name) => {
    const isSupported = fields[name];
    return typeof isSupported === 'boolean' ? [[name, isSupported]] : [];
  });
  return Object.fromEntries(entries);
}

function textFields(entries: Fields): Preferences {
  const texts = Object.entries(entries).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text]] : [],
  );
  return Object.fromEntries(texts);
}

/** Finds a profile by name; Failure with exit 5 if it does not exist. */
export function findProfile({ profiles }: Profiles, name: string): Profile {
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
export function checkProfileName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,62}$/.test(name) && !(name in {})) return;
  throw new UsageError(`"${name}" cannot name a profile: letters, digits, dots, dashes, underscores.`);
}
