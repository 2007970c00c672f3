import type { Connection, DeliveryRow, DriverRow, OrderRow, QuoteRow, RouteRow, Scope } from './database.ts';
import { unpackJson } from './packed-json.ts';

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
  routes: Pick<RouteRow, 'id' | 'order_ids' | 'stops'>[];
  /** The plans of the drivers who drove these routes. */
  plans: Pick<DriverRow, 'id' | 'plan'>[];
  events: { position: number; id: string; data: string }[];
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
    .execute();
  return {
    order,
    deliveries,
    routes,
    plans: await plansOf(db, routes),
    events: events.map((row) => ({ ...row, data: unpackJson(row.data) })),
    reports: reports.map((row) => ({ ...row, record: unpackJson(row.record) })),
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

/** The ids of an order's deliveries; never empty, as some engines refuse an empty list. */
function idsOf(deliveries: readonly DeliveryRow[]): string[] {
  return ['', ...deliveries.map(({ id }) => id)];
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
  return db
    .selectFrom('drivers')
    .select(['id', 'plan'])
    .where(
      'id',
      'in',
      db
        .selectFrom('driver_assignments')
        .select('driver_id')
        .where(
          'route_id',
          'in',
          routes.map(({ id }) => id),
        ),
    )
    .execute();
}

/** A stored response to repeats of a request. */
export interface StoredResponse extends Scope {
  key: string;
  body: string;
}

/** The stored responses that name an order or one of its deliveries; reads all of its account. */
export async function findResponses(
  db: Connection,
  { order, deliveries }: Pick<KeptOfOrder, 'order' | 'deliveries'>,
): Promise<StoredResponse[]> {
  return db
    .selectFrom('idempotency_keys')
    .select(['account_id', 'test_mode', 'key', 'body'])
    .where('account_id', '=', order.account_id)
    .where('test_mode', '=', order.test_mode)
    .where(({ eb, or }) => or([order, ...deliveries].map(({ id }) => eb('body', 'like', `%${id}%`))))
    .$narrowType<{ body: string }>()
    .execute();
}

/**
 * The quotes of an account that were made for an address before there was an order, by a text of their records; reads
 * all of them.
 */
export async function findAddressQuotes(
  db: Connection,
  { account_id, text }: { account_id: string; text: string },
): Promise<StoredQuote[]> {
  return db
    .selectFrom('quotes')
    .select(['id', 'record'])
    .where('id', '>', 'quo_')
    .where('id', '<', 'quo_~')
    .where('account_id', '=', account_id)
    .where('record', 'like', `%${JSON.stringify(text).slice(1, -1)}%`)
    .execute();
}

export type StoredQuote = Pick<QuoteRow, 'id' | 'record'>;

/** Quotes by id. */
export async function findStoredQuotes(db: Connection, ids: readonly string[]): Promise<StoredQuote[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('quotes').select(['id', 'record']).where('id', 'in', ids).execute();
}

/** Orders by id. */
export async function ordersById(db: Connection, ids: readonly string[]): Promise<OrderRow[]> {
  if (ids.length === 0) return [];
  return db.selectFrom('orders').selectAll().where('id', 'in', ids).execute();
}
