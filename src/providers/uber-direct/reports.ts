/**
 * Uber's deliveries as reports.
 *
 * `pending` has no courier (yet, or any more), `pickup` has one on its way, `pickup_complete` may be left out, and
 * `dropoff` is the way to the recipient; `courier_imminent` says that the courier arrives within a minute. `returned`
 * means that the parcel could not be handed over: the delivery has ended, and one of its own (`ret_...`) brings the
 * parcel back. Its statuses are reports of the original delivery here.
 */
import type { DeliveryStatus, FailureReason } from '../../contract/vocabulary.ts';
import type { ReportedCosts } from '../../domain/charges.ts';
import { minute_ms } from '../../domain/durations.ts';
import type { CourierBooking, CourierProof, CourierQuote, CourierReport } from '../courier.ts';
import {
  amountAt,
  type JsonFields,
  listAt,
  numberAt,
  positionAt,
  textAt,
  timeAt,
  toFields,
} from '../json-messages.ts';
import { type Driver, ProviderFault } from '../port.ts';

/** The report of a delivery's status; null if the status is not known. */
export function statusReport(
  delivery: JsonFields,
  { id, at }: { id?: string | null; at: number },
): CourierReport | null {
  const status = statusOf(delivery);
  const occurred_at = timeAt(delivery, 'updated') ?? at;
  if (status === null) return null;
  const proofs = isReturn(delivery) ? [] : proofsOf(delivery);
  const signer = signerOf(delivery);
  const pin = pinOf(delivery);
  const costs = costsOf(delivery, occurred_at);
  return {
    ...partsOf(delivery),
    id: id ?? [textAt(delivery, 'id'), status, occurred_at, ...amountsIn(costs)].join(':'),
    status,
    occurred_at,
    ...(proofs.length > 0 && { proofs }),
    ...(signer !== null && { signer }),
    ...(pin !== null && { pin }),
    ...(amountsIn(costs).length > 0 && { costs }),
    ...reasonOf(delivery, status),
  };
}

/** The report of a refund, by Uber's event about it. */
export function refundReport(
  event: JsonFields,
  { id, at }: { id: string | null; at: number },
): CourierReport | null {
  const refund = refundOf(toFields(event.data));
  const live = liveOf(event);
  if (refund === null) return null;
  return {
    id: id ?? `refund:${refund.id}`,
    key: null,
    reference: textAt(event, 'delivery_id'),
    status: null,
    occurred_at: at,
    costs: { at, refunds: [refund] },
    ...(live !== null && { live }),
  };
}

/**
 * The charges of Uber. It does not report the cost of a cancellation: a canceled delivery keeps its previous price,
 * or has another one.
 */
function costsOf(delivery: JsonFields, at: number): ReportedCosts {
  const price = costOf(delivery);
  const refund = refundOf(toFields(delivery.refund));
  const name = isReturn(delivery)
    ? 'return'
    : textAt(delivery, 'status') === 'canceled'
      ? 'canceled_price'
      : 'price';
  return {
    at,
    ...(price !== null && { [name]: price }),
    ...(refund !== null && { refunds: [refund] }),
  };
}

/** Uber gives back what it changes its own invoice by; the partner's part is between the shop and its customer. */
function refundOf(refund: JsonFields): { id: string; amount: number } | null {
  const id = textAt(refund, 'id');
  const amount = amountAt(refund, 'total_uber_refund');
  return id === null || amount === null ? null : { id, amount };
}

/** The amounts of a report, which are parts of its ID: a report with another amount is a new one. */
function amountsIn({ at: _, refunds = [], ...amounts }: ReportedCosts): number[] {
  return [...Object.values(amounts), ...refunds.map(({ amount }) => amount)];
}

/** The report of the courier's position alone: it comes every 20 seconds. */
export function positionReport(
  delivery: JsonFields,
  { id, at, position }: { id: string; at: number; position: { lat: number; lng: number } },
): CourierReport {
  const { key, reference, live } = partsOf(delivery);
  return { id, key, reference, status: null, occurred_at: at, position, ...(live !== undefined && { live }) };
}

/**
 * The report of the expected times; null without any. Its ID is made of the times in minutes, so that only a change is
 * new.
 */
export function timesReport(delivery: JsonFields, at: number): CourierReport | null {
  const { key, reference, pickup_eta, dropoff_eta, live } = partsOf(delivery);
  const times = {
    ...(pickup_eta !== undefined && { pickup_eta }),
    ...(dropoff_eta !== undefined && { dropoff_eta }),
  };
  if (Object.keys(times).length === 0 || delivery.complete === true) return null;
  const minutes = [pickup_eta, dropoff_eta].map((time = 0) => Math.round(time / minute_ms));
  const id = [textAt(delivery, 'id'), 'times', ...minutes].join(':');
  return { id, key, reference, status: null, occurred_at: at, ...times, ...(live !== undefined && { live }) };
}

type Parts = Omit<CourierReport, 'id' | 'status' | 'occurred_at'>;

function partsOf(delivery: JsonFields): Parts {
  const driver = driverOf(delivery);
  const position = positionAt(toFields(delivery.courier), 'location');
  const pickup_eta = timeAt(delivery, 'pickup_eta');
  const dropoff_eta = timeAt(delivery, 'dropoff_eta');
  const live = liveOf(delivery);
  return {
    key: isReturn(delivery) ? null : textAt(delivery, 'external_id'),
    reference: isReturn(delivery) ? relatedId(delivery) : textAt(delivery, 'id'),
    ...(driver !== null && { driver }),
    ...(position !== null && { position }),
    ...(!isReturn(delivery) && pickup_eta !== null && { pickup_eta }),
    ...(!isReturn(delivery) && dropoff_eta !== null && { dropoff_eta }),
    ...(live !== null && { live }),
  };
}

