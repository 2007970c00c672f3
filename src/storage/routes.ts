/** Routes and their dispatches. */
import type { RouteStatus } from '../contract/vocabulary.ts';
import type { Connection, DispatchRow, RouteRow } from './database.ts';
import { keptRows } from './kept-rows.ts';
import type { Page, PageQuery } from './paging.ts';
import { canLockRows, type OneOrMore, statuses } from './rows.ts';
import type { PreparedQuery } from './storage.ts';
import { executeReturning } from './transactions.ts';

interface RouteQuery extends PageQuery {
  status?: OneOrMore<RouteStatus> | undefined;
}

const routeRows = keptRows<RouteRow>('routes', ({ id }) => id);

const routesById = routeRows.byKey((db, ids, locking) => {
  const query = db.selectFrom('routes').where('id', 'in', ids);
  if (locking === 'none' || !canLockRows(db)) return query.selectAll().execute();
  // A serializable transaction that began before must notice what the holder of the lock has written: see `lockJobs`.
  const lock = db
    .updateTable('routes')
    .set(({ ref }) => ({ status: ref('status') }))
    .where('id', 'in', query.select('id').orderBy('id').forUpdate());
  return executeReturning(db, lock.returningAll());
});

export const insertRoute = routeRows.appendOneBy((db, routes) => db.insertInto('routes').values(routes));

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
export const loadRoutes = routesById.read;

/** Routes whose end follows from their deliveries: locked, so that two transactions do not overlook each other's. */
export const lockRoutes = routesById.lock;

export const isRouteLocked = routeRows.isLocked;

/** For background tasks, which know the id from their own record. */
export const loadRoute = routesById.readOne;

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
  const changed = await routeRows.change(
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

const dispatchRows = keptRows<DispatchRow>('dispatches', ({ id }) => id);

const dispatchesById = dispatchRows.byKey((db, ids) =>
  db.selectFrom('dispatches').selectAll().where('id', 'in', ids).execute(),
);

export const insertDispatch = dispatchRows.appendOneBy((db, dispatches) =>
  db.insertInto('dispatches').values(dispatches),
);

/** Dispatches of any account, unordered: for background tasks, which know the ids from their own records. */
export const findDispatches = dispatchesById.read;

/** The dispatches of a route, oldest first. */
export async function dispatchesOfRoute(db: Connection, route_id: string): Promise<DispatchRow[]> {
  return db.selectFrom('dispatches').selectAll().where('route_id', '=', route_id).orderBy('id').execute();
}

/** Records a provider's response once and returns the dispatch; undefined if it already has a response. */
export async function settleDispatch(
  db: Connection,
  settle: { id: string; to: 'accepted' | 'refused'; reason: string | null; now: number },
): Promise<DispatchRow | undefined> {
  const [settled] = await dispatchRows.change(
    db,
    db
      .updateTable('dispatches')
      .set({ state: settle.to, reason: settle.reason, unsettled: null, updated_at: settle.now })
      .where('id', '=', settle.id)
      .where('state', '=', 'asking'),
  );
  return settled;
}

/** Records why only a person can find out whether the provider has accepted. */
export async function markUnsettled(
  db: Connection,
  { id, unsettled, now }: { id: string; unsettled: string; now: number },
): Promise<void> {
  await db
    .updateTable('dispatches')
    .set({ unsettled, updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'asking')
    .execute();
}
