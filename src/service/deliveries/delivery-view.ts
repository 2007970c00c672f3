/** Reads the stored record of a delivery, and converts it to the record of version 1 of the API. */
import type { Delivery, DeliveryNames } from '../../contract/deliveries.ts';
import type { Item } from '../../contract/orders.ts';
import type {
  CoarsePrecision,
  DeliveryStatus,
  DisputeOutcome,
  FailureReason,
  ProofType,
} from '../../contract/vocabulary.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import { etaPrecision } from '../../domain/estimates.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { positionAt, readPrecision, type Waypoint } from '../../domain/geography.ts';
import { isPinLocked } from '../../domain/order-rules.ts';
import type { Driver } from '../../providers/port.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import type { StoredDetails } from '../events/event-log.ts';
import { type CallBase, readPublicUrl } from '../http/handler.ts';
import { emailField, type OrderEnd } from '../orders/order.ts';
import { instant, instantOrNull } from '../runtime/time.ts';

/** The pickup or dropoff of a delivery: the fields of the order, and the courier's ETA. */
interface DeliveryEnd extends OrderEnd {
  eta: number;
}

/** Times of the facts that reports contain beside the status. */
export type FactTimes = Partial<Record<'driver' | 'eta' | 'pin' | 'signature', number>>;

/** The JSON part of a delivery's row. Amounts in cents, times in milliseconds. */
export interface DeliveryRecord {
  delivery_type: Delivery['delivery_type'];
  quote_id: string;
  pickup: DeliveryEnd;
  dropoff: DeliveryEnd;
  items: Item[];
  items_description: string;
  order_value: number;
  store_id: string | null;
  /** This delivery's share of the provider's cost; fees are percentages of it. */
  cost_of_delivery: number;
  payment_amount: number;
  tip: number | null;
  fee: number;
  upsell: number | null;
  subsidized: number | null;
  /** The most that its price could be when it was requested; absent without a limit. */
  max_cost?: number;
  refunded_amount: number;
  cancellation_reason: string | null;
  /** Set if the order was closed with it, so that it is not retried; absent if not. */
  closes_order?: true;
  failure_reason: FailureReason | null;
  /** Empty without a failure. */
  failure_message: string;
  /** When auto dispatch tries the order again after this delivery failed; absent if no other attempt was planned. */
  next_attempt_at?: number;
  dispute_reason: string | null;
  /** Absent without a resolved dispute. */
  dispute_outcome?: DisputeOutcome;
  /** The ETA of the dropoff in the last event; absent if it has not moved since. */
  announced_eta?: number | undefined;
  /** Null before the first driver and after `driver_not_assigned`. */
  driver: Driver | null;
  /** The driver's path, from which the position is computed; it may extend into the future. */
  way: readonly Waypoint[];
  /** `source` is the courier's link of a copied picture. */
  proof: { type: ProofType; url: string; at: number; source?: string }[];
  signature: { name: string; image_url: string; at: number } | null;
  /** Why an own driver took no photo; absent without a reason. */
  no_photo_reason?: string;
  /** Whether it was handed over with a wrong PIN that could not be checked at the door; absent if not. */
  pin_unverified?: boolean;
  /** The PIN that the recipient gives the driver; absent without one. */
  pin?: string;
  /** The number of wrong PINs since the merchant lifted a lock; absent without one. */
  wrong_pins?: number;
  status_history: { status: DeliveryStatus; at: number }[];
  /** When the latest report that changed the status occurred; 0 before the first. */
  reported_at: number;
  /** When the latest report of each fact occurred, if it did not change the status as well. */
  fact_times?: FactTimes;
  event_count: number;
}

export function deliveryRecord(row: Pick<DeliveryRow, 'record'>): DeliveryRecord {
  return JSON.parse(row.record);
}

/** How coarse the places are that the expected times of a delivery rest on. */
export function findEtaPrecision(
  row: Pick<DeliveryRow, 'service' | 'status'>,
  { pickup, dropoff }: Pick<DeliveryRecord, 'pickup' | 'dropoff'>,
): CoarsePrecision | null {
  return etaPrecision(row, { pickup: readPrecision(pickup), dropoff: readPrecision(dropoff) });
}

/** The details of a delivery, as events store them. */
export function storedDetails(row: DeliveryRow, record: DeliveryRecord): StoredDetails {
  const eta_precision = findEtaPrecision(row, record);
  const { dropoff, dispute_outcome, next_attempt_at, closes_order, pin_unverified, no_photo_reason } = record;
  return {
    ...emailField(dropoff),
    ...(eta_precision === null ? {} : { eta_precision }),
    ...withoutAbsent({ dispute_outcome, next_attempt_at, closes_order }),
    ...(isPinLocked(record) && { pin_locked: true }),
    ...withoutAbsent({ pin_unverified, no_photo_reason }),
  };
}

