/** The stored record of a quote, and a round of quotes as the API returns it. */
import { Problem } from '../../contract/errors.ts';
import type { Decline, RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { quotePrice, rankQuotes } from '../../domain/quotes.ts';
import type { Quoted } from '../../providers/port.ts';
import type { Connection, QuoteDeclineRow, QuoteRow } from '../../storage/database.ts';
import { listDeclines, listQuotes as listRows } from '../../storage/quotes.ts';
import { instant, instantOrNull } from '../runtime/time.ts';

type QuoteColumn = 'kind' | 'cost_of_delivery' | 'service_fee' | 'expires_at';

/** The JSON part of a quote's row: the rest of the offer. */
export interface QuoteRecord extends Omit<Quoted, QuoteColumn> {
  /** The number of its quote round, from 1. */
  round: number;
  /** The stops and time of a version 1 quote. */
  place?: { isTest: boolean; text: string };
  /** Set if the quote cannot keep an agreed time. */
  too_late?: true;
}

/** The quotes of a complete round, cheapest first, and its declines. */
export async function quotesOf(db: Connection, job_id: string): Promise<RouteQuotes> {
  return completeRound(await listRows(db, job_id), await listDeclines(db, job_id));
}

export function completeRound(
  quotes: readonly QuoteRow[],
  declines: readonly QuoteDeclineRow[],
): RouteQuotes {
  const reasons = declines.map(declineView);
  const views = quotes.map((row) => {
    const view = quoteView(row);
    return { ...view, view, dropoff_eta: Date.parse(view.dropoff_eta) };
  });
  const data = rankQuotes(views).map(({ view }) => view);
  return { object: 'route_quotes', status: 'COMPLETE', data, reasons };
}

export function quoteUsed(id: string): Problem {
  return new Problem('quote_used', `Quote ${id} has initiated a delivery. Request new quotes.`);
}

export function quoteRecord(row: QuoteRow): QuoteRecord {
  return JSON.parse(row.record);
}

function quoteView(row: QuoteRow): RouteQuote {
  const record = quoteRecord(row);
  const {
    courier_name,
    courier_image,
    pickup_time,
    vehicle_id,
    separate_deliveries,
    too_late,
    eta_precision,
  } = record;
  return {
    id: row.id,
    object: 'route_quote',
    cost_of_delivery: row.cost_of_delivery,
    service_fee: row.service_fee,
    fee: quotePrice(row),
    provider: row.provider,
    account_id: row.account_id,
    route_id: row.route_id,
    ...withoutAbsent({
      courier_name,
      courier_image,
      pickup_time: pickup_time === undefined ? undefined : instant(pickup_time),
      vehicle_id,
      separate_deliveries,
      too_late,
      eta_precision,
    }),
    expires_at: instantOrNull(row.expires_at),
    currency: 'USD',
    pickup_eta: instant(record.pickup_eta),
    dropoff_eta: instant(record.dropoff_eta),
    created_at: instant(row.created_at),
  };
}

function declineView({ provider, code, reason }: QuoteDeclineRow): Decline {
  return { provider, code, reason };
}
