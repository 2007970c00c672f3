/**
 * Finds, exports and erases the stored data of a driver, own or of a courier, by phone number. The records of deliveries and
 * their events name the driver, also after the own driver was removed: these are the drives (`drivesOf`). An erasure takes
 * the driver out of each order with a drive, then out of stored responses, and last deletes the own driver.
 */
import type { Delivery } from '../../contract/deliveries.ts';
import { type Erasure, eraseDriverRecords } from '../../domain/erasure.ts';
import { isSameName } from '../../domain/references.ts';
import { createSearchText, phoneDigits } from '../../domain/search-text.ts';
import type { Connection, DriverRow } from '../../storage/database.ts';
import { deleteDriver } from '../../storage/drivers.ts';
import {
  auditOfPerson,
  eraseAuditAddresses,
  findDeliveriesNaming,
  findDriversOfPhone,
  findOrdersOfDriver,
  findResponses,
  findResponsesNaming,
  forgetAsReceived,
  type KeptOfOrder,
  readKeptOfDriver,
  readKeptOfOrder,
  writeKeptOfOrder,
  writeResponses,
} from '../../storage/personal-data.ts';
import { driverNumbers, updateSearchDocument } from '../../storage/search.ts';
import type { Storage } from '../../storage/storage.ts';
import { type DeliveryRecord, deliveryRecord } from '../deliveries/delivery-view.ts';
import { deliveriesOfDriver } from '../fleet/driver-load.ts';
import type { RecordChange } from '../http/audit.ts';
import { searchedOf } from '../orders/search.ts';
import { type ErasedOrder, wordsOfDelivery } from './erase-orders.ts';
import { erasedJson } from './erased-rows.ts';
import { isFinished } from './people-in-orders.ts';

/** Selects drivers by phone number, in digits, and by name if several people have it. */
export interface DriverQuery {
  phone: string;
  name?: string;
}

function isNamed(name: string | null, wanted: string | undefined): boolean {
  return wanted === undefined || isSameName(name ?? '', wanted);
}

async function ownDrivers(db: Connection, { phone, name }: DriverQuery): Promise<DriverRow[]> {
  const drivers = await findDriversOfPhone(db, phone);
  return drivers.filter((driver) => isNamed(driver.name, name));
}

/** The result of erasing an own driver. */
export interface ErasedDriver {
  driver_id: string;
  /** The deliveries that the driver still has: nothing was erased because of them. */
  delivery_ids: string[];
  outcome: 'erased' | 'under_way';
}

/** A driver whom an erasure concerns. */
export interface PreviewedDriver {
  /** Null for a driver of a courier. */
  driver_id: string | null;
  name: string;
  delivery_ids: string[];
  end: 'driver';
  outcome: 'would_be_erased' | 'under_way';
}

/** Erases a driver: each order, the stored responses, and each own driver in a transaction of its own. */
export async function eraseDrivers(
  storage: Storage,
  person: DriverQuery,
  record: RecordChange,
): Promise<(ErasedOrder | ErasedDriver)[]> {
  const results: (ErasedOrder | ErasedDriver)[] = [];
  const drives = await storage.read((db) => drivesOf(db, person));
  for (const [order_id, ofOrder] of Map.groupBy(drives, (each) => each.order_id)) {
    const delivery_ids = ofOrder.map(({ delivery_id }) => delivery_id);
    const result = await storage.transaction(async (db): Promise<ErasedOrder | null> => {
      const kept = await readKeptOfOrder(db, order_id);
      if (kept === null) return null;
      if (!(await isFinished(db, kept))) return { order_id, delivery_ids, outcome: 'under_way' };
      await eraseFromOrder(db, kept, ofOrder);
      await record(db, { scope: kept.order, record_id: order_id });
      return { order_id, delivery_ids, outcome: 'erased' };
    });
    if (result !== null) results.push(result);
  }
  await storage.transaction((db) => eraseResponses(db, person.phone));
  for (const driver of await storage.read((db) => ownDrivers(db, person)))
    results.push(await storage.transaction((db) => eraseOwnDriver(db, driver, record)));
  return results;
}

/** The stored responses to requests that made or changed a driver. */
async function eraseResponses(db: Connection, phone: string): Promise<void> {
  const responses = await findResponsesNaming(db, phone);
  const erasedBody = (body: string) => JSON.stringify(eraseDriverRecords(JSON.parse(body), phone));
  const erased = responses.map((response) => ({ ...response, body: erasedBody(response.body) }));
  await writeResponses(db, erased);
}

async function eraseOwnDriver(
  db: Connection,
  driver: DriverRow,
  record: RecordChange,
): Promise<ErasedDriver> {
  const { id: driver_id } = driver;
  const open = await deliveriesOfDriver(db, driver);
  if (open.length > 0) return { driver_id, delivery_ids: open.map(({ id }) => id), outcome: 'under_way' };
  await deleteDriver(db, driver_id);
  await eraseAuditAddresses(db, { driver_id });
  await record(db, { scope: driver, record_id: driver_id });
  return { driver_id, delivery_ids: [], outcome: 'erased' };
}

/**
 * Erases the driver of some deliveries of an order from them, and from events, reports and stored responses. Earlier and
 * later drivers of the same deliveries stay.
 */
