import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import { writeWhole } from '../kit/system/whole-file.ts';
import { cacheFolder } from '../settings/paths.ts';

/** The state of the update check. Times are milliseconds since the epoch. */
export interface UpdateRecord {
  /** When the registry was last requested; 0 for never. */
  checked_at: number;
  /** When the user was last notified. */
  notified_at: number;
  /** The newest version; null if unknown. */
  latest: string | null;
}

const nothing: UpdateRecord = { checked_at: 0, notified_at: 0, latest: null };

/** The file of the state, in the cache folder, as it can be recreated. */
export function updateFile(place: Pick<Host, 'environment' | 'platform' | 'home'>): string {
  return join(cacheFolder(place), 'update.json');
}

/** Reads the state; empty if the file is missing or invalid. */
export function readUpdate(file: string): UpdateRecord {
  try {
    return recordOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return nothing;
  }
}

function recordOf(data: unknown): UpdateRecord {
  if (typeof data !== 'object' || data === null) return nothing;
  const { checked_at, notified_at, latest }: Record<string, unknown> = { ...data };
  return {
    checked_at: typeof checked_at === 'number' ? checked_at : 0,
    notified_at: typeof notified_at === 'number' ? notified_at : 0,
    latest: typeof latest === 'string' ? latest : null,
  };
}

/** Changes parts of the state atomically; false if it cannot be written. */
export function changeUpdate(file: string, change: Partial<UpdateRecord>): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify({ ...readUpdate(file), ...change }), { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
