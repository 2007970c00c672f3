/** The rows that contain data of the people of an order. An operator reads and erases them; no request does. */
import { sql } from 'kysely';
import type {
  AuditRow,
  Connection,
  DeliveryRow,
  DriverRow,
  DriverTapRow,
  Flag,
  OrderRow,
  QuoteRow,
  RouteRow,
  Scope,
} from './database.ts';
import { packJson, unpackJson } from './event-codec.ts';
import { chunks, inScope } from './rows.ts';

/** The ids of all orders with a delivery, or with a phone number in digits at an end, of every account and mode. */
export async function findOrdersOfPerson(
  db: Connection,
  query: { phone: string } | { delivery_id: string },
): Promise<string[]> {
  if ('delivery_id' in query) {
    const found = await db
      .selectFrom('deliveries')
      .select('order_id')
      .where('id', '=', query.delivery_id)
      .execute();
    return found.map(({ order_id }) => order_id);
  }
  return ordersWithWord(db, `t${query.phone}`);
}

/** The ids of all orders that a driver with a phone number, in digits, has or had. */
export async function findOrdersOfDriver(db: Connection, phone: string): Promise<string[]> {
  return ordersWithWord(db, `d${phone}`);
}

/** The orders whose search document has a word. Words have a space before and after; a phone number starts with a letter. */
async function ordersWithWord(db: Connection, word: string): Promise<string[]> {
  const found = await db
    .selectFrom('search_documents')
    .select('order_id')
    .where('text', 'like', `% ${word} %`)
    .orderBy('order_id')
    .execute();
  return found.map(({ order_id }) => order_id);
}

/** The own drivers with a phone number, in digits, of every account and mode. */
export async function findDriversOfPhone(db: Connection, phone: string): Promise<DriverRow[]> {
  return db.selectFrom('drivers').selectAll().where('phone', '=', phone).orderBy('id').execute();
}

/** The deliveries in whose record a phone number stands, whoever has it; reads all deliveries. */
export async function findDeliveriesNaming(db: Connection, phone: string): Promise<DeliveryRow[]> {
  return db
    .selectFrom('deliveries')
    .selectAll()
    .where('record', 'like', `%"phone":"${phone}"%`)
    .orderBy('id')
    .execute();
}

/** What is kept of a driver besides the deliveries. */
export interface KeptOfDriver {
  taps: Omit<DriverTapRow, 'driver_id'>[];
  /** The number of phones that get messages. */
  phones: number;
}

export async function readKeptOfDriver(db: Connection, driver_id: string): Promise<KeptOfDriver> {
  const taps = await db
    .selectFrom('driver_taps')
    .select(['id', 'kind', 'outcome', 'occurred_at', 'received_at'])
    .where('driver_id', '=', driver_id)
    .orderBy('received_at')
    .execute();
  const phones = await db
    .selectFrom('driver_pushes')
    .select('id')
    .where('driver_id', '=', driver_id)
    .execute();
  return { taps, phones: phones.length };
}

/** Whose entries of the audit are meant: those of recipients and drivers about some records, or those of a driver. */
export type AuditOfPerson =
  | { record_ids: readonly string[]; actors: readonly ('recipient' | 'driver')[] }
  | { driver_id: string };

/** The addresses from which a person has changed something. */
export async function auditOfPerson(
  db: Connection,
  person: AuditOfPerson,
): Promise<Pick<AuditRow, 'id' | 'operation' | 'record_id' | 'address' | 'created_at'>[]> {
  const found = db
    .selectFrom('audit_entries')
    .select(['id', 'operation', 'record_id', 'address', 'created_at'])
    .orderBy('id');
  if ('driver_id' in person) return found.where('driver_id', '=', person.driver_id).execute();
  return found
    .where('record_id', 'in', neverEmpty(person.record_ids))
    .where('actor', 'in', [...person.actors])
    .execute();
}

