import { type JsonFields, textAt, toFields } from '../../../src/providers/json-messages.ts';
import { deliveryObject } from './delivery-object.ts';
import { invalid, Refused } from './errors.ts';
import { type DeliveryRecord, hasEnded, isoTime, type QuoteRecord, type State } from './records.ts';
import { checkDeliveryRequest, checkNotes, checkQuoteRequest } from './request-checks.ts';

const MINUTE = 60_000;
const quote_life_ms = 15 * MINUTE;
const idempotency_life_ms = 60 * MINUTE;
const max_tip = 10_000;

/** A picture of one pixel as PNG in base64. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export function createQuote(state: State, body: JsonFields): JsonFields {
  checkQuoteRequest(body);
  const now = state.now();
  const quote: QuoteRecord = {
    id: `dqt_${state.next()}`,
    fee: 700 + (textAt(body, 'dropoff_address') ?? '').length,
    expires: now + quote_life_ms,
    pickup_address: body.pickup_address,
    dropoff_address: body.dropoff_address,
    is_used: false,
  };
  state.quotes.set(quote.id, quote);
  return {
    kind: 'delivery_quote',
    id: quote.id,
    created: isoTime(now),
    expires: isoTime(quote.expires),
    fee: quote.fee,
    currency: 'usd',
    currency_type: 'USD',
    dropoff_eta: isoTime(now + 30 * MINUTE),
    duration: 30,
    pickup_duration: 12,
  };
}

/** Books a delivery. `is_new` is false for a repeat with the same idempotency key. */
export function createDelivery(
  state: State,
  body: JsonFields,
): { delivery: DeliveryRecord; is_new: boolean } {
  checkDeliveryRequest(body);
  const now = state.now();
  const all = [...state.deliveries.values()];
  const key = textAt(body, 'idempotency_key');
  const repeated = all.find(
    ({ request, created }) =>
      key !== null && request.idempotency_key === key && now - created < idempotency_life_ms,
  );
  if (repeated !== undefined) return { delivery: repeated, is_new: false };
  refuseDuplicate(all, body);
  const quote = usableQuote(state, body, now);
  const tip = typeof body.tip === 'number' ? body.tip : 0;
  const wants_pin = toFields(toFields(body.dropoff_verification).pincode).enabled === true;
  const number = state.next();
  const delivery: DeliveryRecord = {
    id: `del_${number}`,
    request: body,
    quote_id: quote?.id ?? null,
    status: 'pending',
    courier_imminent: false,
    courier: null,
    created: now,
    updated: now,
    pickup_eta: now + 12 * MINUTE,
    dropoff_eta: now + 30 * MINUTE,
    fee: (quote?.fee ?? 900) + tip,
    tip,
    pin: wants_pin ? String(1000 + number).slice(-4) : null,
    dropoff_ended: null,
    proof: { picture_url: '', signature_url: '', signer: '', pin_entered: '' },
    undeliverable_reason: '',
    cancelation_reason: null,
    refund: null,
    related: null,
  };
  if (quote !== null) quote.is_used = true;
  state.deliveries.set(delivery.id, delivery);
  return { delivery, is_new: true };
}

/** The external ID and the manifest reference identify a delivery together. */
function refuseDuplicate(all: readonly DeliveryRecord[], body: JsonFields): void {
  const same = all.find(
    ({ request }) =>
      textAt(body, 'manifest_reference') !== null &&
      request.manifest_reference === body.manifest_reference &&
      request.external_id === body.external_id,
  );
  if (same !== undefined) throw new Refused('duplicate_delivery', { delivery_id: same.id });
}

function usableQuote(state: State, body: JsonFields, now: number): QuoteRecord | null {
  const id = textAt(body, 'quote_id');
  if (id === null) return null;
  const quote = state.quotes.get(id);
  if (quote === undefined) throw invalid('quote_id', 'no such quote');
  if (quote.is_used) throw new Refused('used_quote');
  if (quote.expires <= now) throw new Refused('expired_quote');
  const isSame =
    quote.pickup_address === body.pickup_address && quote.dropoff_address === body.dropoff_address;
  if (!isSame) throw new Refused('mismatched_price_quote');
  return quote;
}

/** A page of the deliveries, newest first. */
export function listDeliveries(state: State, query: URLSearchParams): JsonFields {
  const limit = Number(query.get('limit') ?? 30);
  const offset = Number(query.get('offset') ?? 0);
  const all = [...state.deliveries.values()].reverse();
  const { customer_id } = state.account;
  const next = `limit=${limit}&offset=${offset + limit}`;
  return {
    data: all.slice(offset, offset + limit).map((delivery) => deliveryObject(state, delivery)),
    total_count: -1,
    next_href:
      offset + limit < all.length ? `api.uber.com/v1/customers/${customer_id}/deliveries?${next}` : '',
  };
}

export function findDelivery(state: State, id: string): DeliveryRecord {
  const delivery = state.deliveries.get(id);
  if (delivery === undefined) throw new Refused('delivery_not_found');
  return delivery;
}

export function updateDelivery(state: State, delivery: DeliveryRecord, body: JsonFields): void {
  checkNotes(body);
  const { tip_by_customer, ...changes } = body;
  if (hasEnded(delivery) && tip_by_customer === undefined)
    throw invalid('param_details', 'These fields cannot be changed in this state.');
  if (tip_by_customer !== undefined) addTip(delivery, Number(tip_by_customer));
  delivery.request = { ...delivery.request, ...changes };
  delivery.updated = state.now();
}

function addTip(delivery: DeliveryRecord, tip: number): void {
  if (tip === 0) throw new Refused('no_tip');
  if (tip > max_tip) throw new Refused('max_tip_exceeded');
  if (delivery.status === 'canceled' || delivery.status === 'returned')
    throw new Refused('invalid_tipping_state');
  if (delivery.tip > 0) throw new Refused('tip_already_recorded_error');
  delivery.fee += tip;
  delivery.tip = tip;
}

/** Cancels until the parcel is picked up. */
export function cancelDelivery(state: State, delivery: DeliveryRecord): void {
  if (delivery.status !== 'pending' && delivery.status !== 'pickup')
    throw new Refused('noncancelable_delivery');
  delivery.status = 'canceled';
  delivery.cancelation_reason = 'CANCELED_BY_MERCHANT';
  delivery.updated = state.now();
}

/** The picture of a proof, in base64. */
export function proofOfDelivery({ proof }: DeliveryRecord, { waypoint, type }: JsonFields): JsonFields {
  const taken = new Map<unknown, string>([
    ['picture', proof.picture_url],
    ['signature', proof.signature_url],
    ['pincode', proof.pin_entered],
  ]);
  if (waypoint !== 'dropoff' || (taken.get(type) ?? '') === '') throw new Refused('delivery_not_found');
  return { document: pixel };
}
