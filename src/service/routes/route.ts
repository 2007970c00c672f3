/** A route: drafts its row, finds and locks the caller's route, and shows it as the API returns it. */
import { Problem } from '../../contract/errors.ts';
import type { Route } from '../../contract/routes.ts';
import { planStops, type Stop, totalTenths } from '../../domain/stops.ts';
import type { Connection, OrderRow, RouteRow } from '../../storage/database.ts';
import { findOrders } from '../../storage/orders.ts';
import { lockRoutes, routeById } from '../../storage/routes.ts';
import type { Storage } from '../../storage/storage.ts';
import type { CallBase, Caller } from '../http/handler.ts';
import { orderRecord } from '../orders/order.ts';
import { instant } from '../runtime/time.ts';

export function notDraft(route: RouteRow): Problem {
  const status = route.status === 'draft' ? 'no longer a draft' : route.status;
  return new Problem('route_not_draft', `Route ${route.id} is ${status}; only a draft can be changed.`);
}

/** Creates a draft of orders in the given order, or in the shortest one. */
export function draftRow(
  { caller, now, id }: CallBase,
  orders: readonly OrderRow[],
  { optimize }: { optimize: boolean },
): RouteRow {
  const stops = planStops(orders.map(placesOf), { optimize });
  return {
    id: id('rte'),
    ...caller.scope,
    status: 'draft',
    order_ids: JSON.stringify(orders.map((order) => order.id)),
    stops: JSON.stringify(stops),
    distance_tenths: totalTenths(stops),
    created_at: now,
    updated_at: now,
  };
}

function placesOf(row: OrderRow) {
  const { pickup, dropoff } = orderRecord(row);
  return { id: row.id, pickup, dropoff };
}

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

export function routeStops(row: RouteRow): Stop[] {
  return JSON.parse(row.stops);
}

export function routeOrderIds(row: RouteRow): string[] {
  return JSON.parse(row.order_ids);
}

/** A route as returned by the API. */
export function routeView(row: RouteRow): Route {
  return {
    id: row.id,
    object: 'route',
    status: row.status,
    order_ids: routeOrderIds(row),
    stops: routeStops(row).map(
      ({ leg_tenths, zip_tenths: _, spread_tenths: __, precision, ...stop }, index) => ({
        sequence: index + 1,
        ...stop,
        precision: precision ?? 'zip',
        leg_miles: leg_tenths / 10,
      }),
    ),
    distance_miles: row.distance_tenths / 10,
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

export async function ordersOfRoute(db: Connection, route: RouteRow): Promise<OrderRow[]> {
  const order_ids = routeOrderIds(route);
  const orders = await findOrders(db, route, order_ids);
  return order_ids.flatMap((id) => orders.find((order) => order.id === id) ?? []);
}
