import { ifSupported } from '../../client/errors.ts';
import type { DispatchedRoute } from '../../contract/dispatches.ts';
import type { Order } from '../../contract/orders.ts';
import type { Route } from '../../contract/routes.ts';
import type { Context } from '../session/context.ts';

type Service = Pick<Context, 'client'>;

/** Dispatches a draft route. Without a tip the driver gets the tips of the orders. */
export async function dispatchRoute(
  service: Service,
  { route_id, quote_id, tip }: { route_id: string; quote_id: string; tip: number | null },
  idempotencyKey: string,
): Promise<DispatchedRoute> {
  const client = await service.client();
  const body = { quote_id, ...(tip === null ? {} : { tip }) };
  return (await client.dispatches.create({ params: { route_id }, body, idempotencyKey })).data;
}

/** A route that is dispatched, with its orders and the deliveries that these have now. */
export interface Dispatched {
  route: DispatchedRoute;
  orders: readonly Order[];
}

/** Fetches the deliveries of a route that is no longer a draft. */
export async function fetchDispatched(service: Service, route: Route): Promise<Dispatched> {
  const client = await service.client();
  const orders: Order[] = [];
  for (const order_id of route.order_ids) {
    const call = client.orders.get({ params: { order_id }, query: { expand: 'delivery' } });
    const found = await ifSupported(call, null);
    if (found !== null) orders.push(found.data);
  }
  return { route: { ...route, deliveries: orders.flatMap(({ delivery }) => delivery ?? []) }, orders };
}
