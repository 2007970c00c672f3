import type { Fault } from '../../contract/errors.ts';
import type { Item, OrderRequest } from '../../contract/orders.ts';
import type { ItemSize, VehicleType } from '../../contract/vocabulary.ts';
import type { Point } from '../../domain/geography.ts';
import { conflictsIn, itemSize, sizeNames, timeFault } from '../../domain/order-rules.ts';
import type { Simulation } from '../../domain/scenarios.ts';
import { parseInstant } from '../runtime/time.ts';
import { type PlaceReading, phoneOf, placeOf } from '../stores/read-place.ts';
import type { StoreRecord } from '../stores/store-handlers.ts';

/** The pickup or dropoff of an order as stored: the address normalized, the phone number without its plus. */
export interface OrderEnd {
  address: string;
  point: Point;
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
  simulation: Simulation;
}

export interface ReadOrder {
  record: Omit<OrderRecord, 'simulation'>;
  /** Errors that the schema cannot express. */
  faults: Fault[];
  /** Addresses that could not be located. */
  unplaced: Fault[];
}

/** The context of reading an order. */
export interface Reading extends PlaceReading {
  /** The store that the request names. */
  store: StoreRecord | null;
  /** The limit that the account has set, in cents. */
  tip_limit: number | null;
}

/** Normalizes an order and collects all errors; `at` is its path in the request. */
export function readOrder(order: OrderRequest, at: string, reading: Reading): ReadOrder {
  const { now, locate, phones, store, tip_limit } = reading;
  const faults: Fault[] = [];
  const unplaced: Fault[] = [];
  const path = (field: string) => (at === '' ? field : `${at}.${field}`);
  const end = (kind: 'pickup' | 'dropoff'): OrderEnd => ({
    ...placeOf(order[`${kind}_address`] ?? '', path(`${kind}_address`), locate, unplaced),
    name: order[`${kind}_name`] ?? '',
    phone: phoneOf(phones, order[`${kind}_phone_number`] ?? '', path(`${kind}_phone_number`), faults),
    unit: order[`${kind}_unit`] ?? '',
    notes: order[`${kind}_notes`] ?? '',
    at: timeOf(order[`${kind}_at`], path(`${kind}_at`), now, faults),
  });
  const pickup = () => {
    if (store === null) return end('pickup');
    const { support_phone: _, logo: __, ...place } = store;
    return { ...place, at: timeOf(order.pickup_at, path('pickup_at'), now, faults) };
  };
  const record = {
    pickup: pickup(),
    dropoff: { ...end('dropoff'), ...emailOf(order.dropoff_email) },
    store_id: order.pickup_store_id ?? null,
    items: itemsOf(order.items),
    items_description: order.items_description ?? '',
    order_value: order.order_value ?? 0,
    tip: order.tip ?? null,
    request_signature: order.request_signature ?? false,
    request_contactless: order.request_contactless ?? false,
    vehicle: order.vehicle ?? null,
  };
  faults.push(...conflictsIn(order, tip_limit).map((fault) => ({ ...fault, path: path(fault.path) })));
  return { record, faults, unplaced };
}

/** The e-mail address of a contact; empty text means none. */
function emailOf(email = ''): Pick<OrderEnd, 'email'> {
  return email === '' ? {} : { email };
}

export function timeOf(text: string | undefined, path: string, now: number, faults: Fault[]): number | null {
  const at = parseInstant(text);
  if (at === undefined) return null;
  const message = timeFault(at, now);
  if (message !== null) faults.push({ path, message });
  return at;
}

/** Items as stored; the default quantity is one. */
export function itemsOf(items: OrderRequest['items'] = []): Item[] {
  return items.map(({ name, quantity = 1, size }) => ({ name, quantity, size: itemSize(size) ?? 'small' }));
}

/** The largest item size of some orders; a description without items counts as one small item. */
export function largestSize(records: readonly { items: readonly Item[] }[]): ItemSize {
  const ranks = records.flatMap(({ items }) => items.map((item) => sizeNames.indexOf(item.size)));
  return sizeNames[Math.max(0, ...ranks)] ?? 'small';
}
