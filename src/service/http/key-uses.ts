import { writeKeyUse } from '../../storage/keys.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Clock } from '../runtime/time.ts';
import type { Caller } from './handler.ts';

/** The last use of a key is written at most once in this time. */
const precision_ms = 60_000;
/** The maximum number of keys whose last write is remembered; then all are forgotten. */
const max_remembered = 10_000;

/**
 * Writes that the key of a request was used, unless any process has written that within the last minute. Never rejects:
 * after a failure the next request tries again.
 */
export type NoteKeyUse = (caller: Caller) => Promise<void>;

export function createNoteKeyUse(storage: Storage, wall: Clock): NoteKeyUse {
  /** The times that this process has written or is writing, by key id. */
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
