import type { RouteStatus } from '../contract/vocabulary.ts';
import type { Connection, RouteRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { type OneOrMore, statuses } from './rows.ts';

export interface RouteQuery extends PageQuery {
  status?: OneOrMore<RouteStatus> | undefined;
}

export async function insertRoute(db: Connection, route: RouteRow): Promise<void> {
  await db.insertInto('routes').values(route).execute();
}

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

/** For background tasks, which know the id from their own record. */
export async function loadRoute(db: Connection, id: string): Promise<RouteRow | undefined> {
  return db.selectFrom('routes').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function listRoutes(db: Connection, query: RouteQuery): Promise<Page<RouteRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const routes = db.selectFrom('routes').selectAll().where(pageBounds(query, 'rte_'));
  const each =
    query.status === undefined
      ? [routes]
      : statuses(query.status).map((status) => routes.where('status', '=', status));
  return readPage(db, query.limit, each);
}

/** Changes the status of a route in one of the statuses `from`; false, without a change, if it is in another. */
export async function setRouteStatus(
  db: Connection,
  move: { id: string; from: OneOrMore<RouteStatus>; to: RouteStatus; now: number },
): Promise<boolean> {
  const result = await db
    .updateTable('routes')
    .set({ status: move.to, updated_at: move.now })
    .where('id', '=', move.id)
    .where('status', 'in', statuses(move.from))
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
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
