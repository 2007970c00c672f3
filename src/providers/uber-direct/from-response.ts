import type { CourierBooking, CourierQuote } from '../courier.ts';
import { amountAt, type JsonFields, numberAt, textAt, timeAt } from '../json-fields.ts';
import { ProviderFault } from '../port.ts';

const MINUTE = 60_000;

/** A quote; throws `ProviderFault` if the response has no price or no times. */
export function quoteFrom(fields: JsonFields, now: number): CourierQuote {
  const reference = textAt(fields, 'id');
  const cost = amountAt(fields, 'fee');
  const dropoff_eta = timeAt(fields, 'dropoff_eta') ?? later(fields, 'duration', now);
  if (reference === null || cost === null || dropoff_eta === null) {
    throw new ProviderFault('Uber Direct responded with a quote without ID, fee or time');
  }
  return {
    kind: 'quoted',
    reference,
    cost,
    currency: (textAt(fields, 'currency_type') ?? textAt(fields, 'currency') ?? 'USD').toUpperCase(),
    pickup_eta: later(fields, 'pickup_duration', now),
    dropoff_eta,
    expires_at: timeAt(fields, 'expires'),
  };
}

/** The time of a quote in so many minutes. */
function later(fields: JsonFields, name: string, now: number): number | null {
  const minutes = numberAt(fields, name);
  return minutes === null ? null : (timeAt(fields, 'created') ?? now) + minutes * MINUTE;
}

/** A delivery as booked; throws `ProviderFault` if the response has none. `tip` counts if the response has none. */
export function bookingFrom(fields: JsonFields, tip: number | null = null): CourierBooking {
  const reference = textAt(fields, 'id');
  if (reference === null) throw new ProviderFault('Uber Direct responded with a delivery without ID');
  return {
    kind: 'accepted',
    reference,
    cost: costOf(fields, tip),
    tracking_url: textAt(fields, 'tracking_url'),
    live: liveOf(fields),
  };
}

/** The price of a delivery without the tip, which Uber's fee includes; null if one of them is unknown. */
export function costOf(fields: JsonFields, sent_tip: number | null = null): number | null {
  const fee = amountAt(fields, 'fee');
  const tip = amountAt(fields, 'tip') ?? sent_tip;
  return fee === null || tip === null ? null : Math.max(fee - tip, 0);
}

export function liveOf({ live_mode }: JsonFields): boolean | null {
  return typeof live_mode === 'boolean' ? live_mode : null;
}
