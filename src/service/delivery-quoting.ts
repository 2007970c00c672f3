import { Problem } from '../contract/errors.ts';
import { isExpired } from '../domain/quotes.ts';
import type { QuoteRow } from '../storage/database.ts';
import { findQuote } from '../storage/quotes.ts';
import type { CallBase } from './endpoint.ts';
import { best, estimate, mismatch, placeOf, type Question, quoteRow } from './estimates.ts';
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

/**
 * A quote of version 1 that was given for these stops at this time, of a provider that takes what is asked for. Throws
 * `quote_not_found`.
 */
export async function namedQuote(
  call: CallBase,
  { quote_id, record }: { quote_id: string; record: OrderRecord },
): Promise<QuoteRow> {
  const { service, caller } = call;
  const quote = await service.storage.run((db) => findQuote(db, caller.scope.account_id, quote_id));
  const place = quote === undefined ? undefined : quoteRecord(quote).place;
  if (quote === undefined || place === undefined || place.isTest !== caller.test_mode) {
    throw new Problem('quote_not_found', `There is no quote ${quote_id} for a delivery.`);
  }
  if (place.text !== placeOf(record)) {
    throw new Problem('quote_not_found', `Quote ${quote_id} is for other stops, or for another time.`);
  }
  const reason = await mismatch(call, againOf(call, { record, order_id: '', quote }));
  if (reason === null) return quote;
  throw new Problem('quote_not_found', `Quote ${quote_id} is not for this delivery: ${reason}.`);
}

/**
 * The quote while it is alive; an expired one, or one for a time that has passed, is replaced by a new one of the same
 * provider (seed 4.3, rule 3): nobody else is paid without being asked for. None where that one takes it no longer.
 */
export async function aliveQuote(call: CallBase, wanted: Wanted & { quote: QuoteRow }): Promise<Chosen> {
  const { record, quote } = wanted;
  const times = [record.pickup.at, record.dropoff.at];
  const isTooLate = times.some((at) => at !== null && at <= call.now);
  if (!isTooLate && !isExpired(quote, call.now)) return { quote, fresh: [] };
  const estimates = await estimate(call, againOf(call, wanted));
  return { quote: best(estimates), fresh: estimates.map(quoteRow) };
}

/** The question that the provider of a quote is asked anew. */
function againOf(call: CallBase, { record, order_id, quote }: Wanted & { quote: QuoteRow }): Question {
  return {
    job_id: call.id('job', 'again', quote.id),
    route_id: '',
    prefix: 'quo',
    record,
    stops: directStops(record, order_id),
    round: (quoteRecord(quote).round ?? 1) + 1,
    provider: quote.provider,
  };
}
