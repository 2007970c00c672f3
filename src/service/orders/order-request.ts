/** Reads the orders of a request: they are checked together, normalized, and given the coordinates that are known. */
import { type Fault, Problem } from '../../contract/errors.ts';
import type { Item, OrderRequest } from '../../contract/orders.ts';
import type { ItemSize } from '../../contract/vocabulary.ts';
import { conflictsIn, itemSize, sizeNames, timeFault } from '../../domain/order-rules.ts';
import { findStore } from '../../storage/places.ts';
import type { CallBase } from '../http/handler.ts';
import { simulationFor } from '../http/simulation-header.ts';
import { parseInstant } from '../runtime/time.ts';
import {
  type PlaceReading,
  placeReading,
  readPlace,
  readPlaceContact,
  throwFaults,
} from '../stores/places.ts';
import { blankStore, type StoreRecord, storeRecord } from '../stores/store-record.ts';
import type { OrderEnd, OrderRecord } from './order.ts';
import { type PlacedOrders, placeByStoredAnswers, placeOrder } from './order-places.ts';

/** The paths of the orders in their request, and errors found before. */
interface ReadOptions {
  at?: (index: number) => string;
  before?: readonly Fault[];
}

/**
 * The orders of a request with the coordinates that are known; a single one waits for the geocoder. Throws like
 * `normalizeOrders`.
 */
export async function readOrders(
  call: CallBase,
  requests: readonly OrderRequest[],
  options?: ReadOptions,
): Promise<PlacedOrders> {
  const records = await normalizeOrders(call, requests, options);
  const [first] = records;
  if (first === undefined || records.length > 1) return placeByStoredAnswers(call.service, records);
  return { records: [await placeOrder(call.service, first)], missing: [] };
}

/** The order of a request with one order; `at` is its path. Throws like `normalizeOrders`. */
export async function readOrder(call: CallBase, request: OrderRequest, at: string): Promise<OrderRecord> {
  const [record] = (await readOrders(call, [request], { at: () => at })).records;
  if (record === undefined) throw new Error('the request has no order');
  return record;
}

interface NormalizedOrder {
  record: Omit<OrderRecord, 'simulation'>;
  /** Errors that the schema cannot express. */
  faults: Fault[];
  /** Addresses that could not be located. */
  unplaced: Fault[];
}

/**
 * A request's orders, normalized, each with its scenario; `at` is the path of an order in the request. Throws
 * `invalid_request` and `address_not_geocodable` with all errors of all orders, `record_not_found` for an unknown
 * store, and what `simulationFor` throws.
 */
async function normalizeOrders(
  call: CallBase,
  requests: readonly OrderRequest[],
  { at = (index) => `orders[${index}]`, before = [] }: ReadOptions = {},
): Promise<OrderRecord[]> {
  const { tip_limit } = call.caller.settings;
  const reading = { ...(await placeReading(call)), tip_limit };
  const loadStore = storeLoader(call);
  const read: NormalizedOrder[] = [];
  const unknownStores: Fault[] = [];
  for (const [index, request] of requests.entries()) {
    const { pickup_store_id: id } = request;
    const found = id === undefined ? null : await loadStore(id);
    const path = at(index) === '' ? 'pickup_store_id' : `${at(index)}.pickup_store_id`;
    if (found === undefined) unknownStores.push({ path, message: `There is no store ${id}` });
    read.push(
      normalizeOrder(request, at(index), {
        ...reading,
        store: found ?? (id === undefined ? null : blankStore),
      }),
    );
  }
  throwFaults({ before, read, unknownStores });
  const records: OrderRecord[] = [];
  for (const [index, { record }] of read.entries()) {
    const { external_order_ref = '' } = requests[index] ?? {};
    const content = [external_order_ref, contentOf(record)];
    const simulated = { dropoff_phone: record.dropoff.phone, at: at(index), content };
    records.push({ ...record, simulation: await simulationFor(call, simulated) });
  }
  return records;
}

/** Loads each store of a request once; undefined if it does not exist. */
function storeLoader({ service, caller }: CallBase): (id: string) => Promise<StoreRecord | undefined> {
  const known = new Map<string, StoreRecord | undefined>();
  return async (id) => {
    if (!known.has(id)) {
      const row = await service.storage.read((db) => findStore(db, caller.scope, id));
      known.set(id, row === undefined ? undefined : storeRecord(row));
    }
    return known.get(id);
  };
}

