import { sql } from 'kysely';
import type { Connection } from './database.ts';
import { StorageUnavailable } from './errors.ts';
import { pause } from './ports/pause.ts';

const attempts = 500;
const pauseMilliseconds = 20;

/** Moves the write-ahead log into the file and truncates it, once no other connection reads it. */
export async function emptyLog(db: Connection): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`.execute(db);
    if (rows[0]?.busy === 0) return;
    await pause(pauseMilliseconds);
  }
  throw new StorageUnavailable('another process keeps reading an old state of the database');
}
