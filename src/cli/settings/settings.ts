/** The settings of a run: flags and environment first, then a profile of the settings file. */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseBaseUrl } from '../../client/addresses.ts';
import { type Features, featureNames } from '../../client/service-features.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import type { Origin } from '../kit/args/flags.ts';
import type { GlobalValues } from '../kit/args/global-flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { didYouMean, invocation } from '../kit/result/message.ts';
import { type AnswerBuilder, type Format, formats, type Shape } from '../kit/result/result.ts';
import { explainFileError } from '../kit/system/files.ts';
import { jsonFault } from '../kit/system/json-fault.ts';
import { type SettingsFile, settingsFile } from '../kit/system/settings-file.ts';

export type Target = { kind: 'embedded'; file: string } | { kind: 'http'; baseUrl: string };

/** Where a profile stores its key: in itself, in a file, or in the system keychain. */
export type KeyPlace = 'profile' | 'key_file' | 'keychain';

/** The effective settings of a command: flag, then environment, then profile, then default. */
export interface Settings {
  /** The profile's name, or the base URL if it is not the profile's. */
  name: string;
  nameOrigin: Origin;
  /** The profile whose key is in use and may be changed; null if the URL is not the profile's. */
  profile: Profile | null;
  /** The file of the profiles. */
  file: string;
  target: Target;
  /** Null if there is none yet. */
  apiKey: string | null;
  /** A key from a flag or the environment is never stored or replaced. */
  keyOrigin: Origin;
  /** Where the profile stores its key. It is read from the keychain only when it is sent. */
  keyPlace?: KeyPlace;
  /** Null until the service has reported it. */
  mode: 'test' | 'live' | null;
}

type SettingsFlags = Pick<GlobalValues, 'profile' | 'baseUrl' | 'apiKeyFile'>;
type SettingsHost = Pick<Host, 'environment' | 'platform' | 'home' | 'folder'>;

/** Throws UsageError, BadBaseUrl for an invalid URL, and Failure if the settings cannot be read. */
export function readSettings(
  asked: SettingsFlags,
  origins: ReadonlyMap<string, Origin>,
  host: SettingsHost,
): Settings {
  const file = profilesFile(host);
  const profiles = neededProfiles(file, asked, host);
  const name = asked.profile ?? profiles.current;
  const isKnown = asked.baseUrl === undefined || Object.hasOwn(profiles.profiles, name);
  const stored = isKnown ? findProfile(profiles, name) : undefined;
  const isOther = asked.baseUrl !== undefined && asked.baseUrl !== stored?.base_url;
  const profile = isOther ? null : (stored ?? null);
  const key = effectiveKey(asked, profile, host, origins);
  return {
    name: isOther ? (asked.baseUrl ?? name) : name,
    nameOrigin: origins.get(isOther ? 'baseUrl' : 'profile') ?? 'profile',
    profile,
    file,
    target: serviceTarget(asked.baseUrl ?? stored?.base_url, host),
    ...key,
    mode: profile?.mode ?? null,
  };
}

/** Reads the profiles; an unreadable file is ignored if URL and key are both given. */
function neededProfiles(
  file: string,
  { profile, baseUrl, apiKeyFile }: SettingsFlags,
  host: SettingsHost,
): Profiles {
  const hasKey = apiKeyFile !== undefined || Boolean(host.environment.WAYBILL_API_KEY);
  try {
    return readProfiles(file);
  } catch (error) {
    if (error instanceof Failure && profile === undefined && baseUrl !== undefined && hasKey)
      return initialProfiles;
    throw error;
  }
}

/** The service: a URL, or the embedded one. Throws BadBaseUrl. */
export function serviceTarget(baseUrl: string | undefined, host: SettingsHost): Target {
  if (baseUrl === undefined) return { kind: 'embedded', file: embeddedFile(host) };
  parseBaseUrl(baseUrl);
  return { kind: 'http', baseUrl };
}

/** A profile's key is only sent to the profile's own service. */
function effectiveKey(
  { apiKeyFile }: SettingsFlags,
  profile: Profile | null,
  host: SettingsHost,
  origins: ReadonlyMap<string, Origin>,
): Pick<Settings, 'apiKey' | 'keyOrigin' | 'keyPlace'> {
  const fromFile = (path: string) => readKeyFile(path, host.folder);
  const given = host.environment.WAYBILL_API_KEY;
  const fileOrigin = origins.get('apiKeyFile') ?? 'flag';
  if (apiKeyFile !== undefined && fileOrigin === 'flag')
    return { apiKey: fromFile(apiKeyFile), keyOrigin: 'flag' };
  if (given) return { apiKey: checkedKey(given.trim(), 'WAYBILL_API_KEY'), keyOrigin: 'environment' };
  if (apiKeyFile !== undefined) return { apiKey: fromFile(apiKeyFile), keyOrigin: 'environment' };
  if (profile?.api_key !== undefined)
    return { apiKey: profile.api_key, keyOrigin: 'profile', keyPlace: 'profile' };
  if (profile?.api_key_file !== undefined)
    return { apiKey: fromFile(profile.api_key_file), keyOrigin: 'profile', keyPlace: 'key_file' };
  if (profile?.api_key_in !== undefined)
    return { apiKey: null, keyOrigin: 'profile', keyPlace: profile.api_key_in };
  return { apiKey: null, keyOrigin: 'default' };
}

