import type { Delivery } from '../contract/deliveries.ts';
import type { Item } from '../contract/orders.ts';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import type { DeliveryRow } from '../storage/database.ts';
import type { OrderEnd } from './order-request.ts';
import { instant, instantOrNull } from './times.ts';

/** One end of a delivery: what the order said, and when the courier is expected. */
export interface DeliveryEnd extends OrderEnd {
  eta: number;
}

/** What a delivery holds beside its columns. Amounts in cents, instants in milliseconds. */
export interface DeliveryRecord {
  delivery_type: Delivery['delivery_type'];
  quote_id: string;
  pickup: DeliveryEnd;
  dropoff: DeliveryEnd;
  items: Item[];
  items_description: string;
  order_value: number;
  payment_amount: number;
  tip: number | null;
  refunded_amount: number;
  cancellation_reason: string | null;
  failure_reason: string | null;
  tracking_token: string;
  status_history: { status: DeliveryStatus; at: number }[];
}

export function deliveryRecord(row: DeliveryRow): DeliveryRecord {
  return JSON.parse(row.record);
}

/** A delivery as the interface gives it (seed 2.4). Links begin with the service's public address. */
export function deliveryView(row: DeliveryRow, publicUrl: string): Delivery {
  const record = deliveryRecord(row);
  return {
    id: row.id,
    delivery_type: record.delivery_type,
    service: row.service,
    status: row.status,
    tracking_url: `${publicUrl}/track/${record.tracking_token}`,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
    cancellation_reason: record.cancellation_reason,
    failure_reason: record.failure_reason,
    external_order_ref: row.external_order_ref,
    order_id: row.order_id,
    route_id: row.route_id,
    order_value: record.order_value,
    quote_id: record.quote_id,
    store_id: null,
    test_mode: row.test_mode === 1,
    ...costs(record),
    ...ends(record),
    items_description: record.items_description,
    items: record.items,
    ...noDriver,
    status_history: record.status_history.map(({ status, at }) => ({ status, created_at: instant(at) })),
  };
}

function costs(record: DeliveryRecord) {
  return {
    currency: 'USD' as const,
    payment_amount: record.payment_amount,
    tip: record.tip,
    fee: record.payment_amount,
    upsell: null,
    subsidized: null,
    refunded_amount: record.refunded_amount,
  };
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

/** Null until a driver is assigned (seed 2.4). */
const noDriver = {
  courier_name: null,
  courier_img: null,
  courier_phone_number: null,
  courier_vehicle_type: null,
  courier_location_lat: null,
  courier_location_lng: null,
  vehicle: null,
  signature: null,
  proof_of_delivery: [],
};
