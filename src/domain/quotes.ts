/** Compares quotes: by price, by time, and against a limit. */
import type { AutoPreference } from '../contract/vocabulary.ts';
import { minute_ms } from './durations.ts';
import { dollars } from './money.ts';

/** The values by which quotes are compared; amounts in cents, times in milliseconds. */
interface ComparableQuote {
  provider: string;
  cost_of_delivery: number;
  service_fee: number;
  dropoff_eta: number;
  /** It cannot keep an agreed time. */
  too_late?: boolean | undefined;
}

/** The quotes that keep an agreed time; all if none does. */
export function punctualQuotes<T extends ComparableQuote>(quotes: readonly T[]): readonly T[] {
  const punctual = quotes.filter(({ too_late }) => too_late !== true);
  return punctual.length === 0 ? quotes : punctual;
}

/** The price of a quote for the merchant, in cents. */
export function quotePrice(quote: { cost_of_delivery: number; service_fee: number }): number {
  return quote.cost_of_delivery + quote.service_fee;
}

/** Whether a price is not above a maximum, in cents; without a maximum every price is. A price that is not known is above. */
export function isWithin(price: number, max_cost: number | null | undefined): boolean {
  return max_cost === null || max_cost === undefined || price <= max_cost;
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

/** The criteria for selecting a quote. */
export interface Selection {
  preference: AutoPreference;
  /** In order of preference; null: any provider. */
  providers: readonly string[] | null;
  /** Maximum of cost and fee, in cents; null: no limit. */
  max_cost: number | null;
  now: number;
}

type SelectableQuote = ComparableQuote & { expires_at: number | null };

/** Why a provider was not selected: a code for programs and a message for people. */
interface LeftOut {
  provider: string;
  code: string;
  reason: string;
  /** In cents, if it is what speaks against the quote. */
  price?: number;
}

interface Selected<T> {
  /** Null if no quote is acceptable. */
  chosen: T | null;
  left_out: LeftOut[];
}

/**
 * Selects the best acceptable quote of a round, and states for the others why they were not selected. A quote that cannot
 * keep an agreed time is passed over while another keeps it; if none does, the earliest is selected.
 */
export function selectQuote<T extends SelectableQuote>(
  quotes: readonly T[],
  selection: Selection,
): Selected<T> {
  const refusals = rankQuotes(quotes).flatMap((quote) => refusalOf(quote, selection) ?? []);
  const refused = new Set(refusals.map(({ provider }) => provider));
  const usable = quotes.filter(({ provider }) => !refused.has(provider));
  const punctual = punctualQuotes(usable);
  const isLate = punctual.some(({ too_late }) => too_late === true);
  const chosen = isLate ? fastest(punctual) : bestOf(punctual, selection);
  if (chosen === null) return { chosen, left_out: refusals };
  const others = rankQuotes(usable.filter((quote) => quote !== chosen));
  const criteria: Selection = isLate ? { ...selection, preference: 'fastest' } : selection;
  return { chosen, left_out: [...others.map((quote) => comparedTo(chosen, quote, criteria)), ...refusals] };
}

function bestOf<T extends SelectableQuote>(
  quotes: readonly T[],
  { preference, providers }: Selection,
): T | null {
  if (preference === 'fastest') return fastest(quotes);
  if (preference === 'cheapest') return cheapest(quotes);
  const place = ({ provider }: T) => providers?.indexOf(provider) ?? 0;
  return quotes.toSorted((left, right) => place(left) - place(right))[0] ?? null;
}

/** Why a quote is not acceptable; null if it is. */
function refusalOf(quote: SelectableQuote, { max_cost, now }: Selection): LeftOut | null {
  const { provider } = quote;
  if (isExpired(quote, now)) {
    return { provider, code: 'quote_expired', reason: 'its quote had expired' };
  }
  const price = quotePrice(quote);
  if (max_cost === null || isWithin(price, max_cost)) return null;
  const reason = `${dollars(price)} is above the maximum of ${dollars(max_cost)}`;
  return { provider, code: 'above_max_cost', reason, price };
}

function comparedTo(chosen: SelectableQuote, quote: SelectableQuote, { preference }: Selection): LeftOut {
  const { provider } = quote;
  if (quote.too_late === true && chosen.too_late !== true)
    return { provider, code: 'too_late', reason: 'cannot keep the agreed time' };
  if (preference === 'preferred') {
    return { provider, code: 'less_preferred', reason: `${chosen.provider} is preferred` };
  }
  const dearer = quotePrice(quote) - quotePrice(chosen);
  const later_ms = quote.dropoff_eta - chosen.dropoff_eta;
  if (preference === 'cheapest' && dearer > 0) {
    return { provider, code: 'dearer', reason: `${dollars(dearer)} more expensive` };
  }
  if (later_ms > 0) return { provider, code: 'slower', reason: `arrives ${spanText(later_ms)} later` };
  if (dearer > 0)
    return { provider, code: 'dearer', reason: `as fast, but ${dollars(dearer)} more expensive` };
  return { provider, code: 'equal', reason: `no better than ${chosen.provider}` };
}

function spanText(span_ms: number): string {
  const minutes = Math.round(span_ms / minute_ms);
  return minutes === 0 ? `${Math.ceil(span_ms / 1000)} s` : `${minutes} min`;
}
