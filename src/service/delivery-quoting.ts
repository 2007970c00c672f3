import { Problem } from '../contract/errors.ts';
import { isExpired } from '../domain/quotes.ts';
import type { QuoteRow } from '../storage/database.ts';
import { findQuote } from '../storage/quotes.ts';
import type { CallBase } from './endpoint.ts';
import { best, estimate, placeOf, quoteRow } from './estimates.ts';
import type { OrderRecord } from './order-request.ts';
import { directStops } from './quote-request.ts';
import { quoteRecord } from './quotes.ts';

/** The quote to use, null where nobody quotes, and those that must be stored. */
export interface Chosen {
  quote: QuoteRow | null;
  fresh: QuoteRow[];
}

interface Wanted {
  record: OrderRecord;
  order_id: string;
}

/** The cheapest of a first round, asked within the call. */
export async function cheapestQuote(call: CallBase, { record, order_id }: Wanted): Promise<Chosen> {
  const stops = directStops(record, order_id);
  const question = { route_id: '', prefix: 'quo', record, stops, round: 1 } as const;
  const estimates = await estimate(call, { ...question, job_id: call.id('job', 'first') });
  return { quote: best(estimates), fresh: estimates.map(quoteRow) };
}

/** A quote of version 1 that was given for these stops at this time. Throws `quote_not_found`. */
export async function namedQuote(
  { service, caller }: CallBase,
  { quote_id, record }: { quote_id: string; record: Pick<OrderRecord, 'pickup' | 'dropoff'> },
): Promise<QuoteRow> {
  const quote = await service.storage.run((db) => findQuote(db, caller.scope.account_id, quote_id));
  const place = quote === undefined ? undefined : quoteRecord(quote).place;
  if (quote === undefined || place === undefined || place.isTest !== caller.test_mode) {
    throw new Problem('quote_not_found', `There is no quote ${quote_id} for a delivery.`);
  }
  if (place.text === placeOf(record)) return quote;
  throw new Problem('quote_not_found', `Quote ${quote_id} is for other stops, or for another time.`);
}

/**
 * The quote while it is alive; an expired one is replaced by a new one of the same provider (seed 4.3, rule 3), or
 * of the cheapest where that one takes it no longer.
 */
export async function aliveQuote(
  call: CallBase,
  { record, order_id, quote }: Wanted & { quote: QuoteRow },
): Promise<Chosen> {
  if (!isExpired(quote, call.now)) return { quote, fresh: [] };
  const stops = directStops(record, order_id);
  const round = (quoteRecord(quote).round ?? 1) + 1;
  const question = { route_id: '', prefix: 'quo', record, stops, round } as const;
  const again = { ...question, job_id: call.id('job', 'again', quote.id), provider: quote.provider };
  const same = await estimate(call, again);
  const estimates =
    same.length > 0
      ? same
      : await estimate(call, { ...question, job_id: call.id('job', 'others', quote.id) });
  return { quote: best(estimates), fresh: estimates.map(quoteRow) };
}
