import type { AcceptedRoute } from '../../providers/port.ts';
import type { DispatchRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { orderRecord } from '../orders/order-view.ts';
import { agreedTime, courierChance } from '../quotes/quote-request.ts';
import { routeStops } from '../routes/route-view.ts';
import type { Chance } from '../runtime/random.ts';

/** The route as its provider accepted it; the same on each call. */
export function acceptedRoute(
  chance: Chance,
  { route, orders, dispatch }: { route: RouteRow; orders: readonly OrderRow[]; dispatch: DispatchRow },
  accepted_at: number,
): AcceptedRoute {
  const records = orders.map(orderRecord);
  return {
    route_id: route.id,
    reference: dispatch.id,
    accepted_at,
    stops: routeStops(route),
    orders: orders.map((order) => acceptedOrder(order)),
    vehicles: records.flatMap(({ vehicle }) => vehicle ?? []),
    ...agreedTime(records, accepted_at),
    chance: courierChance(chance, records, route.id),
  };
}

function acceptedOrder(order: OrderRow): AcceptedRoute['orders'][number] {
  const { dropoff, request_signature, request_contactless, simulation } = orderRecord(order);
  return {
    order_id: order.id,
    recipient: dropoff.name,
    request_signature,
    request_contactless,
    scenario: simulation.scenario,
    ...(simulation.fate === undefined ? {} : { fate: simulation.fate }),
  };
}
