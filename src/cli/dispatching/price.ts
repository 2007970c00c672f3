import type { RouteQuote } from '../../contract/quotes.ts';
import { dollars } from '../../domain/money.ts';
import { quotePrice } from '../../domain/quotes.ts';
import type { Context } from '../context.ts';

/** The driver's tip of a dispatch, in cents: the one given, else those that the orders of the route have. */
export async function tipOf(context: Context, route_id: string, given: number | null): Promise<number> {
  if (given !== null) return given;
  const client = await context.client();
  const { data: route } = await client.routes.get({ params: { route_id } });
  let tip = 0;
  for (const order_id of route.order_ids) tip += (await client.orders.get({ params: { order_id } })).data.tip;
  return tip;
}

/** All that is paid: `$7.97 (includes $1.50 tip)`. */
export function priceText(quote: RouteQuote, tip: number): string {
  const price = dollars(quotePrice(quote) + tip);
  return tip === 0 ? price : `${price} (includes ${dollars(tip)} tip)`;
}
