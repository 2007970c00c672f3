import { Problem } from '../../contract/errors.ts';
import type { getRoute, listRoutes } from '../../contract/routes.ts';
import type { Connection, RouteRow } from '../../storage/database.ts';
import { listRoutes as listRows, lockRoutes, routeById } from '../../storage/routes.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Caller, Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { routeView } from './route-view.ts';

export const pageOfRoutes: Handler<typeof listRoutes> = async ({ service, caller, query }) => {
  const { status } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'rte'), status };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return pageOf(page, routeView);
};

export const readRoute: Handler<typeof getRoute> = async ({ service, caller, params }) =>
  routeView(await findRouteFor(service.storage, caller, params.route_id));

/** The caller's route, outside of a transaction. Throws as `lockRouteFor` does. */
export async function findRouteFor(storage: Storage, caller: Caller, route_id: string): Promise<RouteRow> {
  return visible(await storage.first(routeById, route_id, caller.scope.account_id), caller, route_id);
}

/**
 * The caller's route, locked until the transaction ends: for changes that follow from its status, quotes or orders.
 * Throws `record_not_found` and `route_api_key_test_mode_mismatch`.
 */
export async function lockRouteFor(db: Connection, caller: Caller, route_id: string): Promise<RouteRow> {
  const [row] = await lockRoutes(db, [route_id]);
  return visible(row?.account_id === caller.scope.account_id ? row : undefined, caller, route_id);
}

function visible(row: RouteRow | undefined, caller: Caller, route_id: string): RouteRow {
  if (row === undefined) throw new Problem('record_not_found', `There is no route ${route_id}.`);
  if (row.test_mode === caller.scope.test_mode) return row;
  const modes = caller.test_mode ? ['live', 'test'] : ['test', 'live'];
  const message = `Route ${route_id} was created in ${modes[0]} mode; this is a ${modes[1]} key.`;
  throw new Problem('route_api_key_test_mode_mismatch', message);
}
