import { type Fault, Problem } from '../../contract/errors.ts';
import type { OrderRequest } from '../../contract/orders.ts';
import { findStore } from '../../storage/stores.ts';
import type { CallBase } from '../http/handler.ts';
import { simulationFor } from '../http/simulation-header.ts';
import { placeReading, throwFaults } from '../stores/read-place.ts';
import { type StoreRecord, storeRecord } from '../stores/store-handlers.ts';
import { type OrderRecord, type ReadOrder, readOrder } from './order-request.ts';

/** The order of a request with one order; `at` is its path. Throws like `ordersOf`. */
export async function orderOf(call: CallBase, request: OrderRequest, at: string): Promise<OrderRecord> {
  const [record] = await ordersOf(call, [request], { at: () => at });
  if (record === undefined) throw new Error('an order was read as none');
  return record;
}

/**
 * A request's orders, normalized, each with its scenario; `at` is the path of an order in the request. Throws
 * `invalid_request` and `address_not_geocodable` with all errors of all orders, `record_not_found` for an unknown
 * store, and what `simulationFor` throws.
 */
export async function ordersOf(
  call: CallBase,
  requests: readonly OrderRequest[],
  { at = (index) => `orders[${index}]`, before = [] }: Place = {},
): Promise<OrderRecord[]> {
  const { tip_limit } = call.caller.settings;
  const reading = { ...(await placeReading(call)), tip_limit };
  const storeNamed = storesOf(call);
  const read: ReadOrder[] = [];
  const unknownStores: Fault[] = [];
  for (const [index, request] of requests.entries()) {
    const { pickup_store_id: id } = request;
    const found = id === undefined ? null : await storeNamed(id);
    const path = at(index) === '' ? 'pickup_store_id' : `${at(index)}.pickup_store_id`;
    if (found === undefined) unknownStores.push({ path, message: `There is no store ${id}` });
    read.push(
      readOrder(request, at(index), { ...reading, store: found ?? (id === undefined ? null : noStore) }),
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

/** A record without its IDs and times. */
export function contentOf({ pickup, dropoff, store_id: _, ...record }: ReadOrder['record']): object {
  return { ...record, pickup: { ...pickup, at: null }, dropoff: { ...dropoff, at: null } };
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

/** The paths of the orders in their request, and errors found before. */
interface Place {
  at?: (index: number) => string;
  before?: readonly Fault[];
}

/** Replaces an unknown store, so that the rest of its order is still validated. */
const noStore: StoreRecord = {
  ...{ address: '', point: { lat: 0, lng: 0 }, name: '', phone: '', unit: '', notes: '' },
  ...{ support_phone: '', logo: '' },
};

/** Loads each store of a request once; undefined if it does not exist. */
function storesOf({ service, caller }: CallBase): (id: string) => Promise<StoreRecord | undefined> {
  const known = new Map<string, StoreRecord | undefined>();
  return async (id) => {
    if (!known.has(id)) {
      const row = await service.storage.read((db) => findStore(db, caller.scope, id));
      known.set(id, row === undefined ? undefined : storeRecord(row));
    }
    return known.get(id);
  };
}
