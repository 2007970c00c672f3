/** Deliveries as after years of operation, generated from their number; 0 is the oldest. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { drivenStatuses } from '../../src/domain/delivery-states.ts';
import { createSearchText } from '../../src/domain/search-text.ts';
import { columnsOf } from '../../src/service/deliveries/delivery-transitions.ts';
import type { DeliveryRecord } from '../../src/service/deliveries/delivery-view.ts';
import type { Connection, DeliveryRow, Scope } from '../../src/storage/database.ts';
import { insertDeliveries } from '../../src/storage/deliveries.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { ulidTime } from '../../src/storage/paging.ts';
import { insertSearchDocuments } from '../../src/storage/search.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';

export interface Many {
  scope: Scope;
  count: number;
  /** When the newest was created. */
  newest_at: number;
}

const minute = 60_000;
/** The number of active deliveries, always the newest. */
const underWay = 200;
const deliveriesOfCustomer = 5;
const names = [
  'Ada',
  'Ben',
  'Chloé',
  'Dana',
  'Emil',
  'Fatima',
  'Grace',
  'Hugo',
  'Ines',
  'Jan',
  'Kai',
  'Lena',
];
const streets = ['W Division St', 'N Clark St', 'S Wacker Dr', 'E Ohio St', 'W Madison St', 'N Wells St'];
const zips = ['60601', '60606', '60611', '60614', '60622', '60647'];
const couriers = ['swiftly', 'metrobike', 'parcelo', 'haulvan'];

/** Permutes numbers, so that neighbors in time are far apart in every other index. */
function scattered(number: number): number {
  return Math.imul(number + 1, 2_654_435_761) >>> 0;
}

function customerOf({ count }: Many, number: number): number {
  return scattered(number) % Math.ceil(count / deliveriesOfCustomer);
}

function createdAt({ count, newest_at }: Many, number: number): number {
  return newest_at - (count - 1 - number) * minute;
}

export function idOf(many: Many, number: number): string {
  return `dlv_${ulidTime(createdAt(many, number))}${String(number).padStart(16, '0')}`;
}

export function referenceOf(number: number): string {
  return `A-${scattered(number)}`;
}

export function phoneOf(many: Many, number: number): string {
  return `1312${2_000_000 + customerOf(many, number)}`;
}

/** The number and street of the dropoff. */
export function streetOf(number: number): string {
  const mixed = scattered(number);
  return `${1 + (mixed % 4_000)} ${streets[mixed % streets.length]}`;
}

export function dropoffNameOf(many: Many, number: number): string {
  const customer = customerOf(many, number);
  return `${names[customer % names.length]} ${scattered(customer).toString(36)} ${customer}`;
}

/** The record of a delivery with the courier's reports up to its status. */
function recordOf(many: Many, number: number): DeliveryRecord {
  const at = createdAt(many, number);
  const mixed = scattered(number);
  const isOpen = number >= many.count - underWay;
  const point = { lat: 41.88 + (mixed % 1_000) / 1e4, lng: -87.63 - (mixed % 777) / 1e4 };
  const statuses = ['delivery_created', ...drivenStatuses, 'delivered'] as const;
  const history = statuses.slice(0, isOpen ? 5 : undefined);
  return {
    ...{ delivery_type: 'asap', quote_id: `quo_${idOf(many, number).slice(4)}`, store_id: null },
    pickup: {
      ...{ address: `${1 + (mixed % 40)} E Ohio St, Chicago, IL 60611, USA`, point, unit: '' },
      ...{ name: `Pizza & Friends ${mixed % 40}`, phone: `1312555${1_000 + (mixed % 40)}` },
      ...{ notes: 'Ring at the back door', at: null, eta: at + 15 * minute },
    },
    dropoff: {
      ...{ address: `${streetOf(number)}, Chicago, IL ${zips[mixed % zips.length]}, USA`, point, unit: '4' },
      ...{ name: dropoffNameOf(many, number), phone: phoneOf(many, number) },
      ...{ notes: 'Leave it with the neighbour', at: null, eta: at + 45 * minute },
    },
    ...{ items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }], items_description: '' },
    ...{ order_value: 2_450, cost_of_delivery: 799, payment_amount: 853, tip: 300, fee: 853, upsell: null },
    ...{
      subsidized: null,
      refunded_amount: 0,
      cancellation_reason: null,
      failure_reason: null,
      failure_message: '',
    },
    ...{ dispute_reason: null, signature: null, reported_at: at, event_count: history.length },
    driver: {
      ...{ name: `Driver ${mixed % 900}`, image: `https://couriers.example/${mixed % 900}.jpg` },
      ...{ phone: '13125550177', vehicle_type: 'car' },
      vehicle: { type: 'car', make: 'Toyota', model: 'Prius', color: 'blue', license_plate: 'IL 1234' },
    },
    way: [0, 5, 15, 20, 40, 44].map((passed) => ({ ...point, at: at + passed * minute })),
    proof: isOpen ? [] : [{ type: 'photo', url: 'https://couriers.example/proof.jpg', at: at + 44 * minute }],
    status_history: history.map((status, place) => ({ status, at: at + 5 * place * minute })),
  };
}

