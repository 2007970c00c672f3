import type { Client } from '../../client/client.ts';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';
import { readRouteLimit } from './order-limits.ts';

/** A draft route, whose orders are sent once somebody dispatches it. */
export interface DraftRoute {
  /** Couriers were asked, and nobody has taken what they said. */
  isAnswered: boolean;
  /** `is in draft route rte_1, whose quotes nobody has taken` */
  what: string;
  next: NextStep & { when: string };
}

/** Reads the draft routes of orders, each of them once. */
export function createDraftReader(
  client: Client,
): (route_id: string, order_id: string) => Promise<DraftRoute> {
  const routes = new Map<string, Promise<DraftRoute>>();
  return (route_id, order_id) => {
    const found = routes.get(route_id) ?? readDraftRoute(client, route_id, order_id);
    routes.set(route_id, found);
    return found;
  };
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
      ...{ isAnswered, what: `${what}, whose quotes nobody has taken` },
      next: { ...ask, when: `${ask.when}: ${lowest}` },
    };
  const when = `ask the couriers, and dispatch it if that is agreed: ${lowest}, and its limit ${dollars(max_cost)}`;
  return { isAnswered, what: `${what}, whose quotes were above its limit`, next: { ...ask, when } };
}
