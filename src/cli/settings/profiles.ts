import { dirname } from 'node:path';
import { type Features, featureNames } from '../../client/feature-names.ts';
import { didYouMean } from '../kit/args/suggestions.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { type Format, formats } from '../kit/output/formats.ts';
import { invocation } from '../kit/result/invocation.ts';
import { type SettingsFile, settingsFile } from '../kit/settings/settings-file.ts';
import { reasonOf } from '../kit/system/file-errors.ts';

/** A place to work in: which service, with which key, in which mode. */
export interface Profile {
  /** The service inside the program; else `base_url` says where it is. */
  embedded?: true;
  base_url?: string;
  /** Learnt from the service, never guessed. */
  mode?: 'test' | 'live';
  /** What its service was found to have and to lack; absent where it has everything, or was not asked. */
  service?: Features;
  api_key?: string;
  /** The file that the key is in, instead of the key. */
  api_key_file?: string;
  /** The key is in the system's keychain, instead of the key; here is what may be shown of it. */
  api_key_in?: 'keychain';
  api_key_shown?: string;
  /** A key that is stored goes into this file, and no keychain is asked. */
  insecure_storage?: true;
  /** Signs what `listen` forwards. */
  listening_secret?: string;
  /** The format of answers where none is asked for. */
  output?: Format;
  /** What flags of every command, and the program, are to say where nothing else does: texts, by their keys. */
  preferences?: Preferences;
}

export type Preferences = Readonly<Record<string, string>>;

export interface Profiles {
  current: string;
  profiles: Readonly<Record<string, Profile>>;
}

export const defaultName = 'sandbox';

/** What there is before anything was set up. */
export const initial: Profiles = {
  current: defaultName,
  profiles: { [defaultName]: { embedded: true, mode: 'test' } },
};

/** The profiles in a file; the initial ones without a file. */
export function readProfiles(file: string): Profiles {
  return profilesIn(file).read();
}

/** Throws Failure if profiles could not be written: to be called before a step that cannot be undone. */
export function checkWritable(file: string): void {
  profilesIn(file).checkWritable();
}

/** Changes the profiles as they are right now, so that changes by other processes stay. */
export function changeProfiles(file: string, change: (profiles: Profiles) => Profiles): void {
  profilesIn(file).change(change);
}

/** Changes one profile, which is undefined if there is none. */
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
  not_json: (file: string) => broken(file, 'it is not valid JSON'),
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

type Fields = Readonly<Record<string, unknown>>;

function parseProfiles({ current, profiles }: Fields, file: string): Profiles {
  if (!isObject(profiles)) throw broken(file, 'it does not hold profiles');
  const entries = Object.entries(profiles).map(([name, fields]) => [name, parseProfile(fields, name, file)]);
  return {
    current: typeof current === 'string' ? current : defaultName,
    profiles: { ...initial.profiles, ...Object.fromEntries(entries) },
  };
}

/** A profile with those of its fields that this version can read. */
function parseProfile(fields: unknown, name: string, file: string): Profile {
  if (!isObject(fields)) throw broken(file, `profile ${name} is not an object`);
  const { embedded, base_url, mode, service, listening_secret, output, preferences } = fields;
  const format = formats.find((known) => known === output);
  if (embedded !== true && typeof base_url !== 'string') {
    throw broken(file, `profile ${name} has neither base_url nor embedded`);
  }
  return {
    ...(typeof base_url === 'string' ? { base_url } : { embedded: true }),
    ...(mode === 'test' || mode === 'live' ? { mode } : {}),
    ...(isObject(service) ? { service: parseFeatures(service) } : {}),
    ...keyFields(fields),
    ...(typeof listening_secret === 'string' ? { listening_secret } : {}),
    ...(format === undefined ? {} : { output: format }),
    ...(isObject(preferences) ? { preferences: textsOf(preferences) } : {}),
  };
}

/** The key, or where it is. */
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

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The profile with a name; Failure with exit 5 where there is none. */
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

/** Throws UsageError for what cannot be the name of a profile. */
export function checkName(name: string): void {
  if (/^[A-Za-z0-9][\w.-]{0,62}$/.test(name) && !(name in {})) return;
  throw new UsageError(`"${name}" cannot name a profile: letters, digits, dots, dashes, underscores.`);
}
