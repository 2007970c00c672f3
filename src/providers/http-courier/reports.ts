/**
 * A delivery of the courier protocol as reports. Every answer and every event has all events so far: each is a report
 * under the courier's own id, so that repeats have the same one, and a lost event arrives with the next. Driver,
 * position, times, proof and price are a report of their own, whose id is a hash of them.
 */
import type {
  DeliveryEventType,
  ProblemReason,
  RejectionReason,
} from '../../contract/courier-protocol/schemas.ts';
import type { DeliveryStatus, FailureReason } from '../../contract/vocabulary.ts';
import type { ReportedCosts } from '../../domain/charges.ts';
import { isDriven } from '../../domain/delivery-states.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import {
  type CourierBooking,
  type CourierHttpResponse,
  type CourierProblem,
  type CourierProof,
  type CourierQuote,
  type CourierQuoteRequest,
  type CourierReport,
  reportHash,
} from '../courier.ts';
import {
  amountAt,
  type JsonFields,
  listAt,
  numberAt,
  parseFields,
  textAt,
  timeAt,
  toFields,
} from '../json-messages.ts';
import { type DeclineCode, type Driver, ProviderFault } from '../port.ts';

const statuses: Readonly<Record<DeliveryEventType, DeliveryStatus | null>> = {
  PENDING: 'delivery_created',
  ACCEPTED: 'delivery_created',
  REJECTED: 'provider_canceled',
  PICKUP_ONGOING: 'enroute_pickup',
  ARRIVED_AT_MERCHANT: 'arrived_at_pickup',
  ORDER_PICKED: 'pickup_complete',
  DELIVERY_ONGOING: 'enroute_dropoff',
  ARRIVED_AT_CUSTOMER: 'arrived_at_dropoff',
  ORDER_DELIVERED: 'delivered',
  RETURNING_TO_MERCHANT: 'enroute_to_return',
  RETURNED_TO_MERCHANT: 'returned',
  DELIVERY_FINISHED: null,
  CANCELLED: 'provider_canceled',
};

const failures: Readonly<Record<ProblemReason, FailureReason>> = {
  DELIVERYPERSON_OCCURRENCE: 'courier_failed',
  PAYMENT_PROBLEMS: 'handover_failed',
  WRONG_PRODUCT_OR_ITEM: 'recipient_refused',
  ORDER_DELAYED: 'recipient_refused',
  ORDER_DAMAGED_OR_VIOLATED: 'courier_failed',
  CUSTOMER_DID_NOT_PLACE_ORDER: 'recipient_refused',
  CUSTOMER_ADDRESS_UNKNOWN: 'wrong_address',
  ORDER_MISSING_ITEMS: 'recipient_refused',
  NOBODY_TO_RECEIVE: 'recipient_unreachable',
  DELIVERYPERSON_WAITING_PAYMENT_FOR_ALREADY_PAID_ORDER: 'handover_failed',
  ORDER_DELIVERED_WITHOUT_PAYMENT: 'handover_failed',
  FRAUD_OR_THEFT: 'courier_failed',
  OTHER: 'handover_failed',
};

/** The reports of a delivery, in the order of its events; empty if the value is not a delivery. */
export function reportsOf(fields: JsonFields): CourierReport[] {
  const key = textAt(fields, 'orderId');
  if (key === null) return [];
  const reference = textAt(fields, 'deliveryId');
  const live = liveOf(fields);
  const common = { key, reference, ...(live === null ? {} : { live }) };
  const events = listAt(fields, 'events').map(toFields);
  const reports = events.flatMap((event, index) => {
    const report = eventReport(event, events.slice(0, index));
    return report === null ? [] : [{ ...common, ...report, id: `${key}:${report.id}` }];
  });
  if (reports.length === 0) return [];
  const last_at = Math.max(...reports.map(({ occurred_at }) => occurred_at));
  return [...reports, { ...common, ...snapshotReport(fields, last_at) }];
}

type EventReport = Omit<CourierReport, 'key' | 'reference'>;

function eventReport(event: JsonFields, earlier: readonly JsonFields[]): EventReport | null {
  const id = textAt(event, 'id');
  const occurred_at = timeAt(event, 'datetime');
  const type = textAt(event, 'type') ?? '';
  const known: Readonly<Record<string, DeliveryStatus | null>> = statuses;
  if (id === null || occurred_at === null || !Object.hasOwn(known, type)) return null;
  const passed = earlier.map((each) => known[textAt(each, 'type') ?? '']);
  const status = statusAfter(type, known[type] ?? null, passed);
  return { id, occurred_at, status, ...problemOf(event, status) };
}