/** Removes the addresses from which a person has changed something; what was changed, and when, stays. */
export async function eraseAuditAddresses(db: Connection, person: AuditOfPerson): Promise<void> {
  const found = await auditOfPerson(db, person);
  for (const ids of chunks(found.flatMap(({ id, address }) => (address === null ? [] : id))))
    await db.updateTable('audit_entries').set({ address: null }).where('id', 'in', ids).execute();
}

/** Everything that is kept of an order. */
export interface KeptOfOrder {
  order: OrderRow;
  deliveries: DeliveryRow[];
  routes: Pick<RouteRow, 'id' | 'order_ids' | 'stops'>[];
  /** The plans of the drivers who drove these routes. */
  plans: Pick<DriverRow, 'id' | 'plan'>[];
  events: { position: number; id: string; data: string }[];
  /** The reports that are kept whole. */
  reports: { sequence: number; record: string }[];
  disputes: { id: string; reason: string; note: string }[];
  /** Internal notes of the deliveries. */
  notes: { note: string; tags: string }[];
  failed_tasks: { sequence: number; payload: string }[];
}

/** Reads an order with what belongs to it, each by an index. */
export async function readKeptOfOrder(db: Connection, order_id: string): Promise<KeptOfOrder | null> {
  const order = await db.selectFrom('orders').selectAll().where('id', '=', order_id).executeTakeFirst();
  if (order === undefined) return null;
  const deliveries = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('order_id', '=', order_id)
    .orderBy('id')
    .execute();
  const delivery_ids = idsOf(deliveries);
  const routes = await routesOf(db, order, deliveries);
  const events = await db
    .selectFrom('events')
    .select(['position', 'id', 'data'])
    .where(({ eb, or }) => or([eb('delivery_id', 'in', delivery_ids), eb('order_id', '=', order_id)]))
    .orderBy('position')
    .execute();
  const reports = await db
    .selectFrom('reports')
    .select(['sequence', 'record'])
    .where('delivery_id', 'in', delivery_ids)
    .where('record', 'is not', null)
    .$narrowType<{ record: string }>()
    .execute();
  return {
    order,
    deliveries,
    routes,
    plans: await plansOf(db, routes),
    events: events.map((row) => ({ ...row, data: unpackJson(row.data) })),
    reports,
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
    failed_tasks: await db
      .selectFrom('failed_tasks')
      .select(['sequence', 'payload'])
      .where('subject', 'in', [order_id, ...delivery_ids])
      .execute(),
  };
}

/** Ids for an `in (...)`, which some engines refuse without an entry: the empty text is the id of nothing. */
function neverEmpty(ids: readonly string[]): string[] {
  return ['', ...ids];
}

function idsOf(deliveries: readonly DeliveryRow[]): string[] {
  return neverEmpty(deliveries.map(({ id }) => id));
}

/** The routes that an order is or was in: its last one, those of its deliveries, and those of auto dispatch. */
async function routesOf(
  db: Connection,
  { id, route_id }: OrderRow,
  deliveries: readonly DeliveryRow[],
): Promise<KeptOfOrder['routes']> {
  const tried = await db
    .selectFrom('tries')
    .select('route_id')
    .distinct()
    .where('order_id', '=', id)
    .execute();
  const ids = [route_id ?? '', ...[...deliveries, ...tried].map((each) => each.route_id)];
  return db
    .selectFrom('routes')
    .select(['id', 'order_ids', 'stops'])
    .where('id', 'in', [...new Set(ids)])
    .execute();
}

async function plansOf(db: Connection, routes: KeptOfOrder['routes']): Promise<KeptOfOrder['plans']> {
  if (routes.length === 0) return [];
  const route_ids = routes.map(({ id }) => id);
  const drivers = db.selectFrom('driver_assignments').select('driver_id').where('route_id', 'in', route_ids);
  return db.selectFrom('drivers').select(['id', 'plan']).where('id', 'in', drivers).execute();
}

/** A stored response to repeats of a request. */
export interface StoredResponse extends Scope {
  key: string;
  body: string;
}

