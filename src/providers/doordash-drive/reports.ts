/**
 * DoorDash's statuses and events as reports. DoorDash gives its events no id: a report's id is a hash of its contents,
 * so that a repeated event or poll has the same one.
 */
import type { Vehicle } from '../../contract/deliveries.ts';
import type { DeliveryStatus, FailureReason } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import {
  type CourierBooking,
  type CourierHttpResponse,
  type CourierProblem,
  type CourierProof,
  type CourierQuote,
  type CourierQuoteRequest,
  type CourierRefusal,
  type CourierReport,
  reportHash,
} from '../courier.ts';
import {
  amountAt,
  type JsonFields,
  listAt,
  numberAt,
  parseFields,
  positionAt,
  textAt,
  timeAt,
  toFields,
} from '../json-messages.ts';
import { type DeclineCode, type Driver, ProviderFault } from '../port.ts';

const statuses: Readonly<Record<string, DeliveryStatus>> = {
  created: 'delivery_created',
  confirmed: 'driver_assigned',
  enroute_to_pickup: 'enroute_pickup',
  arrived_at_pickup: 'arrived_at_pickup',
  picked_up: 'pickup_complete',
  enroute_to_dropoff: 'enroute_dropoff',
  arrived_at_dropoff: 'arrived_at_dropoff',
  delivered: 'delivered',
  enroute_to_return: 'enroute_to_return',
  arrived_at_return: 'enroute_to_return',
  returned: 'returned',
};

/** Accounts that asked for the events with positions get those in lower case. */
const statusesOfEvents: Readonly<Record<string, string>> = {
  DASHER_CONFIRMED: 'confirmed',
  DASHER_ENROUTE_TO_PICKUP: 'enroute_to_pickup',
  DASHER_CONFIRMED_PICKUP_ARRIVAL: 'arrived_at_pickup',
  DASHER_PICKED_UP: 'picked_up',
  DASHER_ENROUTE_TO_DROPOFF: 'enroute_to_dropoff',
  DASHER_CONFIRMED_DROPOFF_ARRIVAL: 'arrived_at_dropoff',
  DASHER_DROPPED_OFF: 'delivered',
  DELIVERY_RETURN_INITIALIZED: 'enroute_to_return',
  DASHER_ENROUTE_TO_RETURN: 'enroute_to_return',
  DASHER_CONFIRMED_RETURN_ARRIVAL: 'arrived_at_return',
  DELIVERY_RETURNED: 'returned',
  DELIVERY_CANCELLED: 'cancelled',
};

/** The report of a webhook that came now; null if it is about nothing that waybill keeps. */
export function reportOfEvent(fields: JsonFields, now: number): CourierReport | null {
  const status = statusesOfEvents[(textAt(fields, 'event_name') ?? '').toUpperCase()];
  if (status === undefined) return null;
  return reportOf(fields, status, textAt(fields, 'reason'), timeAt(fields, 'created_at') ?? now);
}

/**
 * The reports of a delivery as it was read now. Its pickup is a report of its own, because DoorDash keeps that time.
 * `status` is the last known one: a delivery that is only created again has lost its Dasher.
 */
export function reportsOfDelivery(
  fields: JsonFields,
  { status: known, now }: { status: DeliveryStatus; now: number },
): readonly CourierReport[] {
  const status = textAt(fields, 'delivery_status') ?? '';
  const picked_up_at = timeAt(fields, 'pickup_time_actual');
  const occurred_at = timeOf(fields, status) ?? now;
  if (statuses[status] === undefined && status !== 'cancelled') return [];
  const current = reportOf(fields, status, textAt(fields, 'cancellation_reason'), occurred_at);
  if (status === 'created' && isAssigned(known)) return [{ ...current, status: 'driver_not_assigned' }];
  if (picked_up_at === null || status === 'picked_up') return [current];
  return [pickupReport(current, picked_up_at), current];
}

function pickupReport({ key, reference }: CourierReport, occurred_at: number): CourierReport {
  const id = reportHash(JSON.stringify(['picked_up', occurred_at, reference]));
  return { id, key, reference, status: 'pickup_complete', occurred_at };
}

function timeOf(fields: JsonFields, status: string): number | null {
  const actual: Readonly<Record<string, string>> = {
    picked_up: 'pickup_time_actual',
    delivered: 'dropoff_time_actual',
    returned: 'return_time_actual',
  };
  return timeAt(fields, actual[status] ?? '') ?? timeAt(fields, 'updated_at');
}

