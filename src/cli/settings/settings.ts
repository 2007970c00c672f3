/** The settings of a run: its service, key and mode, and the folders of the settings and the data. */
import { existsSync, lstatSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseBaseUrl } from '../../client/addresses.ts';
import type { Origin } from '../kit/args/flags.ts';
import type { GlobalValues } from '../kit/args/global-flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { explainFileError } from '../kit/system/files.ts';
import { findProfile, initialProfiles, type Profile, type Profiles, readProfiles } from './profiles.ts';

/** The service that a run uses. */
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
  flags: SettingsFlags,
  origins: ReadonlyMap<string, Origin>,
  host: SettingsHost,
): Settings {
  const file = profilesFile(host);
  const profiles = neededProfiles(file, flags, host);
  const { name, named, isOther, profile } = selectProfile(profiles, flags);
  const key = effectiveKey(flags, profile, host, origins);
  return {
    name: isOther ? (flags.baseUrl ?? name) : name,
    nameOrigin: origins.get(isOther ? 'baseUrl' : 'profile') ?? 'profile',
    profile,
    file,
    target: serviceTarget(flags.baseUrl ?? named?.base_url, host),
    ...key,
    mode: profile?.mode ?? null,
  };
}

/** The profile that a name and a URL select: `named` has the name, and `profile` is null if its URL is another one. */
export function selectProfile(
  profiles: Profiles,
  { profile, baseUrl }: Pick<SettingsFlags, 'profile' | 'baseUrl'>,
) {
  const name = profile ?? profiles.current;
  const isKnown = baseUrl === undefined || Object.hasOwn(profiles.profiles, name);
  const named = isKnown ? findProfile(profiles, name) : null;
  const isOther = baseUrl !== undefined && baseUrl !== named?.base_url;
  return { name, named, isOther, profile: isOther ? null : named };
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

/** The key of a run. That of a profile is only sent to the profile's own service. */
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

/** Expands a `~` that no shell has expanded, as in quotes or in a file of settings. */
export function fromHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? `${home}${path.slice(1)}` : path;
}

/**
 * The path if it is absolute: relative ones are ignored,
 * https://specifications.freedesktop.org/basedir-spec/latest/#variables
 */
function absolute(path: string | undefined): string | undefined {
  return path?.startsWith('/') ? path : undefined;
}

/** The settings file, which has the profiles. */
export function profilesFile(place: FolderHost): string {
  return joinPath(configFolder(place), 'profiles.json', place);
}

/** The profile in use with its name and file, and the current name. Throws Failure if it does not exist. */
export function profileInUse({
  host,
  globals,
}: {
  host: FolderHost;
  globals: Pick<GlobalValues, 'profile'>;
}) {
  const file = profilesFile(host);
  const profiles = readProfiles(file);
  const name = globals.profile ?? profiles.current;
  return { file, name, profile: findProfile(profiles, name), current: profiles.current };
}

/** The database of the embedded service. */
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
