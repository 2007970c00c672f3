import type { DeliveryStatus } from '../contract/vocabulary.ts';
import { appendedTable } from './collected-inserts.ts';
import type { Connection, DeliveryRow, Flag, Scope } from './database.ts';
import type { DeliveryQuery } from './delivery-filters.ts';
import type { NewestRows } from './first-page.ts';
import type { Page } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { isRouteLocked, lockRoutes } from './routes.ts';
import { canLockRows, type OneOrMore, statuses, withLock } from './rows.ts';
import { rowsById } from './transaction-rows.ts';

/** The columns that a change of a delivery may set. */
export type DeliveryChange = Partial<Omit<DeliveryRow, 'id' | keyof Scope | 'created_at' | 'updated_at'>>;

const rows = rowsById<DeliveryRow>(
  ({ id }) => id,
  async (db, ids, locking) => {
    await appended.flush(db);
    const query = db.selectFrom('deliveries').selectAll().where('id', 'in', ids).orderBy('id');
    return withLock(query, db, locking).execute();
  },
);

const appended = appendedTable<DeliveryRow>((db, deliveries) =>
  db.insertInto('deliveries').values(deliveries),
);

/** A route with its deliveries as they were read, oldest first. */
interface RouteDeliveries {
  route_id: string;
  deliveries: readonly DeliveryRow[];
}

const ofRoutes = rowsById<RouteDeliveries>(
  ({ route_id }) => route_id,
  async (db, route_ids, locking) => {
    await appended.flush(db);
    const query = db.selectFrom('deliveries').selectAll().where('route_id', 'in', route_ids).orderBy('id');
    const found = await withLock(query, db, locking).execute();
    if (locking === 'none') rows.found(db, found);
    else rows.locked(db, found);
    return route_ids.map((route_id) => ({
      route_id,
      deliveries: found.filter((row) => row.route_id === route_id),
    }));
  },
);

export async function insertDeliveries(db: Connection, deliveries: readonly DeliveryRow[]): Promise<void> {
  await appended.append(db, deliveries);
  rows.inserted(db, deliveries);
  ofRoutes.forget(db);
}

/** A delivery of an account and mode. */
export const deliveryById: PreparedQuery<DeliveryRow, [id: string, account_id: string, test_mode: Flag]> = {
  name: 'delivery by id',
  sample: ['id', 'account', 1],
  query: (db, id, account_id, test_mode) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode),
};

/** The delivery of a tracking link, without a scope. */
export const deliveryByToken: PreparedQuery<DeliveryRow, [tracking_token: string]> = {
  name: 'delivery by token',
  sample: ['token'],
  query: (db, tracking_token) =>
    db.selectFrom('deliveries').selectAll().where('tracking_token', '=', tracking_token),
};

/** Deliveries of any account, unordered: for background tasks, which know the ids from their own records. */
export const loadDeliveries = rows.read;

/** For background tasks, which know the id from their own record. */
export async function loadDelivery(db: Connection, id: string): Promise<DeliveryRow | undefined> {
  return rows.readOne(db, id);
}

/**
 * Deliveries of any account, unordered, locked until the transaction ends: nobody else changes them meanwhile, or
 * inserts what is decided by them, such as charges, reports and numbered events.
 */
export const lockDeliveries = rows.lock;

/** Locks deliveries without waiting; returns the ids of those that another transaction has locked. */
export const lockFreeDeliveries = rows.lockFree;

export async function lockDelivery(db: Connection, id: string): Promise<DeliveryRow | undefined> {
  return (await rows.lock(db, [id]))[0];
}

/** The delivery of an order that was dispatched so, locked until the transaction ends. */
export async function lockDeliveryOf(
  db: Connection,
  { dispatch_id, order_id }: { dispatch_id: string; order_id: string },
): Promise<DeliveryRow | undefined> {
  await appended.flush(db);
  const route = db.selectFrom('dispatches').select('route_id').where('id', '=', dispatch_id);
  const deliveries = db.selectFrom('deliveries').selectAll().where('route_id', '=', route);
  const query = deliveries.where('order_id', '=', order_id);
  const row = await withLock(query, db, 'all').executeTakeFirst();
  if (row !== undefined) rows.locked(db, [row]);
  return row;
}

/** The deliveries of several routes; those of each route oldest first. */
export async function deliveriesOfRoutes(
  db: Connection,
  route_ids: readonly string[],
): Promise<DeliveryRow[]> {
  const found = (await ofRoutes.read(db, route_ids)).flatMap(({ deliveries }) => deliveries);
  if (!db.isTransaction) return found;
  // The transaction may have changed the deliveries since it read their routes.
  return rows.read(
    db,
    found.map(({ id }) => id),
  );
}

/** The same, locked until the transaction ends. */
export async function lockDeliveriesOfRoutes(
  db: Connection,
  route_ids: readonly string[],
): Promise<DeliveryRow[]> {
  await ofRoutes.lock(db, route_ids);
  return deliveriesOfRoutes(db, route_ids);
}

/** The deliveries of a route, oldest first. */
export async function deliveriesOfRoute(db: Connection, route_id: string): Promise<DeliveryRow[]> {
  return deliveriesOfRoutes(db, [route_id]);
}

/**
 * The deliveries of routes, oldest first, to see whether all have ended. Of two transactions that end deliveries of one
 * route the second waits for the first, and sees what it has written.
 */
export async function lockEndsOfRoutes(db: Connection, route_ids: readonly string[]): Promise<DeliveryRow[]> {
  if (canLockRows(db) && route_ids.some((id) => !isRouteLocked(db, id))) {
    await lockRoutes(db, route_ids);
    ofRoutes.forget(db);
  }
  return deliveriesOfRoutes(db, route_ids);
}

/** Every delivery of an order, oldest first. */
export async function deliveriesOfOrder(db: Connection, order_id: string): Promise<DeliveryRow[]> {
  await appended.flush(db);
  return db.selectFrom('deliveries').selectAll().where('order_id', '=', order_id).orderBy('id').execute();
}

/** The deliveries of an account and mode, newest first. */
export const newestDeliveries: NewestRows<DeliveryRow> = {
  name: 'newest deliveries',
  sample: ['account', 1, 2],
  query: (db, account_id, test_mode, count) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .orderBy('id', 'desc')
      .limit(count),
};

/** One page of an account's deliveries, newest first. */
export async function listDeliveries(db: Connection, query: DeliveryQuery): Promise<Page<DeliveryRow>> {
  const { pageOfDeliveries } = await import('./delivery-list.ts');
  return pageOfDeliveries(db, query);
}

/**
 * Changes a delivery in one of the statuses `from`; false, without a change, if it is in another. A transaction must have
 * locked it before it read what the change is made of.
 */
export async function updateDelivery(
  db: Connection,
  update: { id: string; from: OneOrMore<DeliveryStatus>; change: DeliveryChange; now: number },
): Promise<boolean> {
  const { id } = update;
  if (db.isTransaction && !rows.isLocked(db, id)) throw new Error(`delivery ${id} is changed without a lock`);
  const from = statuses(update.from);
  const columns = { ...update.change, updated_at: update.now };
  const isChanged = await appended.change(db, {
    columns,
    isMeant: (row) => row.id === id && from.includes(row.status),
    update: () =>
      db
        .updateTable('deliveries')
        .set(columns)
        .where('id', '=', id)
        .where('status', 'in', from)
        .executeTakeFirst(),
  });
  if (!isChanged) return false;
  rows.changed(db, id, columns);
  if (columns.route_id !== undefined) ofRoutes.forget(db);
  return true;
}
