import type { RouteQuote } from '../../../contract/quotes.ts';
import { quotePrice } from '../../../domain/quotes.ts';
import { lengthText } from '../../kit/output/times.ts';
import type { Column } from '../../kit/result/result.ts';

/** Columns of quotes. People see the time left, counted from `now`, the service's time, and other times
 * in the zone of the pickup; programs the expiry time. */
export function quoteColumns(now: number, zone: string | null = null): Column<RouteQuote>[] {
  return [
    { field: 'id', header: 'ID', kind: 'id', value: (quote) => quote.id },
    { field: 'provider', header: 'Provider', kind: 'text', value: (quote) => quote.provider },
    {
      field: 'cost_of_delivery',
      header: 'Cost',
      kind: 'money',
      spare: 2,
      value: (quote) => quote.cost_of_delivery,
    },
    { field: 'service_fee', header: 'Fee', kind: 'money', spare: 1, value: (quote) => quote.service_fee },
    { field: 'total', header: 'Total', kind: 'money', value: quotePrice },
    {
      field: 'dropoff_eta',
      header: 'Dropoff ETA',
      kind: 'time',
      zone: () => zone,
      spare: 3,
      value: (quote) => quote.dropoff_eta,
    },
    {
      field: 'time_left',
      header: 'Time left',
      kind: 'text',
      only: 'people',
      value: (quote) => timeLeft(quote, now),
    },
    {
      field: 'expires_at',
      header: 'Expires',
      kind: 'time',
      only: 'programs',
      value: (quote) => quote.expires_at,
    },
    {
      field: 'pickup_eta',
      header: 'Pickup ETA',
      kind: 'time',
      wide: true,
      value: (quote) => quote.pickup_eta,
    },
    {
      field: 'expires_at',
      header: 'Expires',
      kind: 'time',
      wide: true,
      only: 'people',
      value: (quote) => quote.expires_at,
    },
    {
      field: 'courier_name',
      header: 'Courier',
      kind: 'text',
      wide: true,
      value: (quote) => quote.courier_name,
    },
  ];
}

function timeLeft({ expires_at }: RouteQuote, now: number): string {
  if (expires_at === null) return 'no limit';
  const left = Date.parse(expires_at) - now;
  return left <= 0 ? 'expired' : lengthText(left);
}