/** A delivery that looks for a driver again has lost one, and a return that is given up has failed. */
function statusAfter(
  type: string,
  status: DeliveryStatus | null,
  passed: readonly (DeliveryStatus | null | undefined)[],
): DeliveryStatus | null {
  const isLost = status === 'delivery_created' && passed.some((each) => each != null && isDriven(each));
  if (isLost) return 'driver_not_assigned';
  return type === 'CANCELLED' && passed.includes('enroute_to_return') ? 'failed' : status;
}

function problemOf(event: JsonFields, status: DeliveryStatus | null) {
  const code = textAt(event, 'reason');
  const reason = textAt(event, 'message') ?? code?.toLowerCase().replaceAll('_', ' ');
  const known: Readonly<Record<string, FailureReason>> = failures;
  const isFailure = status === 'enroute_to_return' || status === 'failed';
  const usual = status === 'failed' ? 'return_not_completed' : 'handover_failed';
  return {
    ...(reason === undefined ? {} : { reason }),
    ...(isFailure ? { failure_reason: known[code ?? ''] ?? usual } : {}),
  };
}

function snapshotReport(fields: JsonFields, last_at: number): EventReport {
  const geo = toFields(fields.geoLocalization);
  const [lat, lng] = [numberAt(geo, 'latitude'), numberAt(geo, 'longitude')];
  const occurred_at = Math.max(timeAt(geo, 'datetime') ?? 0, last_at);
  const eta = toFields(fields.eta);
  const pickup_eta = timeAt(eta, 'pickupEtaDatetime');
  const dropoff_eta = timeAt(eta, 'deliveryEtaDatetime');
  const driver = driverOf(toFields(fields.deliveryPerson));
  const proofs = listAt(fields, 'proofs').map(toFields).flatMap(proofOf);
  const costs = costsOf(fields);
  const known = withoutAbsent({
    driver: driver ?? undefined,
    position: lat === null || lng === null ? undefined : { lat, lng },
    pickup_eta: pickup_eta ?? undefined,
    dropoff_eta: dropoff_eta ?? undefined,
    proofs: proofs.length === 0 ? undefined : proofs,
    costs: Object.keys(costs).length === 0 ? undefined : { at: occurred_at, ...costs },
  });
  const id = reportHash(JSON.stringify([fields.orderId, occurred_at, known]));
  return { id, occurred_at, status: null, ...known };
}

/** The courier's charges and refunds; the refunds of a delivery are one amount here. */
function costsOf(fields: JsonFields): Omit<ReportedCosts, 'at'> {
  const price = priceAt(fields, 'deliveryPrice');
  const cancellation = priceAt(fields, 'cancellationPrice');
  const back = priceAt(fields, 'returnPrice');
  const refunded = priceAt(fields, 'refundPrice');
  return {
    ...(price !== null && { price }),
    ...(cancellation !== null && { cancellation }),
    ...(back !== null && { return: back }),
    ...(refunded !== null && { refunds: [{ id: '', amount: refunded }] }),
  };
}

function driverOf(person: JsonFields): Driver | null {
  const name = textAt(person, 'name');
  if (name === null) return null;
  return {
    name,
    image: textAt(person, 'pictureURL'),
    phone: textAt(person, 'phone')?.replace(/\D/g, '') || null,
    vehicle_type: textAt(person, 'vehicle')?.toLowerCase() ?? null,
    vehicle: null,
  };
}

function proofOf(proof: JsonFields): CourierProof[] {
  const url = textAt(proof, 'url');
  const type = proof.type === 'PHOTO' ? 'photo' : proof.type === 'SIGNATURE' ? 'signature' : null;
  return url === null || type === null ? [] : [{ type, url }];
}

// Responses of the courier protocol, which `contract/courier-protocol` describes.

export function quoteFrom(body: string, { order, now }: CourierQuoteRequest): CourierQuote {
  const fields = parseFields(body);
  const reference = textAt(fields, 'quoteId');
  const price = toFields(fields.deliveryPrice);
  const cost = amountAt(price, 'value');
  const currency = textAt(price, 'currency');
  if (reference === null || cost === null || currency === null) {
    throw new ProviderFault('The courier sent a quote without an ID or a price.');
  }
  const eta = toFields(fields.eta);
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

/** A price in cents; null if it is absent, invalid or not in US dollars. */
export function priceAt(fields: JsonFields, name: string): number | null {
  const price = toFields(fields[name]);
  const isForeign = (textAt(price, 'currency') ?? 'USD').toUpperCase() !== 'USD';
  return isForeign ? null : amountAt(price, 'value');
}

function liveOf({ liveMode }: JsonFields): boolean | null {
  return typeof liveMode === 'boolean' ? liveMode : null;
}

/** Reads an error. Throws where its effect is unknown. */
export function problemFrom({ status, body }: CourierHttpResponse): CourierProblem {
  if (status < 400 || status >= 500 || status === 408) {
    throw new ProviderFault(`The courier failed with status ${status}.`);
  }
  const fields = parseFields(body);
  const rejection = toFields(fields.rejectionInfo);
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
