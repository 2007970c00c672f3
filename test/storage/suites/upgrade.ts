import { expect, test } from 'vitest';
import { deliveryById, listDeliveries } from '../../../src/storage/deliveries.ts';
import { type ColumnTypes, firstSchema } from '../../../src/storage/migrations/first-schema.ts';
import { openStorage } from '../../../src/storage/storage.ts';
import { noon, scope } from '../records.ts';

/** What version 1 kept of a delivery. */
const record = {
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

const failed = {
  ...record,
  refunded_amount: 853,
  failure_reason: 'refused',
  tracking_token: 'another',
  status_history: [...record.status_history, { status: 'failed', at: noon + 5 }],
};

const text = (value: string) => `'${value.replaceAll("'", "''")}'`;

/** The statements with which version 1 made a database and two deliveries in it. */
function madeByVersion1(types: ColumnTypes): string[] {
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

/** Proves that an engine's database made by version 1 is brought up to date, with what is in it. */
export function upgradeSuite(
  types: ColumnTypes,
  /** Makes a database of version 1 by statements, and tells where it is. */
  newDatabase: (statements: readonly string[]) => Promise<string>,
): void {
  test('a database of version 1 is brought up to date when it is opened, and its deliveries with it', async () => {
    const location = await newDatabase(madeByVersion1(types));
    await (await openStorage(location)).close();
    const storage = await openStorage(location);
    const found = await storage.first(deliveryById, 'dlv_1', 'acct_a', 1);
    expect(found).toMatchObject({
      tracking_token: 'secret',
      pickup_name: 'éclair & sœurs',
      dropoff_name: 'zoë "z" o\'neil',
      pickup_place: '43 e ohio st, chicago, il 60611, usa',
      dropoff_place: '233 s wacker dr, chicago, il 60606, usa',
      dropoff_eta: noon + 1_800_000,
      ended_at: null,
    });
    expect(JSON.parse(found?.record ?? '')).toEqual({ ...record, ...untold });
    const other = await storage.first(deliveryById, 'dlv_2', 'acct_a', 1);
    expect(other).toMatchObject({ tracking_token: 'another', ended_at: noon + 5 });
    expect(JSON.parse(other?.record ?? '')).toEqual({ ...failed, ...untold });
    const list = async (filter: object) => {
      const page = await storage.run((db) => listDeliveries(db, { ...scope, limit: 9, ...filter }));
      return page.rows.map(({ id }) => id);
    };
    expect(await list({ starts_with: 'ÉCLAIR' })).toEqual(['dlv_2', 'dlv_1']);
    expect(await list({ late_at: noon + 3_600_000 })).toEqual(['dlv_1']);
    await storage.close();
  });
}

/** What a delivery of now has beside that. */
const untold = {
  store_id: null,
  cost_of_delivery: 853,
  fee: 853,
  upsell: null,
  subsidized: null,
  dispute_reason: null,
  driver: null,
  way: [],
  proof: [],
  signature: null,
  reported_at: 0,
  event_count: 0,
};
