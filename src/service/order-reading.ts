import { type Fault, Problem } from '../contract/errors.ts';
import type { OrderRequest } from '../contract/orders.ts';
import { findStore } from '../storage/stores.ts';
import type { CallBase } from './endpoint.ts';
import { type OrderRecord, type Reading, type ReadOrder, readOrder } from './order-request.ts';
import { simulationFor } from './simulation.ts';
import { type StoreRecord, storeRecord } from './store-view.ts';

/** What reading places and phones needs; the table of the world's phone numbers is loaded only where it is used. */
export async function readingOf({ service, now }: CallBase): Promise<Omit<Reading, 'store'>> {
  const { normalizePhone } = await import('../domain/phones.ts');
  return { now, zips: await service.zips(), normalizePhone };
}

/** The order of a request that has one; `at` says where it stands in it. Throws as `ordersOf`. */
export async function orderOf(call: CallBase, request: OrderRequest, at: string): Promise<OrderRecord> {
  const [record] = await ordersOf(call, [request], () => at);
  if (record === undefined) throw new Error('an order was read as none');
  return record;
}

/**
 * A request's orders, normalized, with the fate chosen for each; `at` says where one stands in its request. Throws
 * `invalid_request` and `address_not_geocodable` with every fault of every order, `record_not_found` for an unknown
 * store, and what `simulationFor` throws.
 */
export async function ordersOf(
  call: CallBase,
  requests: readonly OrderRequest[],
  at: (index: number) => string = (index) => `orders[${index}]`,
): Promise<OrderRecord[]> {
  const reading = await readingOf(call);
  const stores = new Map<string, StoreRecord>();
  const read: ReadOrder[] = [];
  for (const [index, request] of requests.entries()) {
    const { pickup_store_id: id } = request;
    const store = id === undefined ? null : (stores.get(id) ?? (await storeOf(call, id)));
    if (id !== undefined && store !== null) stores.set(id, store);
    read.push(readOrder(request, at(index), { ...reading, store }));
  }
  refuse(
    read.flatMap(({ faults }) => faults),
    read.flatMap(({ unplaced }) => unplaced),
  );
  const records: OrderRecord[] = [];
  for (const [index, { record }] of read.entries()) {
    records.push({ ...record, simulation: await simulationFor(call, record.dropoff.phone, at(index)) });
  }
  return records;
}

/** The caller's saved pickup place. Throws `record_not_found`. */
export async function storeOf(
  { service, caller }: CallBase,
  store_id: string | undefined,
): Promise<StoreRecord | null> {
  if (store_id === undefined) return null;
  const row = await service.storage.run((db) => findStore(db, caller.scope, store_id));
  if (row === undefined) throw new Problem('record_not_found', `There is no store ${store_id}.`);
  return storeRecord(row);
}

/** Throws where there is a fault: all of them at once. */
export function refuse(faults: readonly Fault[], unplaced: readonly Fault[]): void {
  const all = [...faults, ...unplaced];
  if (faults.length > 0) throw new Problem('invalid_request', 'The body breaks the contract.', all);
  if (unplaced.length === 0) return;
  throw new Problem('address_not_geocodable', 'An address has no usable ZIP code.', all);
}
