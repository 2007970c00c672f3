import type { Fault } from '../contract/errors.ts';
import type { Item, OrderRequest } from '../contract/orders.ts';
import type { ItemSize, VehicleType } from '../contract/vocabulary.ts';
import { normalizeAddress } from '../domain/addresses.ts';
import type { Point } from '../domain/geography.ts';
import { addressRule, conflictsIn, phoneRule, timeFault } from '../domain/order-rules.ts';
import type { Simulation } from '../domain/scenarios.ts';
import { findCentroid } from '../domain/zips.ts';
import type { StoreRecord } from './store-view.ts';
import { parseInstant } from './times.ts';

/** One end of an order as it is stored: the address normalized, the phone without its plus. */
export interface OrderEnd {
  address: string;
  point: Point;
  name: string;
  phone: string;
  unit: string;
  notes: string;
  /** The agreed time at this end; null where it is as soon as possible. */
  at: number | null;
}

/** What an order holds beside its columns. */
export interface OrderRecord {
  pickup: OrderEnd;
  dropoff: OrderEnd;
  /** The saved place of the pickup, if it came from one. */
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
  /** Broken rules of the contract that a schema cannot say. */
  faults: Fault[];
  /** Addresses without a usable ZIP code. */
  unplaced: Fault[];
}

const nowhere: Point = { lat: 0, lng: 0 };

/** What reading an order needs beside it. */
export interface Reading {
  now: number;
  zips: Uint8Array;
  normalizePhone: (text: string) => string | null;
  /** The saved pickup place that the request names. */
  store: StoreRecord | null;
}

/** Normalizes an order, collecting every fault; `at` says where it stands in its request. */
export function readOrder(order: OrderRequest, at: string, reading: Reading): ReadOrder {
  const { now, zips, normalizePhone, store } = reading;
  const faults: Fault[] = [];
  const unplaced: Fault[] = [];
  const path = (field: string) => (at === '' ? field : `${at}.${field}`);
  const end = (kind: 'pickup' | 'dropoff'): OrderEnd => ({
    ...placeOf(order[`${kind}_address`] ?? '', path(`${kind}_address`), zips, unplaced),
    name: order[`${kind}_name`] ?? '',
    phone: phoneOf(normalizePhone, order[`${kind}_phone_number`] ?? '', path(`${kind}_phone_number`), faults),
    unit: order[`${kind}_unit`] ?? '',
    notes: order[`${kind}_notes`] ?? '',
    at: timeOf(order[`${kind}_at`], path(`${kind}_at`), now, faults),
  });
  const pickup = () => {
    if (store === null) return end('pickup');
    return { ...store, at: timeOf(order.pickup_at, path('pickup_at'), now, faults) };
  };
  const record = {
    pickup: pickup(),
    dropoff: end('dropoff'),
    store_id: order.pickup_store_id ?? null,
    items: (order.items ?? []).map((item) => ({ ...item, size: item.size ?? 'small' })),
    items_description: order.items_description ?? '',
    order_value: order.order_value ?? 0,
    tip: order.tip ?? null,
    request_signature: order.request_signature ?? false,
    request_contactless: order.request_contactless ?? false,
    vehicle: order.vehicle ?? null,
  };
  faults.push(...conflictsIn(order).map(({ path: field, message }) => ({ path: path(field), message })));
  return { record, faults, unplaced };
}

export function placeOf(line: string, path: string, zips: Uint8Array, unplaced: Fault[]) {
  const normal = normalizeAddress(line);
  const point = normal === null ? null : findCentroid(zips, normal.zip);
  if (normal !== null && point !== null) return { address: normal.address, point };
  const message = normal === null ? addressRule : `has a ZIP code that is not known: ${normal.zip}`;
  unplaced.push({ path, message });
  return { address: line, point: nowhere };
}

export function phoneOf(
  normalizePhone: Reading['normalizePhone'],
  text: string,
  path: string,
  faults: Fault[],
): string {
  const phone = normalizePhone(text);
  if (phone !== null) return phone;
  faults.push({ path, message: phoneRule });
  return text;
}

export function timeOf(text: string | undefined, path: string, now: number, faults: Fault[]): number | null {
  const at = parseInstant(text);
  if (at === undefined) return null;
  const message = timeFault(at, now);
  if (message !== null) faults.push({ path, message });
  return at;
}

const sizes: readonly ItemSize[] = ['small', 'medium', 'large', 'extra_large'];

/** The largest size among the items of orders; a description alone counts as one small item. */
export function largestSize(records: readonly { items: readonly Item[] }[]): ItemSize {
  const ranks = records.flatMap(({ items }) => items.map((item) => sizes.indexOf(item.size)));
  return sizes[Math.max(0, ...ranks)] ?? 'small';
}
