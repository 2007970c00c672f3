/** The columns of quotes, and quotes as the rules of `domain` compare them: which are expired, which can be used. */
import type { RouteQuote, RouteQuotes } from '../../contract/routes.ts';
import { formatEtaWindow, quotePrecision } from '../../domain/estimates.ts';
import { isExpired, quotePrice } from '../../domain/quotes.ts';
import { lengthText } from '../kit/output/times.ts';
import type { Column } from '../kit/result/result.ts';

export type Quote = NonNullable<RouteQuotes['data']>[number];

/** Counts as an unknown fee: above every total, so that quotes without one are compared by their cost alone. */
const unknown_fee = 1e12;

/** A quote with its times in milliseconds, as the rules of `domain` compare them. */
export function comparable(quote: Quote) {
  const { provider, cost_of_delivery, service_fee, expires_at, too_late } = quote;
  const dropoff_eta = Date.parse(quote.dropoff_eta);
  return {
    quote,
    provider,
    too_late,
    // Unknown values sort last.
    service_fee: Number.isNaN(service_fee) ? unknown_fee : service_fee,
    cost_of_delivery: Number.isNaN(cost_of_delivery) ? Number.POSITIVE_INFINITY : cost_of_delivery,
    dropoff_eta: Number.isNaN(dropoff_eta) ? Number.MAX_SAFE_INTEGER : dropoff_eta,
    expires_at: expires_at === null ? null : Date.parse(expires_at),
  };
}

/** The quotes that can be used at `now`, a time of the service's clock. */
export function usableQuotes({ data }: RouteQuotes, now: number) {
  return (data ?? []).map(comparable).filter((each) => !isExpired(each, now));
}

/** Columns of quotes. People see the time left, counted from `now`, the service's time, and other times
 * in the zone of the pickup; programs the expiry time. */
export function quoteColumns(now: number, zone: string | null = null): Column<RouteQuote>[] {
  const inZone = () => zone;
  const [forPeople, forPrograms] = etaColumns({
    field: 'pickup_eta',
    header: 'Pickup ETA',
    kind: 'time',
    zone: inZone,
  });
  return [
    { field: 'id', header: 'ID', kind: 'id' },
    { field: 'provider', header: 'Provider', kind: 'text' },
    { field: 'cost_of_delivery', header: 'Cost', kind: 'money', spare: 2 },
    { field: 'service_fee', header: 'Fee', kind: 'money', spare: 1 },
    { field: 'total', header: 'Total', kind: 'money', value: quotePrice },
    { ...forPeople, spare: 3, unlessEmpty: true },
    ...etaColumns({ field: 'dropoff_eta', header: 'Dropoff ETA', kind: 'time', zone: inZone, spare: 4 }),
    {
      field: 'time_left',
      header: 'Time left',
      kind: 'text',
      only: 'people',
      value: ({ expires_at }) => timeLeftText(expires_at, now),
    },
    { field: 'expires_at', header: 'Expires', kind: 'time', only: 'programs' },
    {
      field: 'expired',
      header: 'Expired',
      kind: 'text',
      only: 'programs',
      value: (quote) => isExpired(comparable(quote), now),
    },
    {
      field: 'too_late',
      header: 'Agreed time',
      kind: 'text',
      only: 'people',
      unlessEmpty: true,
      value: ({ too_late }) => (too_late === true ? 'too late' : null),
    },
    {
      field: 'too_late',
      header: 'Too late',
      kind: 'text',
      only: 'programs',
      value: ({ too_late }) => too_late === true,
    },
    { ...forPrograms, wide: true },
    { field: 'expires_at', header: 'Expires', kind: 'time', zone: inZone, wide: true, only: 'people' },
    { field: 'courier_name', header: 'Courier', kind: 'text', wide: true },
  ];
}

/** An expected time: people read a window where the places are known coarsely. */
function etaColumns(
  column: Column<RouteQuote> & { field: 'pickup_eta' | 'dropoff_eta' },
): [forPeople: Column<RouteQuote>, forPrograms: Column<RouteQuote>] {
  const value = (quote: RouteQuote) => {
    const eta = quote[column.field];
    return quotePrecision(quote) === null || Number.isNaN(Date.parse(eta)) ? eta : formatEtaWindow(eta);
  };
  return [
    { ...column, only: 'people', kind: 'interval', value },
    { ...column, only: 'programs' },
  ];
}

/** `4 min`, `no limit`, `expired`: how long a quote can be used, counted from `now`. */
export function timeLeftText(expires_at: string | null, now: number): string {
  if (expires_at === null) return 'no limit';
  const left = Date.parse(expires_at) - now;
  return left <= 0 ? 'expired' : lengthText(left);
}
