/** Responses of DoorDash Drive, by its OpenAPI document of version 2.1.59. */
import type {
  CourierBooking,
  CourierHttpResponse,
  CourierQuote,
  CourierQuoteRequest,
  CourierRefusal,
} from '../courier.ts';
import { amountAt, fieldsOf, type JsonFields, listAt, parseFields, textAt, timeAt } from '../json-fields.ts';
import { type DeclineCode, ProviderFault } from '../port.ts';

const quote_life_ms = 5 * 60_000;

export interface Problem {
  code: DeclineCode;
  reason: string;
}

/** Reads a quote; the fee is without the tip. */
export function quoteFrom(body: string, { key, order, now }: CourierQuoteRequest): CourierQuote {
  const fields = parseFields(body);
  const cost = costOf(fields);
  const currency = textAt(fields, 'currency');
  if (cost === null || currency === null) throw new ProviderFault('DoorDash sent a quote without a price.');
  const pickup_eta = timeAt(fields, 'pickup_time_estimated');
  return {
    kind: 'quoted',
    reference: textAt(fields, 'external_delivery_id') ?? key,
    cost,
    currency: currency.toUpperCase(),
    pickup_eta,
    dropoff_eta:
      timeAt(fields, 'dropoff_time_estimated') ?? order.dropoff_at ?? pickup_eta ?? order.pickup_at ?? now,
    expires_at: now + quote_life_ms,
  };
}

export function bookingFrom(fields: JsonFields, id: string): CourierBooking {
  return {
    kind: 'accepted',
    reference: textAt(fields, 'external_delivery_id') ?? id,
    cost: costOf(fields),
    tracking_url: textAt(fields, 'tracking_url'),
    // DoorDash does not say whether a delivery is real.
    live: null,
  };
}

/** Whether the quote of a resource has become a delivery. */
export function isBooked(fields: JsonFields): boolean {
  const status = textAt(fields, 'delivery_status');
  return status !== null && status !== 'quote';
}

/** The fee with its tax, which is only charged in Canada. */
export function costOf(fields: JsonFields): number | null {
  const fee = amountAt(fields, 'fee');
  return fee === null ? null : fee + (amountAt(fields, 'tax') ?? 0);
}

/** Reads an error. Throws where its effect is unknown. */
export function problemFrom({ status, body }: CourierHttpResponse): Problem {
  if (status < 400 || status >= 500 || status === 408) {
    throw new ProviderFault(`DoorDash failed with status ${status}.`);
  }
  const fields = parseFields(body);
  return { code: codeOf(status, fields), reason: reasonOf(status, fields) };
}

export function refusalFrom(response: CourierHttpResponse): CourierRefusal {
  return { kind: 'refused', ...problemFrom(response) };
}

const codesOfReasons: Readonly<Record<string, DeclineCode>> = {
  distance_too_long: 'too_far',
  pickup_address_not_in_coverage: 'address_not_served',
  delivery_address_not_in_coverage: 'address_not_served',
  outside_of_delivery_time: 'outside_hours',
};

const codesOfErrors: Readonly<Record<string, DeclineCode>> = {
  authentication_error: 'credentials_wrong',
  authorization_error: 'account_blocked',
};

const codesOfFields: readonly [RegExp, DeclineCode][] = [
  [/phone_number$/, 'contact_refused'],
  [/^(pickup|dropoff)_contact_/, 'contact_refused'],
  [/^(pickup|dropoff)_address/, 'address_unknown'],
  [/^(pickup|dropoff|delivery|quoted)_(time|window)/, 'outside_hours'],
];

function codeOf(status: number, fields: JsonFields): DeclineCode {
  const code = textAt(fields, 'code') ?? '';
  const reason = textAt(fields, 'reason') ?? '';
  const known = codesOfReasons[reason] ?? codesOfErrors[code];
  if (known !== undefined) return known;
  if (status === 401) return 'credentials_wrong';
  if (status === 403) return 'account_blocked';
  const faults = fieldErrorsOf(fields);
  const named = codesOfFields.find(([pattern]) => faults.some(({ field }) => pattern.test(field)));
  return named?.[1] ?? 'request_refused';
}

function reasonOf(status: number, fields: JsonFields): string {
  const faults = fieldErrorsOf(fields).map(({ field, error }) => `${field}: ${error}`);
  const detail = faults.length > 0 ? faults.join('; ') : textAt(fields, 'reason')?.replaceAll('_', ' ');
  const message = textAt(fields, 'message') ?? `status ${status}`;
  return `DoorDash: ${detail === undefined ? message : `${message} (${detail})`}`;
}

function fieldErrorsOf(fields: JsonFields): { field: string; error: string }[] {
  return listAt(fields, 'field_errors').map((entry) => {
    const fault = fieldsOf(entry);
    return { field: textAt(fault, 'field') ?? '', error: textAt(fault, 'error') ?? '' };
  });
}
