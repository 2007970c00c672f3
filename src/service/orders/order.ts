/** An order: its stored record, a new one, its form in the API, and why a request about it is refused. */
import { Problem } from '../../contract/errors.ts';
import type { Item, Order } from '../../contract/orders.ts';
import type { UndeliverableAction, VehicleType } from '../../contract/vocabulary.ts';
import { coordinateFields, type Place } from '../../domain/geography.ts';
import { normalizeReference } from '../../domain/references.ts';
import type { Simulation } from '../../domain/scenarios.ts';
import type { OrderRow } from '../../storage/database.ts';
import type { CallBase } from '../http/handler.ts';
import { instant, instantOrNull } from '../runtime/time.ts';

/** The pickup or dropoff of an order as stored: the address normalized, the phone number without its plus. */
export interface OrderEnd extends Place {
  name: string;
  phone: string;
  /** Absent without one; a pickup has none. */
  email?: string;
  unit: string;
  notes: string;
  /** The scheduled time; null for as soon as possible. */
  at: number | null;
}

/** The JSON part of an order's row. */
export interface OrderRecord {
  pickup: OrderEnd;
  dropoff: OrderEnd;
  /** The store of the pickup, if there is one. */
  store_id: string | null;
  items: Item[];
  items_description: string;
  order_value: number;
  tip: number | null;
  request_signature: boolean;
  request_contactless: boolean;
  vehicle: VehicleType | null;
  /** Absent for `return`. */
  undeliverable_action?: Exclude<UndeliverableAction, 'return'>;
  /** Whether a photo of the handover is wanted beside what the order asks for; absent if not. */
  photo_wanted?: boolean;
  simulation: Simulation;
}

export function orderRecord(row: OrderRow): OrderRecord {
  return JSON.parse(row.record);
}

/** The e-mail address of the recipient; no field without one. */
export function emailField({ email = '' }: Pick<OrderEnd, 'email'>): { dropoff_email?: string } {
  return email === '' ? {} : { dropoff_email: email };
}

/** Where an order goes from and to, as returned by the API. */
export function placeFields({ pickup, dropoff }: Record<'pickup' | 'dropoff', Omit<Place, 'address'>>) {
  const [from, to] = [coordinateFields(pickup), coordinateFields(dropoff)];
  return {
    pickup_latitude: from.latitude,
    pickup_longitude: from.longitude,
    pickup_precision: from.precision,
    dropoff_latitude: to.latitude,
    dropoff_longitude: to.longitude,
    dropoff_precision: to.precision,
  };
}

/** An order as returned by the API. */
export function orderView(row: OrderRow): Order {
  const { pickup, dropoff, store_id, simulation: _, photo_wanted: __, ...record } = orderRecord(row);
  return {
    id: row.id,
    object: 'order',
    status: row.status,
    batch_id: row.batch_id,
    route_id: row.route_id,
    delivery_id: row.delivery_id,
    pickup_address: pickup.address,
    pickup_name: pickup.name,
    pickup_phone_number: pickup.phone,
    pickup_unit: pickup.unit,
    pickup_notes: pickup.notes,
    pickup_at: instantOrNull(pickup.at),
    pickup_store_id: store_id ?? null,
    dropoff_address: dropoff.address,
    dropoff_name: dropoff.name,
    dropoff_phone_number: dropoff.phone,
    ...emailField(dropoff),
    dropoff_unit: dropoff.unit,
    dropoff_notes: dropoff.notes,
    dropoff_at: instantOrNull(dropoff.at),
    ...placeFields({ pickup, dropoff }),
    ...record,
    tip: record.tip ?? 0,
    vehicle: record.vehicle ?? '',
    undeliverable_action: record.undeliverable_action ?? 'return',
    external_order_ref: row.external_order_ref,
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}

export function orderNotFound(order_id: string): Problem {
  return new Problem('record_not_found', `There is no order ${order_id}.`);
}

export function orderNotOpen(order: OrderRow): Problem {
  const { id, status, route_id, delivery_id } = order;
  const holder = status === 'routed' ? (route_id ?? delivery_id) : null;
  const related_ids = holder === null ? [id] : [id, holder];
  return new Problem('order_not_open', `Order ${id} is ${status}${whereOf(order)}.`, [], { related_ids });
}

function whereOf({ status, route_id, delivery_id }: OrderRow): string {
  if (status !== 'routed') return '';
  return route_id === null
    ? ` for delivery ${delivery_id}, which is not initiated yet`
    : ` in route ${route_id}`;
}

/** Whether an order has a delivery that is not initiated yet, which holds it as a draft route would. */
export function hasStoredDelivery({ status, route_id }: OrderRow): boolean {
  return status === 'routed' && route_id === null;
}

export function newOrder(
  { caller, now }: CallBase,
  order: { id: string; ref: string; record: OrderRecord },
): OrderRow {
  return {
    id: order.id,
    ...caller.scope,
    status: 'open',
    route_id: null,
    delivery_id: null,
    batch_id: null,
    external_order_ref: normalizeReference(order.ref),
    record: JSON.stringify(order.record),
    erased_at: null,
    created_at: now,
    updated_at: now,
  };
}
