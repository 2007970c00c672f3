import type { Flags, Raw } from '../kit/args/command-spec.ts';
import { BadValue, type Flag, flag } from '../kit/args/flags.ts';
import { type GlobalName, globalFlags } from '../kit/args/global-flags.ts';
import type { Profile } from './profiles.ts';

/** Something that a profile can say for every command in it. */
export interface Preference {
  key: string;
  /** The flag that goes before it, with its twin in the environment; null where there is none. */
  flag: GlobalName | null;
  /** What reads its text. */
  reader: Flag<unknown>;
}

/** Flags of every command that are a matter of taste, or of the place where one works. */
const tastes = [
  'output',
  'color',
  'time',
  'noPager',
  'accessible',
  'requestTimeout',
] as const satisfies readonly GlobalName[];

export const preferences: readonly Preference[] = [
  ...tastes.map((name) => ({ key: keyOf(name), flag: name, reader: globalFlags[name] })),
  {
    key: 'update_notice',
    flag: null,
    reader: flag({ default: true, summary: 'A word, once a day, when there is a newer version' }),
  },
];

/** `request_timeout` for `requestTimeout`. */
function keyOf(name: GlobalName): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** What the profile says; undefined where it says nothing, or nothing that can be read. */
export function preferred(profile: Profile | null, { key, reader }: Preference): string | undefined {
  const text = key === 'output' ? profile?.output : profile?.preferences?.[key];
  return text !== undefined && faultIn(reader, text) === null ? text : undefined;
}

/** What is wrong with a text; null where it can be read. */
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
 * The texts of the global flags, with what the profile says for those that nobody gave. Not with its format, which
 * commands that speak to no service leave alone.
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

/** The environment goes before the profile, also where it speaks to every program. */
export function decidesColour(environment: Environment): boolean {
  return ['NO_COLOR', 'FORCE_COLOR', 'CLICOLOR_FORCE', 'CLICOLOR'].some((name) => Boolean(environment[name]));
}
