import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Host } from '../kit/host/host.ts';
import { writeWhole } from '../kit/system/whole-file.ts';
import { cacheFolder } from '../settings/paths.ts';

/** What is known of newer versions. Moments are milliseconds since the epoch. */
export interface UpdateRecord {
  /** When the registry was asked last; 0 for never. */
  looked_at: number;
  /** When the person was told last. */
  told_at: number;
  /** What it said; null where it has not said anything. */
  latest: string | null;
}

const nothing: UpdateRecord = { looked_at: 0, told_at: 0, latest: null };

/** The file that it is kept in: what can be had again belongs in the cache. */
export function updateFile(place: Pick<Host, 'environment' | 'platform' | 'home'>): string {
  return join(cacheFolder(place), 'update.json');
}

/** What is kept; nothing where there is no file, or none of use. */
export function readUpdate(file: string): UpdateRecord {
  try {
    return recordOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return nothing;
  }
}

function recordOf(data: unknown): UpdateRecord {
  if (typeof data !== 'object' || data === null) return nothing;
  const { looked_at, told_at, latest }: Record<string, unknown> = { ...data };
  return {
    looked_at: typeof looked_at === 'number' ? looked_at : 0,
    told_at: typeof told_at === 'number' ? told_at : 0,
    latest: typeof latest === 'string' ? latest : null,
  };
}

/** Puts some of it anew, the whole file at once; false where it cannot be kept. */
export function changeUpdate(file: string, change: Partial<UpdateRecord>): boolean {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeWhole(file, JSON.stringify({ ...readUpdate(file), ...change }), { mode: 0o600 });
    return true;
  } catch {
    return false;
  }
}
