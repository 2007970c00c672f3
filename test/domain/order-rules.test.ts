import { expect, test } from 'vitest';
import { conflictsIn, isPinLocked, itemSize, timeFault } from '../../src/domain/order-rules.ts';

const order = {
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Joe',
  dropoff_phone_number: '+13125550142',
  items_description: 'Soup',
};
const at = '2026-03-02T10:00:00Z';

test.each([
  [{}, []],
  [{ items_description: '' }, ['items']],
  [{ items_description: undefined, items: [{ name: 'Soup', quantity: 1 }] }, []],
  [{ pickup_at: at }, []],
  [{ dropoff_at: at }, []],
  [{ pickup_at: at, dropoff_at: at }, ['dropoff_at']],
  [{ pickup_latitude: 41 }, ['pickup_longitude']],
  [{ dropoff_longitude: -87 }, ['dropoff_latitude']],
  [{ dropoff_latitude: 41, dropoff_longitude: -87 }, []],
  [{ request_contactless: true, undeliverable_action: 'leave_at_door' as const }, []],
  [{ request_signature: true, undeliverable_action: 'leave_at_door' as const }, ['undeliverable_action']],
  [{ items: [{ name: 'Soup', quantity: 1, size: 'huge' }] }, ['items[0].size']],
  [{ request_signature: true, request_contactless: false }, []],
  [{ request_signature: true, request_contactless: true }, ['request_contactless']],
  [{ tip: 10_000 }, []],
  [{ tip: 10_001 }, ['tip']],
  [{ tip: 20_000, order_value: 20_000 }, []],
  [{ pickup_store_id: 'str_1' }, []],
  [{ pickup_store_id: 'str_1', pickup_name: 'Grill', pickup_notes: '' }, ['pickup_name', 'pickup_notes']],
])('%j conflicts in %j', (change, paths) => {
  const { items_description, ...rest } = { ...order, ...change };
  const described = items_description === undefined ? {} : { items_description };
  expect(conflictsIn({ ...rest, ...described }).map(({ path }) => path)).toEqual(paths);
});

test.each([
  [undefined, false],
  [4, false],
  [5, true],
])('after %s wrong PINs none is accepted: %s', (wrong_pins, expected) => {
  expect(isPinLocked({ wrong_pins })).toBe(expected);
});

test('a time is in the future, by 30 days at most', () => {
  const day = 86_400_000;
  expect([timeFault(1_000, 1_000), timeFault(1_001, 1_000)]).toEqual(['must be in the future', null]);
  expect([timeFault(30 * day, 0), timeFault(30 * day + 1, 0)]).toEqual([null, 'must be within 30 days']);
});

test.each([
  [undefined, 'small'],
  ['Small', 'small'],
  ['S', 'small'],
  ['MEDIUM', 'medium'],
  ['m', 'medium'],
  ['Large', 'large'],
  ['L', 'large'],
  ...['xl', 'XL', 'xlarge', 'X-Large', 'extra-large', 'Extra Large', 'extra_large', 'EXTRALARGE'].map(
    (text): [string, string] => [text, 'extra_large'],
  ),
])('%j is %s', (text, size) => {
  expect(itemSize(text)).toBe(size);
});

test.each(['', 'huge', 'xxl', 'constructor', '1'])('%j is not a size', (text) => {
  expect(itemSize(text)).toBeNull();
});
