import { sql } from 'kysely';
import type { Connection, Flag } from './database.ts';
import { packJson } from './packed-json.ts';
import type { KeptOfOrder, StoredQuote, StoredResponse } from './personal-data.ts';
import { chunks } from './rows.ts';

// Erasing personal data. The statements for an order do not grow with its rows, up to several hundred of a kind.

/** An ended delivery, or an ended order without one, whose personal data has not been erased by its age. */
export interface EndedRecord {
  id: string;
  order_id: string;
  ended_at: number;
}

/** One page of ended records of a mode, oldest first. */
export interface EndedQuery {
  test_mode: Flag;
  /** In milliseconds of service time, exclusive. */
  before: number;
  /** The last record of the page before; null for the first page. */
  after: EndedRecord | null;
  limit: number;
}

export async function endedDeliveries(
  db: Connection,
  { test_mode, before, after, limit }: EndedQuery,
): Promise<EndedRecord[]> {
  return db
    .selectFrom('deliveries')
    .select(['id', 'order_id', 'ended_at'])
    .where('test_mode', '=', test_mode)
    .where('ended_at', '<', before)
    .where('erased_at', 'is', null)
    .where(({ eb, refTuple, tuple }) =>
      eb(refTuple('ended_at', 'id'), '>', tuple(after?.ended_at ?? -1, after?.id ?? '')),
    )
    .$narrowType<{ ended_at: number }>()
    .orderBy('ended_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

export async function endedOrders(
  db: Connection,
  { test_mode, before, after, limit }: EndedQuery,
): Promise<EndedRecord[]> {
  return (
    db
      .selectFrom('orders')
      .select(['id', 'id as order_id', 'updated_at as ended_at'])
      .where('test_mode', '=', test_mode)
      .where('updated_at', '<', before)
      .where('delivery_id', 'is', null)
      .where('erased_at', 'is', null)
      // Text, as the index has it: a parameter would not match its condition.
      .where(sql<boolean>`status in ('unfulfilled', 'failed', 'canceled')`)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('updated_at', 'id'), '>', tuple(after?.ended_at ?? -1, after?.id ?? '')),
      )
      .orderBy('updated_at')
      .orderBy('id')
      .limit(limit)
      .execute()
  );
}

/** Marks an order and its deliveries as erased by their age. */
export async function markErased(
  db: Connection,
  { order_id, now }: { order_id: string; now: number },
): Promise<void> {
  await db.updateTable('orders').set({ erased_at: now }).where('id', '=', order_id).execute();
  await db.updateTable('deliveries').set({ erased_at: now }).where('order_id', '=', order_id).execute();
}

/** Writes the rows of an order back, after their personal data was removed. */
export async function writeKeptOfOrder(
  db: Connection,
  before: KeptOfOrder,
  kept: KeptOfOrder,
): Promise<void> {
  const { order, deliveries } = kept;
  await db.updateTable('orders').set({ record: order.record }).where('id', '=', order.id).execute();
  for (const column of ['record', 'tracking_token', 'pickup_phone', 'dropoff_phone'] as const) {
    const changed = deliveries.filter((row, index) => row[column] !== before.deliveries[index]?.[column]);
    await writeTexts(db, ['deliveries', 'id', column], texts(changed, 'id', column));
  }
  await writeTexts(db, ['routes', 'id', 'stops'], texts(kept.routes, 'id', 'stops'));
  await writeTexts(db, ['drivers', 'id', 'plan'], texts(kept.plans, 'id', 'plan'));
  const events = kept.events.map((row) => ({ ...row, data: packJson(row.data) }));
  await writeTexts(db, ['events', 'position', 'data'], texts(events, 'position', 'data'));
  const reports = kept.reports.map((row) => ({ ...row, record: packJson(row.record) }));
  await writeTexts(db, ['reports', 'sequence', 'record'], texts(reports, 'sequence', 'record'));
  await writeTexts(db, ['disputes', 'id', 'reason'], texts(kept.disputes, 'id', 'reason'));
  await writeTexts(db, ['disputes', 'id', 'note'], texts(kept.disputes, 'id', 'note'));
  await writeTexts(
    db,
    ['failed_tasks', 'sequence', 'payload'],
    texts(kept.failed_tasks, 'sequence', 'payload'),
  );
}

/** The key and the new text of a row. */
type Text = readonly [key: string | number, text: string];

function texts<Key extends string, Column extends string>(
  rows: readonly (Readonly<Record<Key, string | number>> & Readonly<Record<Column, string>>)[],
  key: Key,
  column: Column,
): Text[] {
  return rows.map((row) => [row[key], row[column]]);
}

/** Writes a column of several rows in one statement. */
async function writeTexts(
  db: Connection,
  [table, key, column]: readonly [table: string, key: string, column: string],
  rows: readonly Text[],
): Promise<void> {
  for (const some of chunks(rows)) {
    const cases = some.map(([value, text]) => sql`when ${value} then ${text}`);
    const keys = some.map(([value]) => value);
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = case ${sql.ref(key)} ${sql.join(cases, sql` `)} end
      where ${sql.ref(key)} in (${sql.join(keys)})`.execute(db);
  }
}

/**
 * Deletes what is about an order's deliveries alone: internal notes, the links to couriers' tracking pages, the requests
 * of couriers as received, the responses to webhooks, and the recipient's pictures.
 */
export async function deleteBesidesOrder(
  db: Connection,
  { order, deliveries, routes, events }: KeptOfOrder,
  { pictures }: { pictures: boolean },
): Promise<void> {
  const delivery_ids = deliveries.map(({ id }) => id);
  if (delivery_ids.length > 0) {
    await db.deleteFrom('delivery_notes').where('delivery_id', 'in', delivery_ids).execute();
    await db.updateTable('reports').set({ raw: null }).where('delivery_id', 'in', delivery_ids).execute();
    if (pictures) await db.deleteFrom('proof_pictures').where('delivery_id', 'in', delivery_ids).execute();
  }
  const route_ids = routes.map(({ id }) => id);
  if (route_ids.length > 0) {
    const dispatches = db.selectFrom('dispatches').select('id').where('route_id', 'in', route_ids);
    await db
      .updateTable('courier_bookings')
      .set({ tracking_url: null })
      .where('dispatch_id', 'in', dispatches)
      .where('order_id', '=', order.id)
      .execute();
  }
  // An endpoint may have answered with the event.
  for (const some of chunks(events)) {
    await db
      .updateTable('webhook_attempts')
      .set({ response: '' })
      .where(
        'event_id',
        'in',
        some.map(({ id }) => id),
      )
      .execute();
  }
}

export async function writeResponses(db: Connection, responses: readonly StoredResponse[]): Promise<void> {
  for (const { account_id, test_mode, key, body } of responses) {
    await db
      .updateTable('idempotency_keys')
      .set({ body })
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .where('key', '=', key)
      .execute();
  }
}

export async function writeQuotes(db: Connection, quotes: readonly StoredQuote[]): Promise<void> {
  await writeTexts(db, ['quotes', 'id', 'record'], texts(quotes, 'id', 'record'));
}
