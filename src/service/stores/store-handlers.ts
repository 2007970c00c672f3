/** Saved pickup locations. Orders copy them, so that a change concerns new orders alone. */
import { type Fault, Problem } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import type {
  createStore,
  deleteStore,
  getStore,
  listStores,
  Store,
  updateStore,
} from '../../contract/places.ts';
import { coordinateFields, pairFaults } from '../../domain/geography.ts';
import { withoutMetadata } from '../../domain/pictures.ts';
import type { Connection, StoreRow } from '../../storage/database.ts';
import {
  deleteStore as deleteRow,
  findStore,
  insertStore,
  listStores as listRows,
  updateStore as updateRow,
} from '../../storage/places.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { findPlaces, placed, request_timeout_ms } from '../places/find-places.ts';
import { availableProviders, unknownProviderText } from '../runtime/courier-connections.ts';
import { instant, instantOrNull } from '../runtime/time.ts';
import {
  type PlaceReading,
  placeReading,
  readName,
  readPhoneDigits,
  readPlace,
  readPlaceContact,
  throwFaults,
} from './places.ts';
import { blankStore, type StoreRecord, storeRecord } from './store-record.ts';

export const addStore: Handler<typeof createStore> = async (call) => {
  const { caller, body, now, id, commit } = call;
  await requireKnownProviders(call, body.providers);
  const fields = await findStorePlace(call, readFields(await placeReading(call), body, blankStore));
  const record = JSON.stringify({ ...blankStore, ...fields });
  const row: StoreRow = { id: id('str'), ...caller.scope, record, created_at: now, updated_at: now };
  return commit(async (transaction) => {
    await insertStore(transaction, row);
    return storeView(row, now);
  });
};

export const pageOfStores: Handler<typeof listStores> = async ({ service, caller, query, now }) => {
  const wanted = { ...caller.scope, ...pageRequest(query, 'str') };
  const page = await service.storage.read((db) => listRows(db, wanted));
  return toPage(page, (row) => storeView(row, now));
};

export const readStore: Handler<typeof getStore> = async (call) =>
  storeView(await call.service.storage.read((db) => rowOf(db, call, call.params.store_id)), call.now);

/** Changes only the given fields. */
export const changeStore: Handler<typeof updateStore> = async (call) => {
  const { body, params, now, commit } = call;
  await requireKnownProviders(call, body.providers);
  const reading = await placeReading(call);
  const found = storeRecord(await call.service.storage.read((db) => rowOf(db, call, params.store_id)));
  const { coordinates } = await findStorePlace(call, readFields(reading, body, found));
  return commit(async (transaction) => {
    const before = await rowOf(transaction, call, params.store_id);
    // Read again: notes and address may have been changed meanwhile.
    const known = storeRecord(before);
    const change = { ...readFields(reading, body, known), ...(body.address && { coordinates }) };
    const record = JSON.stringify({ ...known, ...change });
    const row = { ...before, record, updated_at: now };
    await updateRow(transaction, { id: row.id, record, updated_at: now });
    return storeView(row, now);
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

/**
 * Parses the given fields like those of an order. Throws `invalid_request` and `address_not_geocodable`, with all
 * errors.
 */
function readFields(
  { readPhone, ...reading }: PlaceReading,
  given: BodyOf<typeof updateStore>,
  before: StoreRecord,
): Partial<StoreRecord> {
  const { address, latitude, longitude, phone_number, support_phone_number: support, ...rest } = given;
  const { paused_until, ...plain } = rest;
  const faults: Fault[] = pairFaults({ latitude, longitude }, '');
  const unplaced: Fault[] = [];
  const line = address ?? before.address;
  const isMoved = address !== undefined || latitude !== undefined;
  const place = isMoved ? readPlace(reading, { line, at: '', faults, unplaced, latitude, longitude }) : {};
  const contact =
    phone_number === undefined
      ? {}
      : readPlaceContact(readPhone, {
          text: phone_number,
          notes: plain.notes ?? before.notes,
          path: 'phone_number',
          faults,
        });
  const support_phone = support && readPhoneDigits(readPhone, support, 'support_phone_number', faults);
  if (plain.logo && !isLogo(plain.logo)) faults.push({ path: 'logo', message: logoFaultText });
  throwFaults({ read: [{ faults, unplaced }] });
  const name = plain.name === undefined ? {} : { name: readName(plain.name) };
  // The tracking page shows it to everybody.
  const logo = plain.logo?.replace(/(?<=^data:[^,]*,).*/i, (picture) => withoutMetadata(picture));
  return {
    ...plain,
    ...name,
    ...(logo !== undefined && { logo }),
    ...place,
    ...contact,
    ...(support_phone !== undefined && { support_phone }),
    ...(paused_until !== undefined && {
      paused_until: Date.parse(paused_until),
    }),
  };
}

/** Such as `data:image/png;base64,iVBORw0=`. */
const data_image = /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[a-z0-9+/]+={0,2}$/i;

/** Whether a page can show the logo without a script or an insecure request. */
export function isLogo(text: string): boolean {
  if (data_image.test(text)) return true;
  const url = URL.parse(text);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' && text.length <= 2000;
}

const logoFaultText =
  'must be an https URL of at most 2,000 characters, or a data URL of a PNG, JPEG, GIF, WebP or SVG image in base64';

/** The changes with the coordinates of their address, if it has none and the geocoder finds it in time. */
async function findStorePlace(
  { service }: CallBase,
  change: Partial<StoreRecord>,
): Promise<Partial<StoreRecord>> {
  const { address, point, coordinates } = change;
  if (address === undefined || point === undefined || coordinates !== undefined) return change;
  const findings = await findPlaces(service, [address], { timeout_ms: request_timeout_ms });
  return { ...change, ...placed({ address, point, coordinates }, findings) };
}

/** Throws `invalid_request` for a provider that the account does not have. */
async function requireKnownProviders(
  { service, caller }: CallBase,
  given: readonly string[] | undefined,
): Promise<void> {
  if (given === undefined || given.length === 0) return;
  const known = await service.storage.read((db) => availableProviders(service, db, caller.scope));
  const names = known.map(({ name }) => name);
  const faults = given.flatMap((name, index) =>
    names.includes(name) ? [] : [{ path: `providers[${index}]`, message: unknownProviderText(name, names) }],
  );
  throwFaults({ read: [{ faults, unplaced: [] }] });
}

/** A store as returned by the API at a time. */
function storeView(row: StoreRow, now: number): Store {
  const { name, phone, unit, notes, support_phone, logo, kind, undeliverable_action, ...rest } =
    storeRecord(row);
  const { paused_until = 0, providers = [], ...place } = rest;
  return {
    id: row.id,
    object: 'store',
    name,
    address: place.address,
    ...coordinateFields(place),
    phone_number: phone,
    unit,
    notes,
    support_phone_number: support_phone,
    undeliverable_action: undeliverable_action ?? 'return',
    logo,
    kind,
    paused_until: instantOrNull(paused_until > now ? paused_until : null),
    providers: [...providers],
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
