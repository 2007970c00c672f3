import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { pause } from './ports/pause.ts';

const attempts = 150;
const pauseMilliseconds = 20;

/** Moves the write-ahead log into the file and truncates it; false if others keep reading an old state for seconds. */
export async function emptyLog(db: Connection): Promise<boolean> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return true;
    await pause(pauseMilliseconds);
  }
  return false;
}
