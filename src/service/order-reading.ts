import { type Fault, Problem } from '../contract/errors.ts';
import type { OrderRequest } from '../contract/orders.ts';
import { findStore } from '../storage/stores.ts';
import type { CallBase } from './endpoint.ts';
import { type OrderRecord, type Reading, readOrder } from './order-request.ts';
import { simulationFor } from './simulation.ts';
import { type StoreRecord, storeRecord } from './store-view.ts';

/** What reading places and phones needs; the table of the world's phone numbers is loaded only where it is used. */
export async function readingOf({ service, now }: CallBase): Promise<Omit<Reading, 'store'>> {
  const { normalizePhone } = await import('../domain/phones.ts');
  return { now, zips: await service.zips(), normalizePhone };
}

/**
 * A request's order, normalized, with the fate chosen for it; `at` says where it stands in its request. Throws
 * `invalid_request` and `address_not_geocodable` with every fault, `record_not_found` for an unknown store, and
 * what `simulationFor` throws.
 */
export async function orderOf(call: CallBase, request: OrderRequest, at: string): Promise<OrderRecord> {
  const store = await storeOf(call, request.pickup_store_id);
  const { record, faults, unplaced } = readOrder(request, at, { ...(await readingOf(call)), store });
  refuse(faults, unplaced);
  return { ...record, simulation: simulationFor(call, record.dropoff.phone) };
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
