import type { RouteStatus } from '../contract/vocabulary.ts';
import type { Connection, RouteRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { canLockRows, type OneOrMore, statuses } from './rows.ts';
import type { PreparedQuery } from './storage.ts';
import { keptRows } from './transaction-rows.ts';
import { executeReturning } from './transaction-state.ts';

interface RouteQuery extends PageQuery {
  status?: OneOrMore<RouteStatus> | undefined;
}

const rows = keptRows<RouteRow>('routes', ({ id }) => id);

const byId = rows.byKey((db, ids, locking) => {
  const query = db.selectFrom('routes').where('id', 'in', ids);
  if (locking === 'none' || !canLockRows(db)) return query.selectAll().execute();
  // A serializable transaction that began before must notice what the holder of the lock has written: see `lockJobs`.
  const lock = db
    .updateTable('routes')
    .set(({ ref }) => ({ status: ref('status') }))
    .where('id', 'in', query.select('id').orderBy('id').forUpdate());
  return executeReturning(db, lock.returningAll());
});

export const insertRoute = rows.appendOneBy((db, routes) => db.insertInto('routes').values(routes));

/** A route of the account in either mode: a key of the wrong mode gets a specific error. */
export const routeById: PreparedQuery<RouteRow, [id: string, account_id: string]> = {
  name: 'route by id',
  sample: ['id', 'account'],
  query: (db, id, account_id) =>
    db.selectFrom('routes').selectAll().where('id', '=', id).where('account_id', '=', account_id),
};

export async function findRoute(
  db: Connection,
  account_id: string,
  id: string,
): Promise<RouteRow | undefined> {
  return routeById.query(db, id, account_id).executeTakeFirst();
}

/** Routes of any account, unordered: for background tasks, which know the ids from their own records. */
export const loadRoutes = byId.read;

/** Routes whose end follows from their deliveries: locked, so that two transactions do not overlook each other's. */
export const lockRoutes = byId.lock;

/** Whether the transaction has locked a route. */
export const isRouteLocked = rows.isLocked;

/** For background tasks, which know the id from their own record. */
export const loadRoute = byId.readOne;

export async function listRoutes(db: Connection, query: RouteQuery): Promise<Page<RouteRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const routes = db.selectFrom('routes').selectAll().where(pageBounds(query, 'rte_'));
  const { status } = query;
  const parts =
    status === undefined ? [routes] : statuses(status).map((each) => routes.where('status', '=', each));
  return readPage(db, query.limit, parts);
}

/** Changes the status of a route in one of the statuses `from`; false, without a change, if it is in another. */
export async function setRouteStatus(
  db: Connection,
  move: { id: string; from: OneOrMore<RouteStatus>; to: RouteStatus; now: number },
): Promise<boolean> {
  const changed = await rows.change(
    db,
    db
      .updateTable('routes')
      .set({ status: move.to, updated_at: move.now })
      .where('id', '=', move.id)
      .where('status', 'in', statuses(move.from)),
  );
  return changed.length > 0;
}

/** Deletes a draft; false if it no longer is one. The caller must release its orders and quote rounds. */
export async function deleteDraft(db: Connection, id: string): Promise<boolean> {
  const result = await db
    .deleteFrom('routes')
    .where('id', '=', id)
    .where('status', '=', 'draft')
    .executeTakeFirst();
  return result.numDeletedRows === 1n;
}
