/** What quotes are compared by; money in cents, instants in milliseconds. */
export interface ComparableQuote {
  provider: string;
  cost_of_delivery: number;
  service_fee: number;
  dropoff_eta: number;
}

/** What the merchant pays for a quote, in cents: quotes are compared on this. */
export function quotePrice(quote: { cost_of_delivery: number; service_fee: number }): number {
  return quote.cost_of_delivery + quote.service_fee;
}

/** Quotes from cheap to dear; at one price the earlier dropoff first, then by the provider's name. */
export function rankQuotes<T extends ComparableQuote>(quotes: readonly T[]): T[] {
  return [...quotes].sort((a, b) => byPrice(a, b) || byDropoff(a, b) || byProvider(a, b));
}

/** The first by `rankQuotes`, or null when there is none. */
export function cheapest<T extends ComparableQuote>(quotes: readonly T[]): T | null {
  return rankQuotes(quotes)[0] ?? null;
}

/** The one with the earliest dropoff; at one instant the cheaper, then by the provider's name. */
export function fastest<T extends ComparableQuote>(quotes: readonly T[]): T | null {
  const ranked = [...quotes].sort((a, b) => byDropoff(a, b) || byPrice(a, b) || byProvider(a, b));
  return ranked[0] ?? null;
}

/** Whether a quote can no longer be used. One without an end of life never expires. */
export function isExpired(quote: { expires_at: number | null }, now: number): boolean {
  return quote.expires_at !== null && quote.expires_at <= now;
}

function byPrice(left: ComparableQuote, right: ComparableQuote): number {
  return quotePrice(left) - quotePrice(right);
}

function byDropoff(left: ComparableQuote, right: ComparableQuote): number {
  return left.dropoff_eta - right.dropoff_eta;
}

function byProvider(left: ComparableQuote, right: ComparableQuote): number {
  return left.provider < right.provider ? -1 : left.provider > right.provider ? 1 : 0;
}
