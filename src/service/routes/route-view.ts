import type { Route } from '../../contract/routes.ts';
import type { Stop } from '../../domain/stops.ts';
import type { Connection, OrderRow, RouteRow } from '../../storage/database.ts';
import { findOrders } from '../../storage/orders.ts';
import { instant } from '../runtime/timestamps.ts';

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
    stops: routeStops(row).map(({ leg_tenths, ...stop }, index) => ({
      sequence: index + 1,
      ...stop,
      leg_miles: leg_tenths / 10,
    })),
    distance_miles: row.distance_tenths / 10,
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

/** The orders of a route, in its order. */
export async function ordersOfRoute(db: Connection, route: RouteRow): Promise<OrderRow[]> {
  const order_ids = routeOrderIds(route);
  const found = await findOrders(db, route, order_ids);
  return order_ids.flatMap((id) => found.find((order) => order.id === id) ?? []);
}