/** Whether this is the journey of a parcel back to its sender. */
function isReturn(delivery: JsonFields): boolean {
  return textAt(delivery, 'id')?.startsWith('ret_') ?? false;
}

/** The ID of the original delivery of a journey back, or of the journey back of an original delivery. */
export function relatedId(delivery: JsonFields): string | null {
  const [related] = [...listAt(delivery, 'related_deliveries'), delivery.related_deliveries].map(toFields);
  return related === undefined ? null : textAt(related, 'id');
}

function statusOf(delivery: JsonFields): DeliveryStatus | null {
  const status = textAt(delivery, 'status');
  const is_near = delivery.courier_imminent === true;
  if (isReturn(delivery)) return returnStatus(status);
  switch (status) {
    case 'pending':
      // A delivery that has changed since it was created, and has no courier, has lost it.
      return isUnchanged(delivery) ? 'delivery_created' : 'driver_not_assigned';
    case 'pickup':
      return is_near ? 'arrived_at_pickup' : 'enroute_pickup';
    case 'pickup_complete':
      return 'pickup_complete';
    case 'dropoff':
      return is_near ? 'arrived_at_dropoff' : 'enroute_dropoff';
    case 'delivered':
      return 'delivered';
    case 'canceled':
      return 'provider_canceled';
    case 'returned':
      return textAt(toFields(delivery.return), 'status') === 'completed' ? 'returned' : 'enroute_to_return';
    default:
      return null;
  }
}

function returnStatus(status: string | null): DeliveryStatus | null {
  if (status === 'delivered') return 'returned';
  if (status === 'canceled') return 'failed';
  return status === null ? null : 'enroute_to_return';
}

function isUnchanged(delivery: JsonFields): boolean {
  return timeAt(delivery, 'updated') === timeAt(delivery, 'created');
}

function driverOf(delivery: JsonFields): Driver | null {
  const courier = toFields(delivery.courier);
  const name = textAt(courier, 'name');
  const vehicle_type = textAt(courier, 'vehicle_type');
  if (name === null && vehicle_type === null) return null;
  return {
    name,
    image: textAt(courier, 'img_href'),
    phone: textAt(courier, 'phone_number')?.replace(/\D/g, '') || null,
    vehicle_type,
    vehicle: null,
  };
}

/** The proofs that were taken at the dropoff; an address is empty until its picture exists. */
function proofsOf(delivery: JsonFields): CourierProof[] {
  const taken = toFields(toFields(delivery.dropoff).verification);
  const photo = textAt(toFields(taken.picture), 'image_url');
  const signature = textAt(toFields(taken.signature), 'image_url');
  return [
    ...(photo === null ? [] : [{ type: 'photo' as const, url: photo }]),
    ...(signature === null ? [] : [{ type: 'signature' as const, url: signature }]),
  ];
}

function signerOf(delivery: JsonFields): string | null {
  const taken = toFields(toFields(delivery.dropoff).verification);
  return textAt(toFields(taken.signature), 'name');
}

/** The PIN of the handover; the one beside the courier's phone number is for calls. */
function pinOf(delivery: JsonFields): string | null {
  const wanted = toFields(toFields(delivery.dropoff).verification_requirements);
  return textAt(toFields(wanted.pincode), 'value');
}

/** Words in Uber's reasons for a parcel that could not be handed over. The list of reasons is not published. */
const failures: readonly (readonly [RegExp, FailureReason])[] = [
  [/ADDRESS/, 'wrong_address'],
  [/REFUSED|REJECTED|DECLINED/, 'recipient_refused'],
  [/(^|_)AGE(_|$)|IDENTIFICATION|SOBRIETY/, 'age_check_failed'],
  [/UNAVAILABLE|UNREACHABLE|NOT_HOME|NO_SHOW|NO_ANSWER/, 'recipient_unreachable'],
];

function reasonOf(
  delivery: JsonFields,
  status: DeliveryStatus,
): Pick<CourierReport, 'reason' | 'failure_reason'> {
  if (status === 'provider_canceled' || status === 'failed') {
    const text = textAt(toFields(delivery.cancelation_reason), 'primary_reason');
    return {
      ...(text !== null && { reason: sentence(text) }),
      // Only a journey back fails: without it the parcel is not returned.
      ...(status === 'failed' && { failure_reason: 'return_not_completed' as const }),
    };
  }
  const text = textAt(delivery, 'undeliverable_reason');
  if (text === null || (status !== 'enroute_to_return' && status !== 'returned')) return {};
  const [, failure_reason] = failures.find(([words]) => words.test(text.toUpperCase())) ?? [];
  return { reason: sentence(text), failure_reason: failure_reason ?? 'handover_failed' };
}

function sentence(code: string): string {
  return `Uber Direct: ${code.replaceAll('_', ' ').toLowerCase()}`;
}

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
    // The units are parts of the addresses.
    is_of_order: true,
  };
}

/** The time of a quote in so many minutes. */
function later(fields: JsonFields, name: string, now: number): number | null {
  const minutes = numberAt(fields, name);
  return minutes === null ? null : (timeAt(fields, 'created') ?? now) + minutes * minute_ms;
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
function costOf(fields: JsonFields, sent_tip: number | null = null): number | null {
  const fee = amountAt(fields, 'fee');
  const tip = amountAt(fields, 'tip') ?? sent_tip;
  return fee === null || tip === null ? null : Math.max(fee - tip, 0);
}

export function liveOf({ live_mode }: JsonFields): boolean | null {
  return typeof live_mode === 'boolean' ? live_mode : null;
}
