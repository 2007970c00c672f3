import type { Host } from '../kit/host/host.ts';
import { cacheFolder, within } from '../settings/settings.ts';

/** Separates stored records: those of another profile, service or key are not offered. */
export interface Scope {
  /** The profile, or the URL if no profile belongs to it. */
  name: string;
  /** The service's URL, or the embedded database. */
  service: string;
  /** The profile's mode; empty if unknown. */
  mode: string;
  /** The key or a part that identifies it; empty for the embedded service's own key. */
  key: string;
}

/** The file with the records of a scope. */
export function seenFile(place: Pick<Host, 'environment' | 'platform' | 'home'>, scope: Scope): string {
  const { name, service, mode, key } = scope;
  const folder = within(cacheFolder(place), 'completion', place);
  return within(folder, `${digest(JSON.stringify([name, service, mode, key]))}.tsv`, place);
}

/** The part of a profile that identifies its key, as in the settings file. */
export function keyMark(profile: Readonly<Record<string, unknown>>): string {
  const mark = profile.api_key ?? profile.api_key_shown ?? profile.api_key_file;
  return typeof mark === 'string' ? mark : '';
}

/**
 * FNV-1a in two halves: 16 digits that identify a text without revealing it. A cryptographic hash takes milliseconds.
 */
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
