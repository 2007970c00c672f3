import { existsSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import { embeddedFile, profilesFile } from '../settings/settings.ts';
import type { Known } from './candidates.ts';
import { recordsIn } from './id-records.ts';
import type { Line } from './line.ts';
import { keyMark, type Scope, seenFile } from './scope.ts';

/** The part of the machine that completion uses. */
export type Place = Pick<Host, 'environment' | 'platform' | 'home' | 'folder'>;

type Fields = Readonly<Record<string, unknown>>;
interface Kept {
  current: string;
  profiles: Readonly<Record<string, Fields>>;
}

/** Returns the records and settings for completion; anything unreadable counts as empty. */
export function knownOn(place: Place): Known {
  let text: string | undefined;
  return {
    records: (kind, line) => {
      text ??= seenText(line, place);
      return recordsIn(text, kind);
    },
    profiles: () => {
      const { current, profiles } = keptProfiles(place);
      return Object.entries(profiles).map(([value, profile]) => ({
        value,
        about: `${placeText(profile)}${value === current ? ', in use' : ''}`,
      }));
    },
  };
}

function placeText({ base_url }: Fields): string {
  return typeof base_url === 'string' ? base_url : 'embedded';
}

function seenText(line: Line, place: Place): string {
  const scope = scopeOf(line.texts, place);
  if (scope === null) return '';
  const file = seenFile(place, scope);
  try {
    // A check is faster than an exception.
    return existsSync(file) ? readFileSync(file, 'utf8') : '';
  } catch {
    return '';
  }
}

/**
 * The scope of a line, resolved like the program's settings; null if unknown. Requests neither the service nor the
 * system keychain.
 */
export function scopeOf(texts: ReadonlyMap<string, string>, place: Place): Scope | null {
  const { environment } = place;
  const asked = (flag: string, variable: string) => texts.get(flag) || environment[variable] || undefined;
  const { current, profiles } = keptProfiles(place);
  const baseUrl = asked('--base-url', 'WAYBILL_BASE_URL');
  const name = asked('--profile', 'WAYBILL_PROFILE') ?? current;
  const stored = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (stored === undefined && baseUrl === undefined) return null;
  const isOther = baseUrl !== undefined && baseUrl !== stored?.base_url;
  const profile = isOther ? undefined : stored;
  const service = baseUrl ?? stored?.base_url;
  const given = givenKey(texts, place);
  if (given === null) return null;
  const own = profile === undefined || typeof service !== 'string' ? '' : keyMark(profile);
  return {
    name: isOther ? baseUrl : name,
    service: typeof service === 'string' ? service : embeddedFile(place),
    mode: profile?.mode === 'test' || profile?.mode === 'live' ? profile.mode : '',
    key: given === '' ? own : given,
  };
}

/** The key from the line or the environment: empty without one, null if it cannot be read. */
function givenKey(texts: ReadonlyMap<string, string>, place: Place): string | null {
  const { environment } = place;
  const flag = texts.get('--api-key-file');
  if (flag) return keyIn(flag, place);
  const key = environment.WAYBILL_API_KEY?.trim();
  if (key) return key;
  return environment.WAYBILL_API_KEY_FILE ? keyIn(environment.WAYBILL_API_KEY_FILE, place) : '';
}

/** Only reads a regular file: a pipe can be read only once. */
function keyIn(path: string, place: Place): string | null {
  try {
    // The working directory may no longer exist.
    const file = resolve(place.folder, path);
    return statSync(file).isFile() ? readFileSync(file, 'utf8').trim() : null;
  } catch {
    return null;
  }
}

/** Without conf, which would take a sixth of the time of each completion. */
function keptProfiles(place: Place): Kept {
  const initial = { sandbox: { embedded: true, mode: 'test' } };
  const none = { current: 'sandbox', profiles: initial };
  const file = profilesFile(place);
  try {
    if (!existsSync(file)) return none;
    const data: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isFields(data) || !isFields(data.profiles)) return none;
    const entries = Object.entries(data.profiles).flatMap(([name, profile]) =>
      isFields(profile) ? [[name, profile] as const] : [],
    );
    const current = typeof data.current === 'string' ? data.current : 'sandbox';
    return { current, profiles: { ...initial, ...Object.fromEntries(entries) } };
  } catch {
    return none;
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
