import type { Client } from '../../src/client/client.ts';
import type { Delivery } from '../../src/contract/deliveries.ts';
import type { OrderRequest } from '../../src/contract/orders.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf } from './fixture.ts';

/** Asks for the quotes of a draft route of new orders. */
export async function askedRoute(client: Client, requests?: readonly OrderRequest[]) {
  const { id: route_id } = await draftRoute(client, requests);
  await client.quotes.request({ params: { route_id } });
  return { route_id };
}

/** Dispatches a route of new orders with the quote of a provider, by default the first one. */
export async function dispatchedRoute(
  fixture: Fixture,
  requests?: readonly OrderRequest[],
  provider?: string,
) {
  const client = fixture.client();
  const { id: route_id } = await draftRoute(client, requests);
  const quotes = await quotesOf(fixture, route_id);
  const quote = provider === undefined ? quotes[0] : quotes.find((each) => each.provider === provider);
  if (quote === undefined) throw new Error('there is no such quote');
  const { data } = await client.dispatches.create({ params: { route_id }, body: { quote_id: quote.id } });
  return data;
}

/** Dispatches one order in this way; returns its delivery. */
export async function dispatchedOrder(
  fixture: Fixture,
  request: OrderRequest = orderRequest(),
  provider?: string,
): Promise<Delivery> {
  const [delivery] = (await dispatchedRoute(fixture, [request], provider)).deliveries;
  if (delivery === undefined) throw new Error('there is no delivery');
  return delivery;
}