function isAssigned(known: DeliveryStatus): boolean {
  return ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'].includes(known);
}

function reportOf(
  fields: JsonFields,
  status: string,
  reason: string | null,
  occurred_at: number,
): CourierReport {
  const id = textAt(fields, 'external_delivery_id');
  const position = positionAt(fields, 'dasher_location');
  const pickup_eta = timeAt(fields, 'pickup_time_estimated');
  const dropoff_eta = timeAt(fields, 'dropoff_time_estimated');
  const driver = driverOf(fields);
  const proofs = proofsOf(fields);
  const cost = costOf(fields);
  const at = timeAt(fields, 'updated_at') ?? occurred_at;
  return {
    id: reportHash(JSON.stringify([status, fields])),
    occurred_at,
    key: id,
    reference: id,
    status: status === 'cancelled' ? statusOfCancellation(reason) : (statuses[status] ?? null),
    ...(driver === null ? {} : { driver }),
    ...(position === null ? {} : { position }),
    ...(pickup_eta === null ? {} : { pickup_eta }),
    ...(dropoff_eta === null ? {} : { dropoff_eta }),
    ...(proofs.length === 0 ? {} : { proofs }),
    ...(cost === null ? {} : { costs: { at, [status === 'cancelled' ? 'canceled_price' : 'price']: cost } }),
    ...(status === 'cancelled' ? failureOf(reason) : {}),
  };
}

function driverOf(fields: JsonFields): Driver | null {
  const name = textAt(fields, 'dasher_name');
  if (name === null && numberAt(fields, 'dasher_id') === null) return null;
  return {
    name,
    image: null,
    // The shop's number of the Dasher; the dropoff number can be called from the recipient's phone only.
    phone: textAt(fields, 'dasher_pickup_phone_number')?.replace(/\D/g, '') || null,
    vehicle_type: null,
    vehicle: vehicleOf(fields),
  };
}

function vehicleOf(fields: JsonFields): Vehicle | null {
  const make = textAt(fields, 'dasher_vehicle_make');
  const model = textAt(fields, 'dasher_vehicle_model');
  if (make === null && model === null) return null;
  return { type: 'car', make: make ?? '', model: model ?? '', color: '', license_plate: '' };
}

function proofsOf(fields: JsonFields): CourierProof[] {
  const photo = textAt(fields, 'dropoff_verification_image_url');
  const signature = textAt(fields, 'dropoff_signature_image_url');
  return [
    ...(photo === null ? [] : [{ type: 'photo' as const, url: photo }]),
    ...(signature === null ? [] : [{ type: 'signature' as const, url: signature }]),
  ];
}

const failures: Readonly<Record<string, FailureReason>> = {
  failed_to_deliver: 'courier_failed',
  failed_to_return: 'return_not_completed',
};

/** A delivery that was picked up fails; one that was not is canceled, by the merchant or by DoorDash. */
function statusOfCancellation(reason: string | null): DeliveryStatus {
  if (reason === 'cancelled_by_creator') return 'customer_canceled';
  return reason !== null && reason in failures ? 'failed' : 'provider_canceled';
}

function failureOf(code: string | null): Pick<CourierReport, 'reason' | 'failure_reason'> {
  if (code === null) return {};
  const failure_reason = failures[code];
  const reason = `DoorDash: ${code.replaceAll('_', ' ')}`;
  return failure_reason === undefined ? { reason } : { reason, failure_reason };
}

// Responses of DoorDash Drive, by its OpenAPI document of version 2.1.59.

const quote_life_ms = 5 * minute_ms;

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
    is_of_order: true,
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

export function isBooked(fields: JsonFields): boolean {
  const status = textAt(fields, 'delivery_status');
  return status !== null && status !== 'quote';
}

/** The fee with its tax, which is only charged in Canada. */
function costOf(fields: JsonFields): number | null {
  const fee = amountAt(fields, 'fee');
  return fee === null ? null : fee + (amountAt(fields, 'tax') ?? 0);
}

/** Reads an error. Throws where its effect is unknown. */
export function problemFrom({ status, body }: CourierHttpResponse): CourierProblem {
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
    const fault = toFields(entry);
    return { field: textAt(fault, 'field') ?? '', error: textAt(fault, 'error') ?? '' };
  });
}
