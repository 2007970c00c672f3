import type { Flags, Raw } from '../kit/args/command-spec.ts';
import { BadValue, type Flag } from '../kit/args/flags.ts';
import { type GlobalName, globalFlags } from '../kit/args/global-flags.ts';
import type { Profile } from './profiles.ts';

/** A setting that a profile can have for all its commands. */
export interface Preference {
  key: string;
  /** The flag that overrides it, also by its environment variable. */
  flag: GlobalName;
  /** Parses its text. */
  reader: Flag<unknown>;
}

/** Global flags that depend on the user's taste or environment. */
const tastes = [
  'output',
  'color',
  'time',
  'noPager',
  'accessible',
  'requestTimeout',
] as const satisfies readonly GlobalName[];

export const preferences: readonly Preference[] = tastes.map((name) => ({
  key: keyOf(name),
  flag: name,
  reader: globalFlags[name],
}));

/** `request_timeout` for `requestTimeout`. */
function keyOf(name: GlobalName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The profile's value; undefined if it is missing or invalid. */
export function preferred(profile: Profile | null, { key, reader }: Preference): string | undefined {
  const text = key === 'output' ? profile?.output : profile?.preferences?.[key];
  return text !== undefined && faultIn(reader, text) === null ? text : undefined;
}

/** The fault of a text; null if it is valid. */
export function faultIn(reader: Flag<unknown>, text: string): BadValue | null {
  try {
    reader.read([text]);
    return null;
  } catch (error) {
    if (error instanceof BadValue) return error;
    throw error;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Adds the profile's values for global flags that are not given. The format is left out, as commands without a service
 * do not use it.
 */
export function withPreferences(raw: Raw, flags: Flags, profile: Profile, environment: Environment): Raw {
  const texts = preferences.flatMap((preference): [string, string[]][] => {
    const { flag: name, key } = preference;
    if (name === null || key === 'output' || raw.flags.has(name) || !Object.hasOwn(flags, name)) return [];
    if (name === 'color' && decidesColour(environment)) return [];
    const text = preferred(profile, preference);
    return text === undefined ? [] : [[name, [text]]];
  });
  return { ...raw, flags: new Map([...raw.flags, ...texts]) };
}

/** The environment overrides the profile, even with variables that apply to all programs. */
export function decidesColour(environment: Environment): boolean {
  return ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE', 'CLICOLOR'].some((name) => Boolean(environment[name]));
}