/** The stored responses that name an order or one of its deliveries; reads all responses of its account. */
export async function findResponses(
  db: Connection,
  { order, deliveries }: Pick<KeptOfOrder, 'order' | 'deliveries'>,
): Promise<StoredResponse[]> {
  return db
    .selectFrom('idempotency_keys')
    .select(['account_id', 'test_mode', 'key', 'body'])
    .where(inScope(order))
    .where(({ eb, or }) => or([order, ...deliveries].map(({ id }) => eb('body', 'like', `%${id}%`))))
    .$narrowType<{ body: string }>()
    .execute();
}

/** The stored responses with a phone number, in digits, of every account and mode; reads every stored response. */
export async function findResponsesNaming(db: Connection, phone: string): Promise<StoredResponse[]> {
  return db
    .selectFrom('idempotency_keys')
    .select(['account_id', 'test_mode', 'key', 'body'])
    .where('body', 'like', `%"${phone}"%`)
    .$narrowType<{ body: string }>()
    .execute();
}

export type StoredQuote = Pick<QuoteRow, 'id' | 'record'>;

/**
 * The quotes of an account that were made for an address before there was an order, by a text of their records; reads
 * all quotes of that kind.
 */
export async function findAddressQuotes(
  db: Connection,
  { account_id, text }: { account_id: string; text: string },
): Promise<StoredQuote[]> {
  const pattern = JSON.stringify(text)
    .slice(1, -1)
    .replace(/[\\%_]/g, '\\$&');
  return db
    .selectFrom('quotes')
    .select(['id', 'record'])
    .where('id', '>', 'quo_')
    .where('id', '<', 'quo_~')
    .where('account_id', '=', account_id)
    .where(sql<boolean>`record like ${`%${pattern}%`} escape ${'\\'}`)
    .execute();
}

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

/** Writes the rows of an order back, after their personal data was removed. Of `before`, the deliveries tell what changed. */
export async function writeKeptOfOrder(
  db: Connection,
  before: Pick<KeptOfOrder, 'deliveries'>,
  kept: Omit<KeptOfOrder, 'notes'>,
): Promise<void> {
  const { order, deliveries } = kept;
  await db.updateTable('orders').set({ record: order.record }).where('id', '=', order.id).execute();
  for (const column of ['record', 'tracking_token', 'pickup_phone', 'dropoff_phone'] as const) {
    const changed = deliveries.filter((row, index) => row[column] !== before.deliveries[index]?.[column]);
    await writeColumn(db, { table: 'deliveries', key: 'id', column }, changed);
  }
  await writeColumn(db, { table: 'routes', key: 'id', column: 'stops' }, kept.routes);
  await writeColumn(db, { table: 'drivers', key: 'id', column: 'plan' }, kept.plans);
  const events = kept.events.map(({ position, data }) => ({ position, data: packJson(data) }));
  await writeColumn(db, { table: 'events', key: 'position', column: 'data' }, events);
  await writeColumn(db, { table: 'reports', key: 'sequence', column: 'record' }, kept.reports);
  await writeColumn(db, { table: 'disputes', key: 'id', column: 'reason' }, kept.disputes);
  await writeColumn(db, { table: 'disputes', key: 'id', column: 'note' }, kept.disputes);
  await writeColumn(db, { table: 'failed_tasks', key: 'sequence', column: 'payload' }, kept.failed_tasks);
}

/** A row with its key and the content of a column. */
type Content<Key extends string, Column extends string> = Readonly<
  Record<Key, string | number> & Record<Column, string | Uint8Array>
>;

/** Writes a column of several rows in one statement. The `else` gives PostgreSQL the type of the contents. */
async function writeColumn<Key extends string, Column extends string>(
  db: Connection,
  { table, key, column }: { table: string; key: Key; column: Column },
  rows: readonly Content<Key, Column>[],
): Promise<void> {
  for (const some of chunks(rows)) {
    const cases = some.map((row) => sql`when ${row[key]} then ${row[column]}`);
    const keys = some.map((row) => row[key]);
    await sql`update ${sql.table(table)} set ${sql.ref(column)} = case ${sql.ref(key)} ${sql.join(cases, sql` `)}
      else ${sql.ref(column)} end
      where ${sql.ref(key)} in (${sql.join(keys)})`.execute(db);
  }
}

