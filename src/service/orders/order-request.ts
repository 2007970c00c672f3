/** The orders of a request: they are checked, and their addresses are found at once or by a task. */
import { type Fault, Problem } from '../../contract/errors.ts';
import type { Item, OrderRequest } from '../../contract/orders.ts';
import type { ItemSize } from '../../contract/vocabulary.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import { conflictsIn, itemSize, sizeNames, timeFault } from '../../domain/order-rules.ts';
import type { OrderRow } from '../../storage/database.ts';
import { loadOrder, lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { findStore } from '../../storage/places.ts';
import { insertTasks, type NewTask } from '../../storage/tasks.ts';
import type { CallBase } from '../http/handler.ts';
import { simulationFor } from '../http/simulation-header.ts';
import {
  type Findings,
  findPlaces,
  keyOf,
  knownPlaces,
  placed,
  request_timeout_ms,
} from '../places/find-places.ts';
import type { ServiceContext, SharedContext, Task, TaskKind } from '../runtime/context.ts';
import { parseInstant } from '../runtime/time.ts';
import {
  type PlaceReading,
  phoneOf,
  placeOf,
  placeReading,
  type StoreRecord,
  storeRecord,
  throwFaults,
} from '../stores/store-handlers.ts';
import { type OrderEnd, type OrderRecord, orderRecord } from './order-view.ts';

interface ReadOrders {
  records: OrderRecord[];
  /** By the index of an order, the addresses that are still to be looked up. */
  missing: string[][];
}

/** The paths of the orders in their request, and errors found before. */
interface ReadOptions {
  at?: (index: number) => string;
  before?: readonly Fault[];
}

/**
 * The orders of a request with the coordinates that are known; a single one waits for the geocoder. Throws like
 * `ordersOf`.
 */
export async function readOrders(
  call: CallBase,
  requests: readonly OrderRequest[],
  options?: ReadOptions,
): Promise<ReadOrders> {
  const { service } = call;
  const records = await ordersOf(call, requests, options);
  const [first] = records;
  if (first !== undefined && records.length === 1) {
    return { records: [await placeOrder(service, first)], missing: [] };
  }
  if (service.geocoder === null) return { records, missing: [] };
  const findings = await knownPlaces(service, records.flatMap(addressesToFind));
  const missingIn = (record: OrderRecord) =>
    addressesToFind(record).filter((address) => !findings.has(keyOf(address)));
  return { records: records.map((record) => withPlaces(record, findings)), missing: records.map(missingIn) };
}

/** The order of a request with one order; `at` is its path. Throws like `ordersOf`. */
export async function orderOf(call: CallBase, request: OrderRequest, at: string): Promise<OrderRecord> {
  const [record] = (await readOrders(call, [request], { at: () => at })).records;
  if (record === undefined) throw new Error('the request has no order');
  return record;
}

/** The order with the coordinates that the geocoder finds in time. */
export async function placeOrder(service: SharedContext, record: OrderRecord): Promise<OrderRecord> {
  const findings = await findPlaces(service, addressesToFind(record), { timeout_ms: request_timeout_ms });
  return withPlaces(record, findings);
}

/** The addresses that are not known better than by their ZIP code. */
function addressesToFind({ pickup, dropoff }: OrderRecord): string[] {
  return [pickup, dropoff].flatMap(({ address, coordinates }) =>
    coordinates === undefined ? [address] : [],
  );
}

function withPlaces(record: OrderRecord, findings: Findings): OrderRecord {
  const { pickup, dropoff } = record;
  return { ...record, pickup: placed(pickup, findings), dropoff: placed(dropoff, findings) };
}

/**
 * A request's orders, normalized, each with its scenario; `at` is the path of an order in the request. Throws
 * `invalid_request` and `address_not_geocodable` with all errors of all orders, `record_not_found` for an unknown
 * store, and what `simulationFor` throws.
 */
async function ordersOf(
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
      normalizeOrder(request, at(index), { ...reading, store: found ?? (id === undefined ? null : noStore) }),
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

/** Replaces an unknown store, so that the rest of its order is still validated. */
const noStore: StoreRecord = {
  address: '',
  point: { lat: 0, lng: 0 },
  name: '',
  phone: '',
  unit: '',
  notes: '',
  support_phone: '',
  logo: '',
};

interface NormalizedOrder {
  record: Omit<OrderRecord, 'simulation'>;
  /** Errors that the schema cannot express. */
  faults: Fault[];
  /** Addresses that could not be located. */
  unplaced: Fault[];
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
  const { now, locate, phones, store, tip_limit } = reading;
  const faults: Fault[] = [];
  const unplaced: Fault[] = [];
  const path = (field: string) => (at === '' ? field : `${at}.${field}`);
  const end = (kind: 'pickup' | 'dropoff'): OrderEnd => ({
    ...placeOf(locate, {
      line: order[`${kind}_address`] ?? '',
      at: path(`${kind}_`),
      faults,
      unplaced,
      latitude: order[`${kind}_latitude`],
      longitude: order[`${kind}_longitude`],
    }),
    name: order[`${kind}_name`] ?? '',
    phone: phoneOf(phones, order[`${kind}_phone_number`] ?? '', path(`${kind}_phone_number`), faults),
    unit: order[`${kind}_unit`] ?? '',
    notes: order[`${kind}_notes`] ?? '',
    at: timeOf(order[`${kind}_at`], path(`${kind}_at`), now, faults),
  });
  const pickup = () => {
    if (store === null) return end('pickup');
    const { support_phone, logo, undeliverable_action, ...place } = store;
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

interface PlacePayload {
  /** The first attempt of auto dispatch, which begins once the places are known. */
  attempt: NewTask | null;
}

/**
 * Tasks that find the places of new orders before their first attempt, at the rate at which the geocoder may be asked.
 * An order without missing places has its attempt at once.
 */
export function placeTasks(
  { service, caller, now, id }: Pick<CallBase, 'service' | 'caller' | 'now' | 'id'>,
  orders: readonly OrderRow[],
  missing: ReadOrders['missing'],
  attemptOf: (order: OrderRow) => NewTask | null = () => null,
): NewTask[] {
  const interval_ms = service.geocoder?.interval_ms ?? 0;
  const asked = new Set<string>();
  const { test_mode } = caller.scope;
  return orders.flatMap((order, index): NewTask[] => {
    const attempt = attemptOf(order);
    const addresses = missing[index] ?? [];
    if (addresses.length === 0) return attempt === null ? [] : [attempt];
    const due_at = now + Math.floor(asked.size * interval_ms);
    for (const address of addresses) asked.add(keyOf(address));
    const payload: PlacePayload = { attempt };
    return [
      {
        id: id('tsk', 'place', order.id),
        test_mode,
        kind: 'place.find',
        subject: order.id,
        due_at,
        payload: JSON.stringify(payload),
      },
    ];
  });
}

/** Finds the places of an order. If the geocoder does not answer, it goes on with the centre of the ZIP code. */
export const placeTask: TaskKind = { run: findPlacesOfOrder };

/** How long the task waits for the geocoder: a task counts as hung after 12 seconds. */
const task_timeout_ms = 9_000;

async function findPlacesOfOrder(service: ServiceContext, task: Task): Promise<void> {
  const { attempt }: PlacePayload = JSON.parse(task.row.payload);
  const found = await service.storage.read((db) => loadOrder(db, task.row.subject));
  const addresses = found === undefined ? [] : addressesToFind(orderRecord(found));
  const lookup = { timeout_ms: task_timeout_ms, is_low_priority: true };
  const findings = await findPlaces(service, addresses, lookup);
  await service.storage.transaction(async (db) => {
    await task.finish(db);
    const order = await lockOrder(db, task.row.subject);
    if (order === undefined) return;
    const record = orderRecord(order);
    if (!hasErasedEnd(record)) {
      const change = { record: JSON.stringify(withPlaces(record, findings)) };
      const { id, status, updated_at: now } = order;
      await setOrderStatus(db, { id, from: status, to: status, now, change });
    }
    if (attempt !== null) await insertTasks(db, [{ ...attempt, due_at: task.now }]);
  }, 'read committed');
}