/** The context of a view: links start with the public URL, positions are those at `now`. */
export interface Viewpoint {
  publicUrl: string;
  /** Service time in milliseconds. */
  now: number;
}

export function createViewpoint(call: CallBase): Viewpoint {
  return { publicUrl: readPublicUrl(call), now: call.now };
}

/** The version 1 record of a delivery. */
export function deliveryView(row: DeliveryRow, { publicUrl, now }: Viewpoint): Delivery {
  const record = deliveryRecord(row);
  return {
    id: row.id,
    delivery_type: record.delivery_type,
    service: row.service,
    status: row.status,
    tracking_url: hasErasedEnd(record) ? '' : `${publicUrl}/track/${row.tracking_token}`,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    cancellation_reason: record.cancellation_reason,
    failure_reason: record.failure_reason,
    failure_message: record.failure_message,
    dispute_reason: record.dispute_reason,
    external_order_ref: row.external_order_ref,
    order_id: row.order_id,
    route_id: row.route_id === '' ? null : row.route_id,
    order_value: record.order_value,
    quote_id: record.quote_id,
    store_id: record.store_id,
    test_mode: row.test_mode === 1,
    ...costs(record),
    ...ends(record),
    items_description: record.items_description,
    items: record.items,
    ...driverFields(record, Math.min(now, row.ended_at ?? now)),
    handover_pin: record.pin ?? null,
    signature: signatureOf(record),
    proof_of_delivery: record.proof.map(({ type, url, at }) => ({ type, url, created_at: instant(at) })),
    status_history: record.status_history.map(({ status, at }) => ({ status, created_at: instant(at) })),
  };
}

function costs(record: DeliveryRecord) {
  const { payment_amount, tip, fee, upsell, subsidized, refunded_amount } = record;
  return { currency: 'USD' as const, payment_amount, tip, fee, upsell, subsidized, refunded_amount };
}

function ends({ pickup, dropoff }: DeliveryRecord) {
  return {
    pickup_at: instantOrNull(pickup.at),
    pickup_address: pickup.address,
    pickup_eta: instant(pickup.eta),
    pickup_name: pickup.name,
    pickup_notes: pickup.notes,
    pickup_phone_number: pickup.phone,
    pickup_unit: pickup.unit,
    dropoffs: [
      {
        dropoff_at: instantOrNull(dropoff.at),
        dropoff_address: dropoff.address,
        dropoff_eta: instant(dropoff.eta),
        dropoff_name: dropoff.name,
        dropoff_notes: dropoff.notes,
        dropoff_phone_number: dropoff.phone,
        dropoff_unit: dropoff.unit,
      },
    ],
  };
}

/** Null until a driver is assigned. */
function driverFields({ driver, way }: DeliveryRecord, at: number) {
  const position = driver === null ? null : positionAt(way, at);
  return {
    courier_name: driver?.name ?? null,
    courier_img: driver?.image ?? null,
    courier_phone_number: driver?.phone ?? null,
    courier_vehicle_type: driver?.vehicle_type ?? null,
    courier_location_lat: position?.lat ?? null,
    courier_location_lng: position?.lng ?? null,
    vehicle: driver?.vehicle ?? null,
  };
}

/** When the courier last reported anything, the position of the driver included; null before. */
export function lastReportAt(
  { reported_at, fact_times = {}, driver, way }: DeliveryRecord,
  at: number,
): string | null {
  const isSeen = driver !== null && (way[0]?.at ?? at + 1) <= at;
  const seen_at = isSeen ? Math.min(at, way.at(-1)?.at ?? 0) : 0;
  return instantOrNull(Math.max(reported_at, seen_at, ...Object.values(fact_times)) || null);
}

function signatureOf({ signature }: DeliveryRecord) {
  if (signature === null) return null;
  const { name, image_url, at } = signature;
  return { name, image_url, signed_at: instant(at) };
}

/** What tells a delivery apart in the lists of its disputes and notes. */
export function namesOf(row: DeliveryRow | undefined): DeliveryNames {
  const record = row && deliveryRecord(row);
  return {
    external_order_ref: row?.external_order_ref ?? '',
    dropoff_name: record?.dropoff.name ?? '',
    store_name: row?.store_id ? (record?.pickup.name ?? null) : null,
  };
}
