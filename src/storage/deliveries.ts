import type { DeliveryStatus } from '../contract/vocabulary.ts';
import type { Connection, DeliveryRow, Flag, Scope } from './database.ts';
import type { DeliveryQuery } from './delivery-list.ts';
import type { Page } from './paging.ts';
import { isRouteLocked, lockRoutes } from './routes.ts';
import { canLockRows, type OneOrMore, statuses, withLock } from './rows.ts';
import type { NewestRows, PreparedQuery } from './storage.ts';
import { keptRows } from './transaction-rows.ts';

/** The columns that a change of a delivery may set. */
type DeliveryChange = Partial<Omit<DeliveryRow, 'id' | keyof Scope | 'created_at' | 'updated_at'>>;

const rows = keptRows<DeliveryRow>('deliveries', ({ id }) => id);

const byId = rows.byKey((db, ids, locking) =>
  withLock(
    db.selectFrom('deliveries').selectAll().where('id', 'in', ids).orderBy('id'),
    db,
    locking,
  ).execute(),
);

const byRoute = rows.by(
  ({ route_id }) => route_id,
  (db, route_ids, locking) => {
    const query = db.selectFrom('deliveries').selectAll().where('route_id', 'in', route_ids).orderBy('id');
    return withLock(query, db, locking).execute();
  },
);

export const insertDeliveries = rows.appendBy((db, deliveries) =>
  db.insertInto('deliveries').values(deliveries),
);

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

/** For background tasks, which know the id from their own record. */
export const loadDelivery = byId.readOne;

/**
 * Deliveries of any account, unordered, locked until the transaction ends: nobody else changes them meanwhile, or
 * inserts what is decided by them, such as charges, reports and numbered events.
 */
export const lockDeliveries = byId.lock;

/** Locks deliveries without waiting; returns the ids of those that another transaction has locked. */
export const lockFreeDeliveries = byId.lockFree;

export async function lockDelivery(db: Connection, id: string): Promise<DeliveryRow | undefined> {
  return (await byId.lock(db, [id]))[0];
}

/** The delivery of an order that was dispatched so, locked until the transaction ends. */
export async function lockDeliveryOf(
  db: Connection,
  { dispatch_id, order_id }: { dispatch_id: string; order_id: string },
): Promise<DeliveryRow | undefined> {
  const route = db.selectFrom('dispatches').select('route_id').where('id', '=', dispatch_id);
  const deliveries = db.selectFrom('deliveries').selectAll().where('route_id', '=', route);
  const query = deliveries.where('order_id', '=', order_id);
  const row = await withLock(query, db, 'all').executeTakeFirst();
  if (row !== undefined) rows.keepLocked(db, [row]);
  return row;
}

/** The deliveries of several routes, oldest first. */
export const deliveriesOfRoutes = byRoute.read;

/** The same, locked until the transaction ends. */
export const lockDeliveriesOfRoutes = byRoute.lock;

/** The deliveries of a route, oldest first. */
export async function deliveriesOfRoute(db: Connection, route_id: string): Promise<DeliveryRow[]> {
  return byRoute.read(db, [route_id]);
}

/**
 * The deliveries of routes, oldest first, to see whether all have ended. Of two transactions that end deliveries of one
 * route the second waits for the first, and sees what it has written.
 */
export async function lockEndsOfRoutes(db: Connection, route_ids: readonly string[]): Promise<DeliveryRow[]> {
  if (!canLockRows(db) || route_ids.every((id) => isRouteLocked(db, id))) return byRoute.read(db, route_ids);
  await lockRoutes(db, route_ids);
  return byRoute.readAgain(db, route_ids);
}

/** Every delivery of an order, oldest first. */
export async function deliveriesOfOrder(db: Connection, order_id: string): Promise<DeliveryRow[]> {
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
  const changed = await rows.change(
    db,
    db
      .updateTable('deliveries')
      .set({ ...update.change, updated_at: update.now })
      .where('id', '=', id)
      .where('status', 'in', statuses(update.from)),
  );
  return changed.length > 0;
}
