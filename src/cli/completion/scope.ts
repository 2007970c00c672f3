import type { Host } from '../kit/host/host.ts';
import { cacheFolder, within } from '../settings/paths.ts';

/** Whose records they are: what was seen with another profile, at another service or with another key is not offered. */
export interface Scope {
  /** The profile, or the address where it is none's. */
  name: string;
  /** The address of the service, or the database of the embedded one. */
  service: string;
  /** As the profile has it; empty where it does not say. */
  mode: string;
  /** The key, or what tells it from others; empty for the embedded service's own. */
  key: string;
}

/** The file of what was seen in a scope. */
export function seenFile(place: Pick<Host, 'environment' | 'platform' | 'home'>, scope: Scope): string {
  const { name, service, mode, key } = scope;
  const folder = within(cacheFolder(place), 'completion', place);
  return within(folder, `${digest(JSON.stringify([name, service, mode, key]))}.tsv`, place);
}

/** What of a profile tells its key from others, as the settings file has it. */
export function keyMark(profile: Readonly<Record<string, unknown>>): string {
  const mark = profile.api_key ?? profile.api_key_shown ?? profile.api_key_file;
  return typeof mark === 'string' ? mark : '';
}

/** FNV-1a in two halves: 16 digits that tell texts apart and tell nothing of them. Hashing proper costs milliseconds. */
function digest(text: string): string {
  let low = 0x811c9dc5;
  let high = 0x01000193;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + (low >>> 7)), 0x5bd1e995);
  }
  return hex(low) + hex(high);
}

function hex(half: number): string {
  return (half >>> 0).toString(16).padStart(8, '0');
}
