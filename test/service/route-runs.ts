import type { Client } from '../../src/client/client.ts';
import type { Delivery } from '../../src/contract/deliveries.ts';
import type { OrderRequest } from '../../src/contract/orders.ts';
import { dispatchRoute, draftRoute, type Fixture, orderRequest } from './fixture.ts';

/** Asks for the quotes of a draft route of new orders. */
export async function askedRoute(client: Client, requests?: readonly OrderRequest[]) {
  const { id: route_id } = await draftRoute(client, requests);
  await client.quotes.request({ params: { route_id } });
  return { route_id };
}

/** Dispatches one order with the quote of a provider, by default the first; returns its delivery. */
export async function dispatchedOrder(
  fixture: Fixture,
  request: OrderRequest = orderRequest(),
  provider?: string,
): Promise<Delivery> {
  const { deliveries } = await dispatchRoute(fixture, { requests: [request], provider });
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('there is no delivery');
  return delivery;
}
