import type { DeliveryQuote } from '../../../contract/delivery-creation.ts';
import { lengthText } from '../../kit/output/times.ts';
import type { Column } from '../../kit/result/result.ts';

/** How quotes for one delivery are shown. People see times of day and the time left, counted from `now`. */
export function deliveryQuoteColumns(now: number): Column<DeliveryQuote>[] {
  return [
    { field: 'service', header: 'Provider', kind: 'text', value: ({ service }) => service },
    { field: 'fee', header: 'Fee', kind: 'money', value: ({ fee }) => fee },
    {
      field: 'there_at',
      header: 'There at',
      kind: 'clock',
      only: 'people',
      value: ({ dropoff_at }) => dropoff_at,
    },
    {
      field: 'time_left',
      header: 'Time left',
      kind: 'text',
      only: 'people',
      spare: 1,
      value: ({ expires }) => timeLeft(expires, now),
    },
    {
      field: 'dropoff_at',
      header: 'There at',
      kind: 'time',
      only: 'programs',
      value: ({ dropoff_at }) => dropoff_at,
    },
    { field: 'expires', header: 'Expires', kind: 'time', only: 'programs', value: ({ expires }) => expires },
    { field: 'id', header: 'ID', kind: 'id', value: ({ id }) => id },
    { field: 'created', header: 'Created', kind: 'time', wide: true, value: ({ created }) => created },
    { field: 'currency', header: 'Currency', kind: 'text', wide: true, value: ({ currency }) => currency },
  ];
}

function timeLeft(expires: string | null, now: number): string {
  if (expires === null) return 'no limit';
  const left = Date.parse(expires) - now;
  return left <= 0 ? 'expired' : lengthText(left);
}
