/** Responses of the courier protocol, which `contract/courier-protocol` describes. */
import type { RejectionReason } from '../../contract/courier-protocol/words.ts';
import type { CourierBooking, CourierHttpResponse, CourierQuote, CourierQuoteRequest } from '../courier.ts';
import { amountAt, fieldsOf, type JsonFields, parseFields, textAt, timeAt } from '../json-fields.ts';
import { type DeclineCode, ProviderFault } from '../port.ts';

export interface Problem {
  code: DeclineCode;
  reason: string;
}

export function quoteFrom(body: string, { order, now }: CourierQuoteRequest): CourierQuote {
  const fields = parseFields(body);
  const reference = textAt(fields, 'quoteId');
  const price = fieldsOf(fields.deliveryPrice);
  const cost = amountAt(price, 'value');
  const currency = textAt(price, 'currency');
  if (reference === null || cost === null || currency === null) {
    throw new ProviderFault('The courier sent a quote without an ID or a price.');
  }
  const eta = fieldsOf(fields.eta);
  const pickup_eta = timeAt(eta, 'pickupEtaDatetime');
  const dropoff_eta =
    timeAt(eta, 'deliveryEtaDatetime') ?? order.dropoff_at ?? pickup_eta ?? order.pickup_at ?? now;
  const expires_at = timeAt(fields, 'expiresAt');
  return {
    kind: 'quoted',
    reference,
    cost,
    currency: currency.toUpperCase(),
    pickup_eta,
    dropoff_eta,
    expires_at,
  };
}

export function bookingFrom(body: string): CourierBooking {
  const fields = parseFields(body);
  const reference = textAt(fields, 'deliveryId');
  if (reference === null) throw new ProviderFault('The courier sent a delivery without an ID.');
  return {
    kind: 'accepted',
    reference,
    cost: priceAt(fields, 'deliveryPrice'),
    tracking_url: textAt(fields, 'externalTrackingURL'),
    live: liveOf(fields),
  };
}

export function priceAt(fields: JsonFields, name: string): number | null {
  return amountAt(fieldsOf(fields[name]), 'value');
}

export function liveOf({ liveMode }: JsonFields): boolean | null {
  return typeof liveMode === 'boolean' ? liveMode : null;
}

/** Reads an error. Throws where its effect is unknown. */
export function problemFrom({ status, body }: CourierHttpResponse): Problem {
  if (status < 400 || status >= 500 || status === 408) {
    throw new ProviderFault(`The courier failed with status ${status}.`);
  }
  const fields = parseFields(body);
  const rejection = fieldsOf(fields.rejectionInfo);
  const reason =
    textAt(rejection, 'message') ?? textAt(fields, 'message') ?? `The courier answered ${status}.`;
  return { code: codeOf(status, textAt(rejection, 'reason') ?? ''), reason };
}

const codes: Readonly<Record<RejectionReason, DeclineCode>> = {
  PRICE_EXCEEDED: 'request_refused',
  VEHICLE_NOT_AVAILABLE: 'vehicle_not_offered',
  NO_DELIVERYPERSON_AVAILABLE: 'no_courier_free',
  DOES_NOT_MEET_REQUESTED_TIMES: 'outside_hours',
  REGION_NOT_SERVED: 'address_not_served',
  OTHER: 'request_refused',
  ADDRESS_UNKNOWN: 'address_unknown',
  DISTANCE_TOO_LONG: 'too_far',
  ITEM_TOO_LARGE: 'item_too_large',
  VALUE_TOO_HIGH: 'value_too_high',
  CONTACT_REFUSED: 'contact_refused',
  SIGNATURE_NOT_OFFERED: 'signature_not_offered',
  SCHEDULED_NOT_TAKEN: 'scheduled_not_taken',
  QUOTE_EXPIRED: 'quote_expired',
  ACCOUNT_BLOCKED: 'account_blocked',
  ORDER_ALREADY_PICKED: 'request_refused',
};

function codeOf(status: number, reason: string): DeclineCode {
  const known: Readonly<Record<string, DeclineCode>> = codes;
  if (Object.hasOwn(known, reason)) return known[reason] ?? 'request_refused';
  if (status === 401) return 'credentials_wrong';
  return status === 403 ? 'account_blocked' : 'request_refused';
}
