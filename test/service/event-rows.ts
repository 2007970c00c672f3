import type { Connection, EventRow } from '../../src/storage/database.ts';
import { unpackJson } from '../../src/storage/packed-json.ts';

/** The whole event log in order, with the JSON of its records. */
export async function eventRows(db: Connection): Promise<EventRow[]> {
  const rows = await db.selectFrom('events').selectAll().orderBy('position').execute();
  return rows.map((row) => ({ ...row, data: unpackJson(row.data) }));
}
