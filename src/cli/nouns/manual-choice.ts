/** Why a delivery has its courier: the quote that was selected by hand, and couriers that a retry left out. */
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { minute_ms } from '../../domain/durations.ts';
import { cheapest, fastest, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import type { Context } from '../session/command.ts';
import { type ConnectedClient, fetchFailedCouriers } from './earlier-tries.ts';

/** The quote that was selected by hand for a delivery, and the other quotes of its route. Amounts are in cents. */
export interface ManualChoice {
  provider: string;
  /** Whether it is `the cheapest` quote, `the fastest`, both or neither, of the couriers that were not left out. */
  reason: string;
  price: number;
  /** `left_out` is why a retry did not ask the courier; null if it was only not selected. */
  others: { provider: string; price: number; dropoff_eta: string; left_out: string | null }[];
}

/** Null for a delivery without a route of its own, and if its quotes are no longer there. */
export async function fetchManualChoice(
  { client }: Pick<Context, 'client'>,
  delivery: Delivery,
): Promise<ManualChoice | null> {
  const { route_id, quote_id, status } = delivery;
  if (route_id === null || status === 'request') return null;
  const connected = await client();
  const answer = await unlessMissing(ifSupported(connected.quotes.list({ params: { route_id } }), null));
  const quotes = (answer?.data.data ?? []).map((quote) => ({
    ...quote,
    at: quote.dropoff_eta,
    dropoff_eta: Date.parse(quote.dropoff_eta),
  }));
  const taken = quotes.find(({ id }) => id === quote_id);
  if (taken === undefined) return null;
  const leftOut = await fetchLeftOut(connected, delivery);
  const usable = quotes.filter(({ provider }) => !leftOut.has(provider));
  const others = rankQuotes(quotes)
    .filter((each) => each !== taken)
    .map((each) => ({
      provider: each.provider,
      price: quotePrice(each),
      dropoff_eta: each.at,
      left_out: leftOut.get(each.provider) ?? null,
    }));
  return {
    provider: taken.provider,
    reason: comparisonText(taken, usable),
    price: quotePrice(taken),
    others,
  };
}

type Comparable = Parameters<typeof cheapest>[0][number];

function comparisonText(taken: Comparable, quotes: readonly Comparable[]): string {
  const facts = [
    ...(cheapest(quotes) === taken ? ['cheapest'] : []),
    ...(fastest(quotes) === taken ? ['fastest'] : []),
  ];
  if (quotes.length === 1) return 'the only quote';
  const minuteOf = ({ dropoff_eta }: Comparable) => Math.floor((dropoff_eta ?? 0) / minute_ms);
  if (quotes.every((each) => minuteOf(each) === minuteOf(taken)))
    return facts.includes('cheapest')
      ? `the cheapest of ${quotes.length} quotes, and as fast as the others`
      : `as fast as the others of ${quotes.length} quotes, and not the cheapest`;
  return facts.length === 0
    ? `neither the cheapest nor the fastest of ${quotes.length} quotes`
    : `the ${facts.join(' and ')} of ${quotes.length} quotes`;
}

/** The couriers that a retry left out, as they ended an earlier delivery of the order badly, each with what it did. */
async function fetchLeftOut(client: ConnectedClient, delivery: Delivery): Promise<Map<string, string>> {
  const found = await fetchFailedCouriers(client, delivery);
  // Where every courier has failed before, none is left out.
  return found.has(delivery.service) ? new Map() : found;
}
