/** Orders: look-ups, lists, locks, and the changes of their status. */
import type { OrderStatus } from '../contract/vocabulary.ts';
import type { SearchWord } from '../domain/search-text.ts';
import type { Connection, Flag, OrderRow, Scope } from './database.ts';
import { keptRows } from './kept-rows.ts';
import type { Page, PageQuery } from './paging.ts';
import type { OrderTests } from './periods.ts';
import { inScope, type OneOrMore, statuses, withLock } from './rows.ts';
import type { NewestRows, PreparedQuery } from './storage.ts';

export interface OrderQuery extends PageQuery, OrderTests {
  status?: OneOrMore<OrderStatus> | undefined;
  external_order_ref?: string | undefined;
  batch_id?: string | undefined;
  route_id?: string | undefined;
  delivery_id?: string | undefined;
  /** Words that the order contains. */
  words?: readonly SearchWord[] | undefined;
  /** The beginning of its id. */
  id_start?: string | undefined;
}

/** The columns that a change of an order may set besides its status. */
type OrderChange = Partial<Pick<OrderRow, 'route_id' | 'delivery_id' | 'record'>>;

const rows = keptRows<OrderRow>('orders', ({ id }) => id);

const byId = rows.byKey((db, ids, locking) =>
  withLock(db.selectFrom('orders').selectAll().where('id', 'in', ids).orderBy('id'), db, locking).execute(),
);

export const insertOrders = rows.appendBy((db, orders) => db.insertInto('orders').values(orders));

/** An order of an account and mode. */
export const orderById: PreparedQuery<OrderRow, [id: string, account_id: string, test_mode: Flag]> = {
  name: 'order by id',
  sample: ['id', 'account', 1],
  query: (db, id, account_id, test_mode) =>
    db
      .selectFrom('orders')
      .selectAll()
      .where('id', '=', id)
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode),
};

export async function findOrder(db: Connection, scope: Scope, id: string): Promise<OrderRow | undefined> {
  return orderById.query(db, id, scope.account_id, scope.test_mode).executeTakeFirst();
}

/** Those of `ids` that exist in this account and mode, by id. */
export async function findOrders(db: Connection, scope: Scope, ids: readonly string[]): Promise<OrderRow[]> {
  const found = await byId.read(db, ids);
  return found
    .filter(({ account_id, test_mode }) => account_id === scope.account_id && test_mode === scope.test_mode)
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Orders of any account, unordered: for background tasks, which know the ids from their own records. */
export const loadOrders = byId.read;

/**
 * Orders whose status decides what a transaction does: locked, so that nobody else changes them, or their entry in auto
 * dispatch, before it ends.
 */
export const lockOrders = byId.lock;

/** Locks orders without waiting; returns the ids of those that another transaction has locked. */
export const lockFreeOrders = byId.lockFree;

export async function lockOrder(db: Connection, id: string): Promise<OrderRow | undefined> {
  return (await byId.lock(db, [id]))[0];
}

/** For background tasks, which know the id from their own record. */
export const loadOrder = byId.readOne;

/** The orders of an account and mode, newest first. */
export const newestOrders: NewestRows<OrderRow> = {
  name: 'newest orders',
  sample: ['account', 1, 2],
  query: (db, account_id, test_mode, count) =>
    db
      .selectFrom('orders')
      .selectAll()
      .where('account_id', '=', account_id)
      .where('test_mode', '=', test_mode)
      .orderBy('id', 'desc')
      .limit(count),
};

export async function listOrders(db: Connection, query: OrderQuery): Promise<Page<OrderRow>> {
  if (query.words !== undefined) {
    const { ordersByWords } = await import('./search.ts');
    return ordersByWords(db, { ...query, words: query.words });
  }
  const { status, external_order_ref, batch_id, route_id, delivery_id, id_start } = query;
  const { pageBounds, readPage } = await import('./paging.ts');
  let orders = db.selectFrom('orders').selectAll().where(pageBounds(query, 'ord_'));
  if (external_order_ref !== undefined) orders = orders.where('external_order_ref', '=', external_order_ref);
  if (batch_id !== undefined) orders = orders.where('batch_id', '=', batch_id);
  if (route_id !== undefined) orders = orders.where('route_id', '=', route_id);
  if (delivery_id !== undefined) {
    const owner = db.selectFrom('deliveries').select('order_id').where('id', '=', delivery_id);
    orders = orders.where('id', 'in', owner);
  }
  if (id_start !== undefined) orders = orders.where('id', '>=', id_start).where('id', '<', `${id_start}~`);
  if ((query.due ?? query.delivered ?? query.ended ?? query.store_id) !== undefined) {
    const { orderTests } = await import('./periods.ts');
    orders = orders.where(orderTests(db, query));
  }
  const parts =
    status === undefined ? [orders] : statuses(status).map((each) => orders.where('status', '=', each));
  return readPage(db, query.limit, parts);
}

/** The statuses in which an order may join a route. */
export const joinable: readonly OrderStatus[] = ['open', 'failed', 'unfulfilled'];

/** Adds orders to a draft route that no route and no delivery holds; returns how many of `ids` were added. */
export async function addToRoute(
  db: Connection,
  join: Scope & { ids: readonly string[]; route_id: string; now: number },
): Promise<number> {
  if (join.ids.length === 0) return 0;
  const joined = await rows.change(
    db,
    db
      .updateTable('orders')
      .set({ status: 'routed', route_id: join.route_id, updated_at: join.now })
      .where('id', 'in', join.ids)
      .where(inScope(join))
      .where('status', 'in', joinable),
  );
  return joined.length;
}

/** Releases the orders of a deleted draft route; returns their number. */
export async function releaseFromRoute(
  db: Connection,
  leave: { route_id: string; now: number },
): Promise<number> {
  const result = await db
    .updateTable('orders')
    .set({ status: 'open', route_id: null, updated_at: leave.now })
    .where('route_id', '=', leave.route_id)
    .where('status', '=', 'routed')
    .executeTakeFirst();
  return Number(result.numUpdatedRows);
}

/** Changes the status of an order in one of the statuses `from`; false, without a change, if it is in another. */
export async function setOrderStatus(
  db: Connection,
  move: { id: string; from: OneOrMore<OrderStatus>; to: OrderStatus; now: number; change?: OrderChange },
): Promise<boolean> {
  const changed = await rows.change(
    db,
    db
      .updateTable('orders')
      .set({ ...move.change, status: move.to, updated_at: move.now })
      .where('id', '=', move.id)
      .where('status', 'in', statuses(move.from)),
  );
  return changed.length > 0;
}

/** Marks an order and its deliveries as erased, so that no later erasure by age reads them; null removes the mark. */
export async function markErased(
  db: Connection,
  { order_id, now }: { order_id: string; now: number | null },
): Promise<void> {
  await db.updateTable('orders').set({ erased_at: now }).where('id', '=', order_id).execute();
  await db.updateTable('deliveries').set({ erased_at: now }).where('order_id', '=', order_id).execute();
}