async function eraseFromOrder(db: Connection, kept: KeptOfOrder, drives: readonly Drive[]): Promise<void> {
  const delivery_ids = drives.map(({ delivery_id }) => delivery_id);
  const erasure: Erasure = { ends: [], drivers: true, ids: new Set(delivery_ids), texts: [] };
  const texts = drives.flatMap(({ driver: { name, phone } }) =>
    name === null ? [phone] : [phone, JSON.stringify(name)],
  );
  const isNaming = (json: string) => texts.some((text) => json.includes(text));
  const own = (json: string) => (isNaming(json) ? erasedJson(json, erasure, true) : json);
  /** Events and responses may hold records of other orders, too, which stay as they are. */
  const shared = (json: string) => (isNaming(json) ? erasedJson(json, erasure, false) : json);
  const deliveries = kept.deliveries.map((row) =>
    delivery_ids.includes(row.id) ? { ...row, record: own(row.record) } : row,
  );
  const reports = kept.reports.map((row) => ({ ...row, record: own(row.record) }));
  const events = kept.events.map((row) => ({ ...row, data: shared(row.data) }));
  const failed_tasks = kept.failed_tasks.map((row) => ({ ...row, payload: own(row.payload) }));
  await writeKeptOfOrder(db, kept, { ...kept, deliveries, reports, events, failed_tasks });
  const { id } = kept.order;
  const others = (await driverNumbers(db, id)).filter(
    (word) => !drives.some(({ driver }) => word === `d${driver.phone}`),
  );
  const added = [...deliveries.flatMap(wordsOfDelivery), ...kept.notes.map(({ note }) => note), ...others];
  const text = createSearchText(searchedOf(kept.order), added);
  await updateSearchDocument(db, { order_id: id, text });
  await forgetAsReceived(db, kept);
  const responses = await findResponses(db, kept);
  const erased_responses = responses.map((response) => ({ ...response, body: shared(response.body) }));
  await writeResponses(db, erased_responses);
  await eraseAuditAddresses(db, { record_ids: delivery_ids, actors: ['driver'] });
}

/** A delivery by the driver. */
interface Drive {
  delivery_id: string;
  order_id: string;
  driver: Pick<NonNullable<DeliveryRecord['driver']>, 'id' | 'name'> & { phone: string };
}

/** The drives of a driver, each delivery once. */
async function drivesOf(db: Connection, { phone, name }: DriverQuery): Promise<Drive[]> {
  const rows = await findDeliveriesNaming(db, phone);
  const drives = rows.flatMap((row): Drive[] => {
    const { driver } = deliveryRecord(row);
    return driver?.phone === phone
      ? [{ delivery_id: row.id, order_id: row.order_id, driver: { ...driver, phone } }]
      : [];
  });
  const all = [...drives, ...(await formerDrives(db, phone))];
  return all.filter(
    ({ delivery_id, driver }, index) =>
      isNamed(driver.name, name) && all.findIndex((each) => each.delivery_id === delivery_id) === index,
  );
}

/** The drives in events: a driver who gave a delivery to another one is no longer in its record. */
async function formerDrives(db: Connection, phone: string): Promise<Drive[]> {
  const drives: Drive[] = [];
  for (const order_id of await findOrdersOfDriver(db, phone)) {
    const { events = [] } = (await readKeptOfOrder(db, order_id)) ?? {};
    for (const event of events) {
      if (!event.data.includes(phone)) continue;
      const { id, courier_name = null, courier_phone_number }: Partial<Delivery> = JSON.parse(event.data);
      if (id !== undefined && phoneDigits(courier_phone_number ?? '') === phone)
        drives.push({ delivery_id: id, order_id, driver: { name: courier_name, phone } });
    }
  }
  return drives;
}

/** Whom an erasure would erase as drivers. Changes nothing. */
export async function previewDrivers(storage: Storage, person: DriverQuery): Promise<PreviewedDriver[]> {
  return storage.read(async (db) => {
    const people: PreviewedDriver[] = [];
    for (const { order_id, delivery_id, driver } of await drivesOf(db, person)) {
      const kept = await readKeptOfOrder(db, order_id);
      const outcome = kept !== null && (await isFinished(db, kept)) ? 'would_be_erased' : 'under_way';
      people.push({ ...previewOf(driver.id, driver.name), delivery_ids: [delivery_id], outcome });
    }
    for (const driver of await ownDrivers(db, person)) {
      const open = await deliveriesOfDriver(db, driver);
      const outcome = open.length > 0 ? 'under_way' : 'would_be_erased';
      people.push({ ...previewOf(driver.id, driver.name), delivery_ids: open.map(({ id }) => id), outcome });
    }
    return people;
  });
}

function previewOf(id: string | undefined, name: string | null) {
  return { driver_id: id ?? null, end: 'driver' as const, name: name ?? '' };
}

/** The stored data of a driver: the own ones with this phone number, and the deliveries by any driver with it. */
export async function exportDrivers(storage: Storage, person: DriverQuery) {
  return storage.read(async (db) => {
    const drivers: unknown[] = [];
    for (const { link_hash: _, ...driver } of await ownDrivers(db, person)) {
      const kept = await readKeptOfDriver(db, driver.id);
      drivers.push({ driver, ...kept, audit: await auditOfPerson(db, { driver_id: driver.id }) });
    }
    return { drivers, drives: await drivesOf(db, person) };
  });
}
