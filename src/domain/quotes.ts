/** The values by which quotes are compared; amounts in cents, times in milliseconds. */
export interface ComparableQuote {
  provider: string;
  cost_of_delivery: number;
  service_fee: number;
  dropoff_eta: number;
}

/** The price of a quote for the merchant, in cents. */
export function quotePrice(quote: { cost_of_delivery: number; service_fee: number }): number {
  return quote.cost_of_delivery + quote.service_fee;
}

/** Sorts quotes by price, then by dropoff time, then by provider name. */
export function rankQuotes<T extends ComparableQuote>(quotes: readonly T[]): T[] {
  return [...quotes].sort((a, b) => byPrice(a, b) || byDropoff(a, b) || byProvider(a, b));
}

/** The first quote by `rankQuotes`, or null. */
export function cheapest<T extends ComparableQuote>(quotes: readonly T[]): T | null {
  return rankQuotes(quotes)[0] ?? null;
}

/** The quote with the earliest dropoff; on ties the cheaper one, then by provider name. */
export function fastest<T extends ComparableQuote>(quotes: readonly T[]): T | null {
  const ranked = [...quotes].sort((a, b) => byDropoff(a, b) || byPrice(a, b) || byProvider(a, b));
  return ranked[0] ?? null;
}

/** Whether a quote has expired. Quotes without an expiry never do. */
export function isExpired(quote: { expires_at: number | null }, now: number): boolean {
  return quote.expires_at !== null && quote.expires_at <= now;
}

/** A price that is not known counts as the highest. */
function byPrice(left: ComparableQuote, right: ComparableQuote): number {
  const [first, second] = [quotePrice(left), quotePrice(right)];
  if (Number.isNaN(first) || Number.isNaN(second))
    return Number(Number.isNaN(first)) - Number(Number.isNaN(second));
  return first - second;
}

function byDropoff(left: ComparableQuote, right: ComparableQuote): number {
  return left.dropoff_eta - right.dropoff_eta;
}

function byProvider(left: ComparableQuote, right: ComparableQuote): number {
  return left.provider < right.provider ? -1 : left.provider > right.provider ? 1 : 0;
}