/** Reads a key from a file; UsageError if there is none. */
export function readKeyFile(path: string, folder: string): string {
  try {
    return checkedKey(readFileSync(resolve(folder, path), 'utf8').trim(), path);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The key file ${path} cannot be read: ${explainFileError(error)}.`, {
      hint: 'Put the key into that file, or name another.',
      cause: error,
    });
  }
}

/** A key is sent in a header, so it must be one word of visible characters. */
export function checkedKey(key: string, where: string): string {
  if (/^[!-~]{1,200}$/.test(key)) return key;
  throw new UsageError(`There is no API key in ${where}: a key is one word, such as wb_test_….`, {
    hint: `Put a key there${where === 'WAYBILL_API_KEY' ? ', or unset it' : ''}.`,
  });
}

type FolderHost = Pick<Host, 'environment' | 'platform' | 'home'>;

/** The folder of the settings; `WAYBILL_CONFIG_DIR` moves it. */
export function configFolder({ environment, platform, home }: FolderHost): string {
  if (environment.WAYBILL_CONFIG_DIR) return fromHome(environment.WAYBILL_CONFIG_DIR, home);
  if (platform === 'win32') return `${environment.APPDATA || `${home}\\AppData\\Roaming`}\\waybill\\Config`;
  if (platform === 'darwin') return `${home}/Library/Application Support/waybill`;
  return `${absolute(environment.XDG_CONFIG_HOME) ?? `${home}/.config`}/waybill`;
}

/** The folder of the embedded service's database; `WAYBILL_DATA_DIR` moves it. */
export function dataFolder({ environment, platform, home }: FolderHost): string {
  if (environment.WAYBILL_DATA_DIR) return fromHome(environment.WAYBILL_DATA_DIR, home);
  if (platform === 'win32') return `${environment.LOCALAPPDATA || `${home}\\AppData\\Local`}\\waybill\\Data`;
  if (platform === 'darwin') return `${home}/Library/Application Support/waybill`;
  return `${absolute(environment.XDG_DATA_HOME) ?? `${home}/.local/share`}/waybill`;
}

/** A path in which a shell has left a `~`: in quotes, or in a file of settings. */
export function fromHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}

/** Relative paths are to be ignored: https://specifications.freedesktop.org/basedir-spec/latest/#variables */
function absolute(path: string | undefined): string | undefined {
  return path?.startsWith('/') ? path : undefined;
}

export function profilesFile(place: FolderHost): string {
  return joinPath(configFolder(place), 'profiles.json', place);
}

export function embeddedFile(place: FolderHost): string {
  return resolveLink(joinPath(dataFolder(place), 'waybill.db', place));
}

/**
 * The file that a symbolic link names, which may not exist yet; any other path as it is. The locks and the key of a
 * database are beside it, so that every process must know it by one path.
 */
export function resolveLink(file: string): string {
  try {
    if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return file;
    return existsSync(file) ? realpathSync(file) : resolve(dirname(file), readlinkSync(file));
  } catch {
    // The error is reported when the file is opened.
    return file;
  }
}

/** Joins a path by hand: node:path costs a tenth of a millisecond, in every look-up. */
function joinPath(folder: string, name: string, { platform }: Pick<Host, 'platform'>): string {
  const separator = platform === 'win32' ? '\\' : '/';
  return folder.endsWith('/') || folder.endsWith(separator) ? folder + name : folder + separator + name;
}

/** A profile: the service, its key and mode. */
export interface Profile {
  /** The embedded service; otherwise `base_url` is set. */
  embedded?: true;
  base_url?: string;
  /** Reported by the service, never guessed. */
  mode?: 'test' | 'live';
  /** The service's features; absent if it has all of them or was not asked. */
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

/** Keeps the fields of a newer version, which this one does not know. */
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

/** The key, or its location. */
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
  const known = featureNames.flatMap((name) => {
    const has = fields[name];
    return typeof has === 'boolean' ? [[name, has]] : [];
  });
  return Object.fromEntries(known);
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
