import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import { cheapest, fastest, quotePrice, rankQuotes } from '../../domain/quotes.ts';
import type { Context } from '../session/command.ts';

/** The quote that was selected by hand for a delivery, and the other quotes of its route. Amounts are in cents. */
export interface ManualChoice {
  provider: string;
  /** Whether it is `the cheapest` quote, `the fastest`, both or neither. */
  reason: string;
  price: number;
  others: { provider: string; price: number; dropoff_eta: string }[];
}

/** Null for a delivery without a route of its own, and if its quotes are no longer there. */
export async function fetchManualChoice(
  { client }: Pick<Context, 'client'>,
  { route_id, quote_id, status }: Delivery,
): Promise<ManualChoice | null> {
  if (route_id === null || status === 'request') return null;
  const call = (await client()).quotes.list({ params: { route_id } });
  const answer = await unlessMissing(ifSupported(call, null));
  const quotes = (answer?.data.data ?? []).map((quote) => ({
    ...quote,
    at: quote.dropoff_eta,
    dropoff_eta: Date.parse(quote.dropoff_eta),
  }));
  const taken = quotes.find(({ id }) => id === quote_id);
  if (taken === undefined) return null;
  const facts = [
    ...(cheapest(quotes) === taken ? ['cheapest'] : []),
    ...(fastest(quotes) === taken ? ['fastest'] : []),
  ];
  const reason =
    quotes.length === 1
      ? 'the only quote'
      : facts.length === 0
        ? `neither the cheapest nor the fastest of ${quotes.length} quotes`
        : `the ${facts.join(' and ')} of ${quotes.length} quotes`;
  const others = rankQuotes(quotes)
    .filter((each) => each !== taken)
    .map((each) => ({ provider: each.provider, price: quotePrice(each), dropoff_eta: each.at }));
  return { provider: taken.provider, reason, price: quotePrice(taken), others };
}
