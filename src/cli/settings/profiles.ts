import { accessSync, chmodSync, constants, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { Failure, UsageError } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { type Format, formats } from '../line/globals.ts';
import { didYouMean } from '../line/suggestions.ts';
import { codeOf, reasonOf } from './file-errors.ts';

/** A place to work in: which service, with which key, in which mode. */
export interface Profile {
  /** The service inside the program; else `base_url` says where it is. */
  embedded?: true;
  base_url?: string;
  /** Learnt from the service, never guessed. */
  mode?: 'test' | 'live';
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

/** The profiles in a file; the initial ones where there is no file. A file that is no such thing is left alone. */
export function readProfiles(file: string): Profiles {
  const text = readText(file);
  if (text === null) return initial;
  const data = parsed(text, file);
  if (!isObject(data) || !isObject(data.profiles)) throw broken(file, 'it does not hold profiles');
  const entries = Object.entries(data.profiles).map(([name, entry]) => [name, profileOf(entry, name, file)]);
  const current = typeof data.current === 'string' ? data.current : defaultName;
  return { current, profiles: { ...initial.profiles, ...Object.fromEntries(entries) } };
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw unusable(`The settings file ${file} cannot be read`, error);
  }
}

function parsed(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw broken(file, 'it is not JSON');
  }
}

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

function profileOf(entry: unknown, name: string, file: string): Profile {
  if (!isObject(entry)) throw broken(file, `profile ${name} is not an object`);
  const { embedded, base_url, mode, listening_secret, output, preferences } = entry;
  const format = formats.find((known) => known === output);
  if (embedded !== true && typeof base_url !== 'string') {
    throw broken(file, `profile ${name} has neither base_url nor embedded`);
  }
  return {
    ...(typeof base_url === 'string' ? { base_url } : { embedded: true }),
    ...(mode === 'test' || mode === 'live' ? { mode } : {}),
    ...keyOf(entry),
    ...(typeof listening_secret === 'string' ? { listening_secret } : {}),
    ...(format === undefined ? {} : { output: format }),
    ...(isObject(preferences) ? { preferences: textsOf(preferences) } : {}),
  };
}

/** The key, or where it is. */
function keyOf({
  api_key,
  api_key_file,
  api_key_in,
  api_key_shown,
  insecure_storage,
}: Entry): Partial<Profile> {
  return {
    ...(typeof api_key === 'string' ? { api_key } : {}),
    ...(typeof api_key_file === 'string' ? { api_key_file } : {}),
    ...(api_key_in === 'keychain' ? { api_key_in } : {}),
    ...(typeof api_key_shown === 'string' ? { api_key_shown } : {}),
    ...(insecure_storage === true ? { insecure_storage } : {}),
  };
}

function textsOf(entries: Entry): Preferences {
  const texts = Object.entries(entries).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text]] : [],
  );
  return Object.fromEntries(texts);
}

type Entry = Record<string, unknown>;

function isObject(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Throws Failure where profiles could not be written: to be asked before what cannot be undone. */
export function checkWritable(file: string): void {
  const folder = dirname(file);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK | constants.X_OK);
    if (statSync(file, { throwIfNoEntry: false }) !== undefined) accessSync(file, constants.W_OK);
  } catch (error) {
    throw unusable(`The settings folder ${folder} cannot be written to`, error);
  }
}

/** A change of the profiles, made of what there is; throws where it cannot be. */
type Change = (profiles: Profiles) => Profiles;

/**
 * Changes the profiles as they are right now, so that what another process wrote meanwhile stays, and writes all:
 * folder 0700, file 0600, also where they stood there before with other permissions.
 */
export async function changeProfiles(file: string, change: Change): Promise<void> {
  checkWritable(file);
  // Loaded before the file is read: nothing waits between that and the writing.
  const { default: Conf } = await import('conf');
  const next = change(readProfiles(file));
  try {
    const folder = dirname(file);
    chmodSync(folder, 0o700);
    const conf = new Conf<Record<string, unknown>>({
      cwd: folder,
      configName: 'profiles',
      projectName: 'waybill',
      accessPropertiesByDotNotation: false,
      configFileMode: 0o600,
    });
    conf.store = { ...next };
    chmodSync(file, 0o600);
  } catch (error) {
    throw unusable(`The settings file ${file} cannot be written`, error);
  }
}

/** Changes one profile, which is undefined where there is none, and writes all. */
export function changeProfile(
  file: string,
  name: string,
  change: (profile: Profile | undefined) => Profile,
): Promise<void> {
  return changeProfiles(file, (all) => {
    const kept = Object.hasOwn(all.profiles, name) ? all.profiles[name] : undefined;
    return { ...all, profiles: { ...all.profiles, [name]: change(kept) } };
  });
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