function rowOf(many: Many, number: number): DeliveryRow {
  const record = recordOf(many, number);
  const changed = record.status_history.at(-1);
  const updated_at = changed?.at ?? 0;
  const status = changed?.status ?? 'request';
  const service = couriers[scattered(number) % couriers.length] ?? '';
  const promised_at = record.dropoff.eta;
  return {
    ...many.scope,
    id: idOf(many, number),
    order_id: `ord_${idOf(many, number).slice(4)}`,
    route_id: `rte_${idOf(many, number).slice(4)}`,
    status,
    service,
    external_order_ref: referenceOf(number),
    tracking_token: scattered(number).toString(16).padStart(32, '0'),
    ...columnsOf({ service, status, promised_at }, record),
    promised_at,
    ended_at: status === 'delivered' ? updated_at : null,
    record: JSON.stringify(record),
    erased_at: null,
    created_at: createdAt(many, number),
    updated_at,
  };
}

/** The search document of the delivery's order. */
function documentOf({ order_id, account_id, test_mode, external_order_ref, record }: DeliveryRow) {
  const content: DeliveryRecord = JSON.parse(record);
  const text = createSearchText({ ...content, id: order_id, external_order_ref });
  return { order_id, account_id, test_mode, text };
}

const rowsInTransaction = 50_000;

/** Inserts them into a SQLite file of the service; returns the seconds. */
export async function fillSqlite(file: string, many: Many): Promise<number> {
  const started = process.hrtime.bigint();
  const database = new DatabaseSync(file);
  // For filling only: these settings are unsafe for a database in use.
  database.exec('pragma cache_size = -2000000; pragma synchronous = off');
  const db = sqliteBuilder(database);
  await fill(many, rowsInTransaction, (work) => db.transaction().execute(work));
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  return secondsSince(started);
}

/**
 * Inserts them into a PostgreSQL database of the service; returns the seconds. The index of trigrams is created
 * afterwards, which takes less time.
 */
export async function fillPostgres(url: string, many: Many): Promise<number> {
  const started = process.hrtime.bigint();
  const index = 'search_documents_text';
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`select indexdef from pg_indexes where indexname = '${index}'`);
  await client.query(`drop index ${index}`);
  const storage = await openStorage(url);
  await fill(many, rowsInTransaction / 10, (work) => storage.transaction(work, 'read committed'));
  await storage.close();
  await client.query("set maintenance_work_mem = '1GB'");
  await client.query(rows[0].indexdef);
  // The server would do this by itself some minutes later.
  await client.query('vacuum analyze');
  await client.end();
  return secondsSince(started);
}

type Transaction = (work: (db: Connection) => Promise<void>) => Promise<void>;

async function fill(many: Many, rowsAtOnce: number, transaction: Transaction): Promise<void> {
  for (let number = 0; number < many.count; number += rowsAtOnce) {
    const count = Math.min(rowsAtOnce, many.count - number);
    const rows = Array.from({ length: count }, (_, place) => rowOf(many, number + place));
    await transaction(async (db) => {
      await insertDeliveries(db, rows);
      await insertSearchDocuments(db, rows.map(documentOf));
    });
  }
}

function secondsSince(started: bigint): number {
  return Number(process.hrtime.bigint() - started) / 1e9;
}
