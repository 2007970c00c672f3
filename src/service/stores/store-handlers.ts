import { type Fault, Problem } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type { createStore, deleteStore, getStore, listStores, updateStore } from '../../contract/stores.ts';
import type { Connection, StoreRow } from '../../storage/database.ts';
import {
  deleteStore as deleteRow,
  findStore,
  insertStore,
  listStores as listRows,
  updateStore as updateRow,
} from '../../storage/stores.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { isLogo, logo_fault } from './logo.ts';
import { phoneOf, placeOf, placeReading, throwFaults } from './read-place.ts';
import { type StoreRecord, storeRecord, storeView } from './store-view.ts';

export const addStore: Handler<typeof createStore> = async (call) => {
  const { caller, body, now, id, commit } = call;
  const record = JSON.stringify({ ...blank, ...(await read(call, body)) });
  const row: StoreRow = { id: id('str'), ...caller.scope, record, created_at: now, updated_at: now };
  return commit(async (transaction) => {
    await insertStore(transaction, row);
    return storeView(row);
  });
};

export const pageOfStores: Handler<typeof listStores> = async ({ service, caller, query }) => {
  const wanted = { ...caller.scope, ...pageRequest(query, 'str') };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return pageOf(page, storeView);
};

export const readStore: Handler<typeof getStore> = async (call) =>
  storeView(await call.service.storage.read((db) => rowOf(db, call, call.params.store_id)));

/** Changes only the given fields. */
export const changeStore: Handler<typeof updateStore> = async (call) => {
  const { body, params, now, commit } = call;
  const change = await read(call, body);
  return commit(async (transaction) => {
    const before = await rowOf(transaction, call, params.store_id);
    const record = JSON.stringify({ ...storeRecord(before), ...change });
    const row = { ...before, record, updated_at: now };
    await updateRow(transaction, { id: row.id, record, updated_at: now });
    return storeView(row);
  });
};

/** Orders and deliveries have their own copy of the address. */
export const dropStore: Handler<typeof deleteStore> = async (call) =>
  call.commit(async (transaction) => {
    const { id } = await rowOf(transaction, call, call.params.store_id);
    await deleteRow(transaction, id);
    return { id, object: 'store', deleted: true };
  });

/** The row of a caller's store. Throws `record_not_found`. */
async function rowOf(db: Connection, { caller }: CallBase, store_id: string): Promise<StoreRow> {
  const row = await findStore(db, caller.scope, store_id);
  if (row === undefined) throw new Problem('record_not_found', `There is no store ${store_id}.`);
  return row;
}

const blank: StoreRecord = {
  name: '',
  address: '',
  point: { lat: 0, lng: 0 },
  phone: '',
  unit: '',
  notes: '',
  support_phone: '',
  logo: '',
};

/**
 * Parses the given fields like those of an order. Throws `invalid_request` and `address_not_geocodable`, with all
 * errors.
 */
async function read(call: CallBase, given: BodyOf<typeof updateStore>): Promise<Partial<StoreRecord>> {
  const { address, phone_number, support_phone_number: support, ...plain } = given;
  const { locate, phones } = await placeReading(call);
  const faults: Fault[] = [];
  const unplaced: Fault[] = [];
  const place = address === undefined ? {} : placeOf(address, 'address', locate, unplaced);
  const phone =
    phone_number === undefined ? {} : { phone: phoneOf(phones, phone_number, 'phone_number', faults) };
  const support_phone = support && phoneOf(phones, support, 'support_phone_number', faults);
  if (plain.logo && !isLogo(plain.logo)) faults.push({ path: 'logo', message: logo_fault });
  throwFaults({ read: [{ faults, unplaced }] });
  return { ...plain, ...place, ...phone, ...(support_phone !== undefined && { support_phone }) };
}