/**
 * Deletes what is about an order's deliveries alone: internal notes, the links to couriers' tracking pages, the requests
 * of couriers as received, the responses to webhooks, and the recipient's pictures.
 */
export async function deleteBesidesOrder(
  db: Connection,
  { order, deliveries, routes, events }: Pick<KeptOfOrder, 'order' | 'deliveries' | 'routes' | 'events'>,
  { pictures }: { pictures: boolean },
): Promise<void> {
  const delivery_ids = deliveries.map(({ id }) => id);
  if (delivery_ids.length > 0) {
    await db.deleteFrom('delivery_notes').where('delivery_id', 'in', delivery_ids).execute();
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
  await forgetAsReceived(db, { deliveries, events });
}

/** Erases people from the stored answers of couriers and servers about an order, which may repeat an address. */
export async function eraseFromAnswers(
  db: Connection,
  { order: { id }, deliveries, routes }: Pick<KeptOfOrder, 'order' | 'deliveries' | 'routes'>,
  erase: (text: string) => string,
): Promise<void> {
  const subjects = sql.join([id, ...deliveries.map((each) => each.id)]);
  const route_ids = sql.join(neverEmpty(routes.map((each) => each.id)));
  const ofOrder = sql`order_id = ${id}`;
  const dispatches = sql`select id from dispatches where route_id in (${route_ids})`;
  const answers = [
    { table: 'tries', column: 'reason', where: ofOrder },
    { table: 'tries', column: 'left_out', where: ofOrder },
    { table: 'batch_orders', column: 'reason', where: ofOrder },
    { table: 'batch_orders', column: 'refusals', where: ofOrder },
    { table: 'dispatches', column: 'reason', where: sql`route_id in (${route_ids})` },
    {
      table: 'courier_bookings',
      column: 'reason',
      where: sql`dispatch_id in (${dispatches}) and ${ofOrder}`,
    },
    {
      table: 'quote_declines',
      column: 'reason',
      where: sql`job_id in (select id from jobs where route_id in (${route_ids}))`,
    },
    { table: 'failed_tasks', column: 'error', where: sql`subject in (${subjects})` },
  ];
  for (const { table, column, where } of answers) {
    const [from, name] = [sql.table(table), sql.ref(column)];
    const query = sql<{ text: string | null }>`select distinct ${name} as text from ${from} where ${where}`;
    for (const { text } of (await query.execute(db)).rows) {
      const rest = text === null ? null : erase(text);
      if (rest !== text)
        await sql`update ${from} set ${name} = ${rest} where ${where} and ${name} = ${text}`.execute(db);
    }
  }
}

/** Deletes the requests of couriers as received, and the responses to webhooks. */
export async function forgetAsReceived(
  db: Connection,
  { deliveries, events }: Pick<KeptOfOrder, 'deliveries' | 'events'>,
): Promise<void> {
  await db.updateTable('reports').set({ raw: null }).where('delivery_id', 'in', idsOf(deliveries)).execute();
  // An endpoint may have answered with the event.
  for (const event_ids of chunks(events.map(({ id }) => id))) {
    await db
      .updateTable('webhook_attempts')
      .set({ response: '' })
      .where('event_id', 'in', event_ids)
      .execute();
  }
}

export async function writeResponses(db: Connection, responses: readonly StoredResponse[]): Promise<void> {
  for (const { key, body, ...scope } of responses) {
    await db
      .updateTable('idempotency_keys')
      .set({ body })
      .where(inScope(scope))
      .where('key', '=', key)
      .execute();
  }
}

export async function writeQuotes(db: Connection, quotes: readonly StoredQuote[]): Promise<void> {
  await writeColumn(db, { table: 'quotes', key: 'id', column: 'record' }, quotes);
}
