import { DatabaseSync } from 'node:sqlite';
import { type ColumnTypes, firstSchema } from '../../src/storage/migrations/first-schema.ts';
import { noon } from './records.ts';

/** A delivery record of version 1. */
export const record = {
  delivery_type: 'asap',
  quote_id: 'rq_1',
  pickup: {
    address: '43 E Ohio St, Chicago, IL 60611, USA',
    point: { lat: 41.9, lng: -87.6 },
    name: 'Éclair & Sœurs',
    phone: '13125550100',
    unit: '',
    notes: '',
    at: null,
    eta: noon + 600_000,
  },
  dropoff: {
    address: '233 S Wacker Dr, Chicago, IL 60606, USA',
    point: { lat: 41.8, lng: -87.6 },
    name: 'Zoë "Z" O\'Neil',
    phone: '13125550142',
    unit: '4',
    notes: '',
    at: null,
    eta: noon + 1_800_000,
  },
  items: [{ name: 'Brisket Classic', quantity: 4, size: 'small' }],
  items_description: '',
  order_value: 0,
  payment_amount: 853,
  tip: null,
  refunded_amount: 0,
  cancellation_reason: null,
  failure_reason: null,
  tracking_token: 'secret',
  status_history: [{ status: 'delivery_created', at: noon }],
};

export const failed = {
  ...record,
  refunded_amount: 853,
  failure_reason: 'refused',
  tracking_token: 'another',
  status_history: [...record.status_history, { status: 'failed', at: noon + 5 }],
};

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** The statements with which version 1 created a database and two deliveries, dlv_1 and dlv_2. */
export function version1Statements(types: ColumnTypes): string[] {
  const rows = [
    { id: 'dlv_1', status: 'delivery_created', record, updated_at: noon },
    { id: 'dlv_2', status: 'failed', record: failed, updated_at: noon + 5 },
  ];
  return [
    ...firstSchema(types),
    `insert into accounts (id, name, settings, created_at) values ('acct_a', 'Corner Shop', '{}', ${noon})`,
    ...rows.map(
      (row) => `insert into deliveries (id, account_id, test_mode, order_id, route_id, status, service,
        external_order_ref, pickup_phone, dropoff_phone, record, created_at, updated_at)
        values (${text(row.id)}, 'acct_a', 1, 'ord_1', 'rte_1', ${text(row.status)}, 'swiftly', '', '13125550100',
        '13125550142', ${text(JSON.stringify(row.record))}, ${noon}, ${row.updated_at})`,
    ),
  ];
}

/** Creates a SQLite file of a version. */
export function writeVersion(version: number, file: string, statements: readonly string[]): void {
  const database = new DatabaseSync(file);
  for (const statement of statements) database.exec(statement);
  database.exec(`pragma application_id = ${0x77617962}; pragma user_version = ${version}`);
  database.close();
}
