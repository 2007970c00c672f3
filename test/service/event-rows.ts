import type { Client } from '../../src/client/client.ts';
import { records } from '../../src/client/pages.ts';
import type { Event } from '../../src/contract/events.ts';
import type { Connection, EventRow } from '../../src/storage/database.ts';
import { unpackJson } from '../../src/storage/event-codec.ts';

/** The event log in order, of one delivery or the whole, with the JSON of its records. */
export async function eventRows(db: Connection, delivery_id?: string): Promise<EventRow[]> {
  const log = db.selectFrom('events').selectAll().orderBy('position');
  const rows = await (delivery_id === undefined ? log : log.where('delivery_id', '=', delivery_id)).execute();
  return rows.map((row) => ({ ...row, data: unpackJson(row.data) }));
}

/** Every event of the account as sent, newest first, read page by page. */
export async function everyEvent(client: Client, limit = 100): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of records(client.events.list, { limit })) events.push(event);
  return events;
}
