import { writeKeyUse } from '../../storage/keys.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Clock } from '../runtime/time.ts';
import type { Caller } from './handler.ts';

/** How exactly the last use of a key is known: it is written this often at most. */
const precision_ms = 60_000;
/** Keys that were not used for long make room when there are too many. */
const max_remembered = 10_000;

/**
 * Writes that the key of a request was used, unless that was written within a minute, by any process. Never rejects: a
 * failure has no consequences, and the next request tries again.
 */
export type NoteKeyUse = (caller: Caller) => Promise<void>;

export function createNoteKeyUse(storage: Storage, wall: Clock): NoteKeyUse {
  /** What this process has written, or is writing. */
  const written = new Map<string, number>();
  return async ({ key_id, key_last_used_at }) => {
    const now = wall.now();
    const latest = Math.max(key_last_used_at ?? 0, written.get(key_id) ?? 0);
    if (now - latest < precision_ms) return;
    if (written.size >= max_remembered) written.clear();
    written.set(key_id, now);
    const use = { id: key_id, now, unless_after: now - precision_ms };
    await storage.write((db) => writeKeyUse(db, use)).catch(() => written.delete(key_id));
  };
}
