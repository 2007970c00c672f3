import type { Connection, DeliveryRow, OrderRow } from './database.ts';

// The rows that contain data of the people of an order. An operator reads and erases them; no request does.

/** Selects orders: by the phone number of an end, in digits, or by one of their deliveries. */
export type PersonQuery = { phone: string } | { delivery_id: string };

/** The ids of the orders that a query finds, of every account and mode, up to a limit. */
export async function findOrdersOfPerson(db: Connection, query: PersonQuery): Promise<string[]> {
  if ('delivery_id' in query) {
    const found = await db
      .selectFrom('deliveries')
      .select('order_id')
      .where('id', '=', query.delivery_id)
      .execute();
    return found.map(({ order_id }) => order_id);
  }
  // The words of a document have a space before and after; a phone number starts with a letter.
  const found = await db
    .selectFrom('search_documents')
    .select('order_id')
    .where('text', 'like', `% t${query.phone} %`)
    .orderBy('order_id')
    .execute();
  return found.map(({ order_id }) => order_id);
}

/** Everything that is kept of an order. */
export interface KeptOfOrder {
  order: OrderRow;
  deliveries: DeliveryRow[];
  routes: { id: string; stops: string }[];
  events: { position: number; id: string; data: string }[];
  reports: { sequence: number; record: string }[];
  disputes: { id: string; reason: string; note: string }[];
  /** Internal notes of the deliveries. */
  notes: { note: string; tags: string }[];
  /** Stored responses to repeats of a request. */
  responses: { account_id: string; test_mode: 0 | 1; key: string; body: string | null }[];
  failed_tasks: { sequence: number; payload: string }[];
}

export async function readKeptOfOrder(db: Connection, order_id: string): Promise<KeptOfOrder | null> {
  const order = await db.selectFrom('orders').selectAll().where('id', '=', order_id).executeTakeFirst();
  if (order === undefined) return null;
  const deliveries = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('order_id', '=', order_id)
    .orderBy('id')
    .execute();
  const delivery_ids = ['', ...deliveries.map(({ id }) => id)];
  const subjects = [order_id, ...delivery_ids];
  const { account_id, test_mode } = order;
  return {
    order,
    deliveries,
    routes: await db
      .selectFrom('routes')
      .select(['id', 'stops'])
      .where('order_ids', 'like', `%"${order_id}"%`)
      .where('account_id', '=', account_id)
      .execute(),
    events: await db
      .selectFrom('events')
      .select(['position', 'id', 'data'])
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .where(({ eb, or }) => or([eb('delivery_id', 'in', delivery_ids), eb('data', 'like', `%${order_id}%`)]))
      .orderBy('position')
      .execute(),
    reports: await db
      .selectFrom('reports')
      .select(['sequence', 'record'])
      .where('delivery_id', 'in', delivery_ids)
      .execute(),
    disputes: await db
      .selectFrom('disputes')
      .select(['id', 'reason', 'note'])
      .where('id', 'in', delivery_ids)
      .execute(),
    notes: await db
      .selectFrom('delivery_notes')
      .select(['note', 'tags'])
      .where('delivery_id', 'in', delivery_ids)
      .orderBy('id')
      .execute(),
    responses: await db
      .selectFrom('idempotency_keys')
      .select(['account_id', 'test_mode', 'key', 'body'])
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .where(({ eb, or }) =>
        or([order_id, ...deliveries.map(({ id }) => id)].map((id) => eb('body', 'like', `%${id}%`))),
      )
      .execute(),
    failed_tasks: await db
      .selectFrom('failed_tasks')
      .select(['sequence', 'payload'])
      .where('subject', 'in', subjects)
      .execute(),
  };
}

/** Writes the rows of an order back, after their personal data was removed. */
export async function writeKeptOfOrder(db: Connection, kept: KeptOfOrder): Promise<void> {
  const { order } = kept;
  await db.updateTable('orders').set({ record: order.record }).where('id', '=', order.id).execute();
  for (const { id, record, pickup_phone, dropoff_phone, tracking_token } of kept.deliveries) {
    const columns = { record, pickup_phone, dropoff_phone, tracking_token };
    await db.updateTable('deliveries').set(columns).where('id', '=', id).execute();
  }
  for (const { id, stops } of kept.routes)
    await db.updateTable('routes').set({ stops }).where('id', '=', id).execute();
  for (const { position, id, data } of kept.events) {
    await db.updateTable('events').set({ data }).where('position', '=', position).execute();
    // An endpoint may have answered with the event.
    await db.updateTable('webhook_attempts').set({ response: '' }).where('event_id', '=', id).execute();
  }
  for (const { sequence, record } of kept.reports)
    await db.updateTable('reports').set({ record }).where('sequence', '=', sequence).execute();
  for (const { id, reason, note } of kept.disputes)
    await db.updateTable('disputes').set({ reason, note }).where('id', '=', id).execute();
  for (const { account_id, test_mode, key, body } of kept.responses) {
    await db
      .updateTable('idempotency_keys')
      .set({ body })
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .where('key', '=', key)
      .execute();
  }
  for (const { sequence, payload } of kept.failed_tasks)
    await db.updateTable('failed_tasks').set({ payload }).where('sequence', '=', sequence).execute();
}

/**
 * Deletes the internal notes of an order's deliveries, the links to couriers' tracking pages, and the recipient's
 * pictures.
 */
export async function deleteNotesAndPictures(
  db: Connection,
  { order, deliveries }: Pick<KeptOfOrder, 'order' | 'deliveries'>,
  { pictures }: { pictures: boolean },
): Promise<void> {
  const delivery_ids = ['', ...deliveries.map(({ id }) => id)];
  await db.deleteFrom('delivery_notes').where('delivery_id', 'in', delivery_ids).execute();
  await db
    .updateTable('courier_bookings')
    .set({ tracking_url: null })
    .where('order_id', '=', order.id)
    .execute();
  if (pictures) await db.deleteFrom('proof_pictures').where('delivery_id', 'in', delivery_ids).execute();
}

/** The stored quotes of an account that contain a text, such as an address in lower case. */
export async function findQuotesWithText(
  db: Connection,
  { account_id, text }: { account_id: string; text: string },
): Promise<{ id: string; record: string }[]> {
  return db
    .selectFrom('quotes')
    .select(['id', 'record'])
    .where('account_id', '=', account_id)
    .where('record', 'like', `%${JSON.stringify(text).slice(1, -1)}%`)
    .execute();
}

export async function writeQuoteRecord(
  db: Connection,
  { id, record }: { id: string; record: string },
): Promise<void> {
  await db.updateTable('quotes').set({ record }).where('id', '=', id).execute();
}
