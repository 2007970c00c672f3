import { expect, test } from 'vitest';
import { createOrderCheck } from '../../../../../src/cli/commands/orders/import/check-file.ts';
import { readGazetteer } from '../../../../../src/service/runtime/gazetteer.ts';
import { orderAt } from './made-up-orders.ts';

const now = Date.parse('2026-03-02T10:00:00.000Z');
const check = createOrderCheck({ now });

test.each([
  [{ dropoff_name: undefined }, 'dropoff_name is required'],
  [{ colour: 'red' }, 'colour is not a field of this request'],
  [{ tip: 42.5 }, 'tip must be a whole number; it is whole cents, 1250 for $12.50'],
  [{ dropoff_phone_number: '3125550101' }, 'dropoff_phone_number must be in international format'],
  [
    { pickup_phone_number: '+1312' },
    'pickup_phone_number has too few digits for a phone number of its country',
  ],
  [
    { dropoff_address: '233 S Wacker Dr' },
    'dropoff_address must have a ZIP code, or a street, city and state',
  ],
  [{ dropoff_name: 'x'.repeat(201) }, 'dropoff_name must not have more than 200 characters'],
  [{ items: [{ name: 'a', quantity: 0 }] }, 'items[0].quantity must be >= 1'],
  [{ items_description: undefined }, 'items is required, or items_description instead'],
  [{ pickup_store_id: 'str_1' }, 'pickup_address cannot be given together with pickup_store_id'],
  [{ request_signature: true, request_contactless: true }, 'request_contactless cannot be true'],
  [{ vehicle: 'bike' }, 'vehicle must be one of car'],
  [{ pickup_at: 'tomorrow' }, 'pickup_at must be a date and time'],
  [{ pickup_at: '2026-03-02T09:00:00Z' }, 'pickup_at must be in the future'],
  [{ dropoff_at: '2026-05-02T09:00:00Z' }, 'dropoff_at must be within 30 days'],
])('%j: %s', (change, message) => {
  const order = Object.fromEntries(
    Object.entries({ ...orderAt(0), ...change }).filter(([, value]) => value !== undefined),
  );
  const faults = check.faultsIn(order).map((fault) => `${fault.path} ${fault.message}`);
  expect(faults.filter((fault) => fault.startsWith(message))).toHaveLength(1);
});

test('a valid order has no error, and all errors of another are reported at once', () => {
  expect(check.faultsIn(orderAt(0))).toEqual([]);
  expect(
    createOrderCheck({ now: null }).faultsIn({ ...orderAt(0), pickup_at: '2020-01-01T00:00:00Z' }),
  ).toEqual([]);
  const bad = { ...orderAt(0), dropoff_name: '', tip: -1, pickup_phone_number: '1', dropoff_address: 'x' };
  expect(
    check
      .faultsIn(bad)
      .map(({ path }) => path)
      .sort(),
  ).toEqual([...['dropoff_address', 'dropoff_name', 'pickup_phone_number', 'tip']]);
});

test('coordinates far from their ZIP code are found where the tables are known', async () => {
  const order = { ...orderAt(0), dropoff_latitude: 41.9, dropoff_longitude: 87.6 };
  expect(check.faultsIn(order)).toEqual([]);
  const placed = createOrderCheck({ now, gazetteer: await readGazetteer() });
  expect(placed.faultsIn(order)).toEqual([
    {
      path: 'dropoff_latitude',
      message: expect.stringMatching(/^is \d+ miles from the centre of ZIP code \d{5}: at most 25/),
    },
  ]);
  expect(placed.faultsIn({ ...order, dropoff_longitude: -87.6 })).toEqual([]);
});
