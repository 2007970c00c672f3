import type { Delivery, Vehicle } from '../../contract/deliveries.ts';
import type { Item } from '../../contract/orders.ts';
import type { DeliveryStatus, DisputeOutcome, FailureReason, ProofType } from '../../contract/vocabulary.ts';
import type { Waypoint } from '../../domain/positions.ts';
import {
  type EndValues,
  endOf,
  endValues,
  type ItemValues,
  itemOf,
  itemValues,
  type Rare,
  rareFields,
} from '../orders/order-json.ts';
import type { OrderEnd } from '../orders/order-request.ts';

/** The pickup or dropoff of a delivery: the fields of the order, and the courier's ETA. */
export interface DeliveryEnd extends OrderEnd {
  eta: number;
}

/** The driver of the delivery, as reported by the provider. */
export interface DeliveryDriver {
  name: string | null;
  image: string | null;
  phone: string | null;
  vehicle_type: string | null;
  vehicle: Vehicle | null;
}

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
  refunded_amount: number;
  cancellation_reason: string | null;
  failure_reason: FailureReason | null;
  /** Empty without a failure. */
  failure_message: string;
  dispute_reason: string | null;
  /** Absent without a resolved dispute. */
  dispute_outcome?: DisputeOutcome;
  /** Null before the first driver and after `driver_not_assigned`. */
  driver: DeliveryDriver | null;
  /** The driver's path, from which the position is computed; it may extend into the future. */
  way: readonly Waypoint[];
  /** `source` is the courier's link of a copied picture. */
  proof: { type: ProofType; url: string; at: number; source?: string }[];
  signature: { name: string; image_url: string; at: number } | null;
  /** The PIN that the recipient tells the driver; absent without one. */
  pin?: string;
  status_history: { status: DeliveryStatus; at: number }[];
  /** When the latest report that changed the status occurred; 0 before the first. */
  reported_at: number;
  /** The number of its numbered events. */
  event_count: number;
}

// See `order-json.ts`.

type VehicleValues = [type: string, make: string, model: string, color: string, license_plate: string];

type DriverValues = [
  ...[name: string | null, image: string | null, phone: string | null, vehicle_type: string | null],
  vehicle: VehicleValues | null,
];

type WaypointValues = [lat: number, lng: number, at: number];

type DeliveryValues = [
  delivery_type: DeliveryRecord['delivery_type'],
  quote_id: string,
  pickup: EndValues,
  pickup_eta: number,
  dropoff: EndValues,
  dropoff_eta: number,
  items: ItemValues[],
  items_description: string,
  order_value: number,
  store_id: string | null,
  cost_of_delivery: number,
  payment_amount: number,
  tip: number | null,
  fee: number,
  upsell: number | null,
  subsidized: number | null,
  refunded_amount: number,
  cancellation_reason: string | null,
  failure_reason: DeliveryRecord['failure_reason'],
  failure_message: string,
  dispute_reason: string | null,
  driver: DriverValues | null,
  way: WaypointValues[],
  proof: DeliveryRecord['proof'],
  signature: DeliveryRecord['signature'],
  status_history: [status: DeliveryRecord['status_history'][number]['status'], at: number][],
  reported_at: number,
  event_count: number,
  ...Rare<Pick<DeliveryRecord, 'dispute_outcome' | 'pin'>>,
];

/** The JSON that is stored of a delivery's record. */
export function deliveryJson(record: DeliveryRecord): string {
  const { delivery_type, quote_id, pickup, dropoff, items, items_description, ...prices } = record;
  const { order_value, store_id, cost_of_delivery, payment_amount, tip, fee, ...later } = prices;
  const { upsell, subsidized, refunded_amount, cancellation_reason, ...outcome } = later;
  const { failure_reason, failure_message, dispute_reason, driver, way, ...handover } = outcome;
  const { proof, signature, status_history, reported_at, event_count, ...rare } = handover;
  const { eta: pickup_eta, ...pickup_end } = pickup;
  const { eta: dropoff_eta, ...dropoff_end } = dropoff;
  const values: DeliveryValues = [
    delivery_type,
    quote_id,
    endValues(pickup_end),
    pickup_eta,
    endValues(dropoff_end),
    dropoff_eta,
    items.map(itemValues),
    items_description,
    order_value,
    store_id,
    cost_of_delivery,
    payment_amount,
    tip,
    fee,
    upsell,
    subsidized,
    refunded_amount,
    cancellation_reason,
    failure_reason,
    failure_message,
    dispute_reason,
    driver === null ? null : driverValues(driver),
    way.map(({ lat, lng, at }) => [lat, lng, at]),
    proof,
    signature,
    status_history.map(({ status, at }) => [status, at]),
    reported_at,
    event_count,
    ...rareFields(rare),
  ];
  return JSON.stringify(values);
}

/** The record of a delivery from its stored JSON. */
export function readDeliveryJson(json: string): DeliveryRecord {
  if (!json.startsWith('[')) return JSON.parse(json);
  const values: DeliveryValues = JSON.parse(json);
  return {
    delivery_type: values[0],
    quote_id: values[1],
    pickup: deliveryEnd(values[2], values[3]),
    dropoff: deliveryEnd(values[4], values[5]),
    items: values[6].map(itemOf),
    items_description: values[7],
    order_value: values[8],
    store_id: values[9],
    cost_of_delivery: values[10],
    payment_amount: values[11],
    tip: values[12],
    fee: values[13],
    upsell: values[14],
    subsidized: values[15],
    refunded_amount: values[16],
    cancellation_reason: values[17],
    failure_reason: values[18],
    failure_message: values[19],
    dispute_reason: values[20],
    driver: values[21] === null ? null : driverOf(values[21]),
    way: values[22].map(waypointOf),
    proof: values[23],
    signature: values[24],
    status_history: values[25].map(([status, at]) => ({ status, at })),
    reported_at: values[26],
    event_count: values[27],
    ...values[28],
  };
}

function deliveryEnd(values: EndValues, eta: number): DeliveryEnd {
  return { ...endOf(values), eta };
}

function waypointOf([lat, lng, at]: WaypointValues): Waypoint {
  return { lat, lng, at };
}

function driverValues({ name, image, phone, vehicle_type, vehicle }: DeliveryDriver): DriverValues {
  return [name, image, phone, vehicle_type, vehicle === null ? null : vehicleValues(vehicle)];
}

function driverOf([name, image, phone, vehicle_type, vehicle]: DriverValues): DeliveryDriver {
  return { name, image, phone, vehicle_type, vehicle: vehicle === null ? null : vehicleOf(vehicle) };
}

function vehicleValues({ type, make, model, color, license_plate }: Vehicle): VehicleValues {
  return [type, make, model, color, license_plate];
}

function vehicleOf([type, make, model, color, license_plate]: VehicleValues): Vehicle {
  return { type, make, model, color, license_plate };
}