/** The context of reading an order. */
interface Reading extends PlaceReading {
  /** The store that the request names. */
  store: StoreRecord | null;
  /** The limit that the account has set, in cents. */
  tip_limit: number | null;
}

/** Normalizes an order and collects all errors; `at` is its path in the request. */
function normalizeOrder(order: OrderRequest, at: string, reading: Reading): NormalizedOrder {
  const { now, readPhone, store, tip_limit } = reading;
  const faults: Fault[] = [];
  const unplaced: Fault[] = [];
  const path = (field: string) => (at === '' ? field : `${at}.${field}`);
  const end = (kind: 'pickup' | 'dropoff'): OrderEnd => ({
    ...readPlace(reading, {
      line: order[`${kind}_address`] ?? '',
      at: path(`${kind}_`),
      faults,
      unplaced,
      latitude: order[`${kind}_latitude`],
      longitude: order[`${kind}_longitude`],
    }),
    name: order[`${kind}_name`] ?? '',
    ...readPlaceContact(readPhone, {
      text: order[`${kind}_phone_number`] ?? '',
      notes: order[`${kind}_notes`] ?? '',
      path: path(`${kind}_phone_number`),
      faults,
    }),
    unit: order[`${kind}_unit`] ?? '',
    at: readTime(order[`${kind}_at`], path(`${kind}_at`), now, faults),
  });
  const pickup = () => {
    if (store === null) return end('pickup');
    const { support_phone, logo, kind, undeliverable_action, paused_until, providers, ...place } = store;
    return { ...place, at: readTime(order.pickup_at, path('pickup_at'), now, faults) };
  };
  const record = {
    pickup: pickup(),
    dropoff: { ...end('dropoff'), ...emailOf(order.dropoff_email) },
    store_id: order.pickup_store_id ?? null,
    items: storedItems(order.items),
    items_description: order.items_description ?? '',
    order_value: order.order_value ?? 0,
    tip: order.tip ?? null,
    request_signature: order.request_signature ?? false,
    request_contactless: order.request_contactless ?? false,
    vehicle: order.vehicle ?? null,
    ...undeliverableOf(order, store),
  };
  faults.push(...conflictsIn(order, tip_limit).map((fault) => ({ ...fault, path: path(fault.path) })));
  return { record, faults, unplaced };
}

/** The action of the order, otherwise of its store. An order with a signature does not take `leave_at_door` of a store. */
function undeliverableOf(
  { undeliverable_action: given, request_signature }: OrderRequest,
  store: StoreRecord | null,
): Pick<OrderRecord, 'undeliverable_action'> {
  const action = given ?? store?.undeliverable_action ?? 'return';
  const isExcluded = action === 'leave_at_door' && request_signature === true;
  return action === 'return' || isExcluded ? {} : { undeliverable_action: action };
}

/** The e-mail address of a contact; empty text means none. */
function emailOf(email = ''): Pick<OrderEnd, 'email'> {
  return email === '' ? {} : { email };
}

export function readTime(
  text: string | undefined,
  path: string,
  now: number,
  faults: Fault[],
): number | null {
  const at = parseInstant(text);
  if (at === undefined) return null;
  const message = timeFault(at, now);
  if (message !== null) faults.push({ path, message });
  return at;
}

/** Items as stored; the default quantity is one. */
export function storedItems(items: OrderRequest['items'] = []): Item[] {
  return items.map(({ name, quantity = 1, size }) => ({ name, quantity, size: itemSize(size) ?? 'small' }));
}

/** The largest item size of some orders; a description without items counts as one small item. */
export function largestSize(records: readonly { items: readonly Item[] }[]): ItemSize {
  const ranks = records.flatMap(({ items }) => items.map((item) => sizeNames.indexOf(item.size)));
  return sizeNames[Math.max(0, ...ranks)] ?? 'small';
}

/** A record without its IDs, times and coordinates: what simulated couriers decide by. */
export function contentOf({ pickup, dropoff, store_id: _, ...record }: NormalizedOrder['record']): object {
  const without = { at: null, coordinates: undefined };
  return { ...record, pickup: { ...pickup, ...without }, dropoff: { ...dropoff, ...without } };
}

/** The caller's store. Throws `record_not_found`. */
export async function storeOf(
  { service, caller }: CallBase,
  store_id: string | undefined,
): Promise<StoreRecord | null> {
  if (store_id === undefined) return null;
  const row = await service.storage.read((db) => findStore(db, caller.scope, store_id));
  if (row === undefined) throw new Problem('record_not_found', `There is no store ${store_id}.`);
  return storeRecord(row);
}
