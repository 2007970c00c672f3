import { expect, test } from 'vitest';
import { happyPath } from '../../../src/domain/scenarios.ts';
import type { OrderRecord } from '../../../src/service/orders/order.ts';
import { bestQuote, type Estimate, isSamePlaces } from '../../../src/service/quotes/estimate-quotes.ts';
import {
  agreedTime,
  courierChance,
  courierOrders,
  withLateness,
} from '../../../src/service/quotes/quote-request.ts';
import {
  findOutage,
  type Outage,
  readAccountSettings,
} from '../../../src/service/runtime/account-settings.ts';
import { seededChance } from '../../../src/service/runtime/random.ts';
import { quote } from '../../storage/records.ts';

const now = Date.parse('2026-03-02T12:00:00.000Z');
const end = {
  ...{ name: '', phone: '', address: '', unit: '', notes: '', at: null },
  point: { lat: 41.8, lng: -87.7 },
};
const stored: OrderRecord = {
  ...{ pickup: end, dropoff: end, store_id: null, items: [], items_description: '', order_value: 0 },
  ...{
    tip: null,
    request_signature: false,
    request_contactless: false,
    vehicle: null,
    simulation: happyPath,
  },
};

/** An order that is agreed for these times. */
function agreed(pickup_at: number | null, dropoff_at: number | null = null): OrderRecord {
  return {
    ...stored,
    pickup: { ...stored.pickup, at: pickup_at },
    dropoff: { ...stored.dropoff, at: dropoff_at },
  };
}

test.each([
  [
    [null, null],
    [null, null],
    [null, null],
  ],
  [
    [now, now - 1],
    [null, null],
    [null, null],
  ],
  [
    [now + 1, null],
    [null, null],
    [now + 1, null],
  ],
  [
    [null, now + 1],
    [now + 2, null],
    [null, now + 1],
  ],
  [
    [now - 1, null],
    [now + 2, now + 3],
    [now + 2, now + 3],
  ],
])('of orders for %j and %j the time %j counts', (first, second, [pickup_at, dropoff_at]) => {
  const records = [first, second].map(([pickup = null, dropoff = null]) => agreed(pickup, dropoff));
  expect(agreedTime(records, now)).toEqual({ pickup_at, dropoff_at });
});

const down: Outage = { state: 'down', slow_seconds: null, until: null };
test.each([
  ['swiftly', null, true],
  ['swiftly', now + 1, true],
  ['swiftly', now, false],
  ['poolride', null, false],
])('%s, of which an outage until %s is known, has one: %s', (provider, until, expected) => {
  const outages = { swiftly: { ...down, until } };
  const settings = readAccountSettings({ settings: JSON.stringify({ outages }) });
  expect(findOutage(settings, provider, now) !== null).toBe(expected);
});

test.each([
  ['1 main st\n2 oak ave\n', '1 main street\n2 oak avenue\n', true],
  ['1 main st\n2 oak ave\n', '1 main st\n2 oak ave\n5', false],
  ['1 main st\n2 oak ave\n', '1 main st\n3 oak ave\n', false],
])('%j and %j are the same places: %s', (left, right, expected) => {
  expect(isSamePlaces(left, right)).toBe(expected);
});

const estimate = (id: string, cents: number, dropoff_eta: number, too_late = false): Estimate => ({
  ...{ ...quote(id, { provider: id, cost_of_delivery: cents, service_fee: 0 }), dropoff_eta, too_late },
});
const [cheap, fast] = [estimate('cheap', 500, 9), estimate('fast', 900, 5)];
test.each([
  ['cheapest', [fast, cheap], 'cheap'],
  ['fastest', [fast, cheap], 'fast'],
  ['cheapest', [fast, { ...cheap, too_late: true }], 'fast'],
  ['cheapest', [fast, cheap].map((each) => ({ ...each, too_late: true })), 'fast'],
] as const)('the best by %s of %# is %s', (preference, estimates, id) => {
  expect(bestQuote(estimates, preference)?.id).toBe(id);
});

test('random decisions follow the seeds of the orders if all have one, and the key otherwise', () => {
  const seeded = (fate?: string): OrderRecord => ({
    ...stored,
    simulation: { ...stored.simulation, ...(fate !== undefined && { fate }) },
  });
  const decided = (records: OrderRecord[], key: string) =>
    courierChance(seededChance('test'), records, key)('eta');
  const [one, other] = ['rte_00000000000000000000000001', 'rte_00000000000000000000000002'];
  expect(decided([seeded('b'), seeded('a')], one)).toBe(decided([seeded('a'), seeded('b')], other));
  for (const records of [[], [seeded('a'), seeded()]])
    expect(decided(records, one)).not.toBe(decided(records, other));
});

test.each([
  ['house', 41.9],
  ['exact', 41.9],
  ['street', undefined],
  [null, undefined],
] as const)('a courier is sent to coordinates that are known by %s: %s', (precision, latitude) => {
  const known = precision === null ? {} : { coordinates: { lat: 41.9, lng: -87.6, precision } };
  const asked = { id: '', external_order_ref: '', record: { ...stored, dropoff: { ...end, ...known } } };
  expect(courierOrders([asked], now)[0]?.dropoff.latitude).toBe(latitude);
});

const stop = (kind: 'pickup' | 'dropoff', ...order_ids: string[]) => ({
  ...{ kind, order_ids, address: '', lat: 0, lng: 0, leg_tenths: 0 },
});
const minutes = (count: number) => now + count * 60_000;
const stops = [stop('pickup', 'a', 'b'), stop('dropoff', 'a'), stop('dropoff', 'b')];
const quoted = {
  ...{ kind: 'quoted' as const, cost_of_delivery: 1, service_fee: 1, expires_at: null },
  ...{ pickup_eta: minutes(10), dropoff_eta: minutes(60), order_costs: [1] },
  stop_etas: [minutes(10), minutes(30), minutes(60)],
};
test.each([
  [
    [
      ['a', minutes(40)],
      ['b', null],
    ],
    false,
  ],
  [
    [
      ['a', minutes(20)],
      ['b', null],
    ],
    true,
  ],
  [
    [
      ['a', null],
      ['b', minutes(40)],
    ],
    true,
  ],
  [
    [
      ['a', null],
      ['b', minutes(70)],
    ],
    false,
  ],
  // The stops of a quote without a stored order have no order.
  [[['', minutes(40)]], false],
  [[['', minutes(20)]], true],
] as const)('a quote for %j is too late: %s', (asked, expected) => {
  const orders = asked.map(([id, dropoff_at]) => ({ id, record: agreed(null, dropoff_at) }));
  const answer = withLateness(quoted, { orders, stops, now });
  expect('too_late' in answer).toBe(expected);
});

test('a decline is never late', () => {
  const declined = { kind: 'declined' };
  expect(withLateness(declined, { orders: [], stops, now })).toBe(declined);
});
