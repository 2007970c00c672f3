import type { DispatchedRoute } from '../../contract/dispatches.ts';
import type { Order } from '../../contract/orders.ts';
import type { Route } from '../../contract/routes.ts';
import type { Context } from '../context.ts';
import type { Earlier } from '../flow/earlier-dispatch.ts';

/**
 * What a route that is dispatched already would be answered with: as it is now, with the delivery that each of its
 * orders has now.
 */
export async function dispatchedBefore(context: Context, route: Route): Promise<Earlier> {
  const client = await context.client();
  const deliveries: DispatchedRoute['deliveries'] = [];
  const orders: Order[] = [];
  for (const order_id of route.order_ids) {
    const { data } = await client.orders.get({ params: { order_id }, query: { expand: 'delivery' } });
    orders.push(data);
    deliveries.push(...(data.delivery ? [data.delivery] : []));
  }
  return { route: { ...route, deliveries }, orders };
}
