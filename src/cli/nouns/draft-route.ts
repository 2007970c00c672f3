import type { Client } from '../../client/client.ts';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { readEachOnce } from '../kit/once.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';
import { readRouteLimit } from './order-limits.ts';

/** A draft route as `today` shows it: a route with orders that is not dispatched. */
export interface DraftRoute {
  /** Whether quotes were requested and have arrived, without a dispatch since. */
  isAnswered: boolean;
  /** The end of a sentence about its order: `is in draft route rte_1, whose quotes were not accepted`. */
  what: string;
  next: NextStep & { when: string };
}

/** Returns a function that reads the draft route of an order; the orders of one route share the answer. */
export function createDraftReader(
  client: Client,
): (route_id: string, order_id: string) => Promise<DraftRoute> {
  return readEachOnce((route_id, order_id: string) => readDraftRoute(client, route_id, order_id));
}

async function readDraftRoute(client: Client, route_id: string, order_id: string): Promise<DraftRoute> {
  const call = client.quotes.list({ params: { route_id } }).then(({ data }) => data.data);
  const quotes = await unlessMissing(ifSupported(call, null));
  const what = `is in draft route ${route_id}`;
  const ask = { ...invocation('routes quote', [route_id]), when: 'ask the couriers, and then dispatch it' };
  if (quotes === null) return { isAnswered: false, what, next: ask };
  const isAnswered = true;
  const prices = quotes.map(quotePrice).filter((price) => !Number.isNaN(price));
  if (quotes.length === 0)
    return { isAnswered, what: `${what}, for which no courier offered a price`, next: ask };
  if (prices.length === 0) return { isAnswered, what, next: ask };
  const route = client.routes.get({ params: { route_id } }).then(({ data }) => data.order_ids);
  const order_ids = (await unlessMissing(ifSupported(route, null))) ?? [order_id];
  const { tip, max_cost } = await readRouteLimit(client, order_ids);
  const price = dollars(Math.min(...prices) + tip);
  const lowest = `the lowest price was ${price}`;
  if (max_cost === undefined || Math.min(...prices) + tip <= max_cost)
    return {
      isAnswered,
      what: `${what}, whose quotes were not accepted`,
      next: { ...ask, when: `${ask.when}: ${lowest}` },
    };
  const when = `ask the couriers, and dispatch it if that is agreed: ${lowest}, and its limit ${dollars(max_cost)}`;
  return { isAnswered, what: `${what}, whose quotes were above its limit`, next: { ...ask, when } };
}
