import { deliveryObject } from './delivery-object.ts';
import { invalid, Refused } from './errors.ts';
import {
  type DeliveryRecord,
  type Fields,
  fieldsOf,
  isoTime,
  type QuoteRecord,
  type State,
  textOf,
} from './records.ts';
import { checkDeliveryRequest, checkNotes, checkQuoteRequest, windowsOf } from './request-checks.ts';

const MINUTE = 60_000;
const quote_life_ms = 15 * MINUTE;
const idempotency_life_ms = 60 * MINUTE;
const max_tip = 10_000;

/** A picture of one pixel as PNG in base64. */
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export function createQuote(state: State, body: Fields): Fields {
  checkQuoteRequest(body);
  const now = state.now();
  const windows = windowsOf(body, now);
  const pickup_eta = Math.max(windows.pickup_ready, now + 12 * MINUTE);
  const quote: QuoteRecord = {
    id: `dqt_${state.next()}`,
    fee: 700 + (textOf(body, 'dropoff_address') ?? '').length,
    created: now,
    expires: now + quote_life_ms,
    pickup_eta,
    dropoff_eta: Math.max(windows.dropoff_ready, pickup_eta + 18 * MINUTE),
    windows,
    pickup_address: textOf(body, 'pickup_address') ?? '',
    dropoff_address: textOf(body, 'dropoff_address') ?? '',
    external_store_id: textOf(body, 'external_store_id'),
    is_used: false,
  };
  state.quotes.set(quote.id, quote);
  return {
    kind: 'delivery_quote',
    id: quote.id,
    created: isoTime(quote.created),
    expires: isoTime(quote.expires),
    fee: quote.fee,
    currency: 'usd',
    currency_type: 'USD',
    dropoff_eta: isoTime(quote.dropoff_eta),
    duration: Math.round((quote.dropoff_eta - now) / MINUTE),
    pickup_duration: Math.round((quote.pickup_eta - now) / MINUTE),
    dropoff_deadline: isoTime(windows.dropoff_deadline),
  };
}

/** Books a delivery. `is_new` is false for a repeat with the same idempotency key. */
export function createDelivery(state: State, body: Fields): { delivery: DeliveryRecord; is_new: boolean } {
  checkDeliveryRequest(body);
  const now = state.now();
  const all = [...state.deliveries.values()];
  const key = textOf(body, 'idempotency_key');
  const repeated = all.find(
    ({ request, created }) =>
      key !== null && request.idempotency_key === key && now - created < idempotency_life_ms,
  );
  if (repeated !== undefined) return { delivery: repeated, is_new: false };
  refuseDuplicate(all, body);
  const quote = usableQuote(state, body, now);
  const windows = windowsOf(body, now);
  const tip = typeof body.tip === 'number' ? body.tip : 0;
  const wants_pin = fieldsOf(fieldsOf(body.dropoff_verification).pincode).enabled === true;
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
    pickup_eta: quote?.pickup_eta ?? now + 12 * MINUTE,
    dropoff_eta: quote?.dropoff_eta ?? now + 30 * MINUTE,
    windows,
    fee: (quote?.fee ?? 900) + tip,
    tip,
    pin: wants_pin ? String(1000 + number).slice(-4) : null,
    pickup_completed_at: null,
    dropoff_ended: null,
    proof: { picture_url: '', signature_url: '', signer: '', pin_entered: '' },
    undeliverable_action: '',
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
function refuseDuplicate(all: readonly DeliveryRecord[], body: Fields): void {
  const same = all.find(
    ({ request }) =>
      textOf(body, 'manifest_reference') !== null &&
      request.manifest_reference === body.manifest_reference &&
      request.external_id === body.external_id,
  );
  if (same !== undefined) throw new Refused('duplicate_delivery', { delivery_id: same.id });
}

function usableQuote(state: State, body: Fields, now: number): QuoteRecord | null {
  const id = textOf(body, 'quote_id');
  if (id === null) return null;
  const quote = state.quotes.get(id);
  if (quote === undefined) throw invalid('quote_id', 'no such quote');
  if (quote.is_used) throw new Refused('used_quote');
  if (quote.expires <= now) throw new Refused('expired_quote');
  const isSame =
    quote.pickup_address === body.pickup_address &&
    quote.dropoff_address === body.dropoff_address &&
    quote.external_store_id === textOf(body, 'external_store_id');
  if (!isSame) throw new Refused('mismatched_price_quote');
  return quote;
}

export function listDeliveries(state: State, query: URLSearchParams): Fields {
  const filter = query.get('filter');
  const limit = wholeNumber(query, 'limit') ?? 30;
  const offset = wholeNumber(query, 'offset') ?? wholeNumber(query, 'Offset') ?? 0;
  const isWanted = ({ status }: DeliveryRecord) =>
    filter === null ||
    status === filter ||
    (filter === 'ongoing' && !['delivered', 'canceled', 'returned'].includes(status));
  const found = [...state.deliveries.values()].reverse().filter(isWanted);
  const page = found.slice(offset, offset + limit);
  const { customer_id } = state.account;
  const next = new URLSearchParams({
    ...(filter !== null && { filter }),
    limit: String(limit),
    offset: String(offset + limit),
  });
  return {
    data: page.map((delivery) => deliveryObject(state, delivery)),
    total_count: -1,
    next_href:
      offset + limit < found.length ? `api.uber.com/v1/customers/${customer_id}/deliveries?${next}` : '',
  };
}

function wholeNumber(query: URLSearchParams, name: string): number | null {
  const text = query.get(name);
  if (text === null) return null;
  if (!/^\d+$/.test(text)) throw invalid(name, 'must be a whole number');
  return Number(text);
}

export function findDelivery(state: State, id: string): DeliveryRecord {
  const delivery = state.deliveries.get(id);
  if (delivery === undefined) throw new Refused('delivery_not_found');
  return delivery;
}

const editable = ['dropoff_notes', 'dropoff_seller_notes', 'pickup_notes', 'manifest_reference'] as const;

export function updateDelivery(state: State, delivery: DeliveryRecord, body: Fields): void {
  checkNotes(body);
  if (['delivered', 'canceled', 'returned'].includes(delivery.status) && body.tip_by_customer === undefined)
    throw invalid('param_details', 'These fields cannot be changed in this state.');
  addTip(delivery, body.tip_by_customer);
  const changes = Object.fromEntries(editable.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
  delivery.request = { ...delivery.request, ...changes };
  delivery.updated = state.now();
}

function addTip(delivery: DeliveryRecord, tip: unknown): void {
  if (tip === undefined) return;
  if (typeof tip !== 'number' || !Number.isInteger(tip) || tip < 0)
    throw invalid('tip_by_customer', 'not an amount');
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
export function proofOfDelivery(delivery: DeliveryRecord, body: Fields): Fields {
  const { waypoint, type } = body;
  if (waypoint !== 'pickup' && waypoint !== 'dropoff' && waypoint !== 'return')
    throw invalid('waypoint', 'unknown');
  const taken = { picture: delivery.proof.picture_url, signature: delivery.proof.signature_url };
  const proofs: Readonly<Record<string, string>> = { ...taken, pincode: delivery.proof.pin_entered };
  if (typeof type !== 'string' || !Object.hasOwn(proofs, type)) throw invalid('type', 'unknown');
  if (waypoint !== 'dropoff' || proofs[type] === '') throw new Refused('delivery_not_found');
  return { document: pixel };
}
