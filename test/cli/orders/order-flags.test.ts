import { expect, test } from 'vitest';
import { BadValue } from '../../../src/cli/line/flags.ts';
import { orderFlags, readItem } from '../../../src/cli/orders/order-flags.ts';
import { OrderRequest } from '../../../src/contract/orders.ts';

test.each([
  ['Soup', { name: 'Soup', quantity: 1 }],
  ['Soup:2', { name: 'Soup', quantity: 2 }],
  ['Brisket Classic:4:small', { name: 'Brisket Classic', quantity: 4, size: 'small' }],
  ['Box: fragile:2:extra_large', { name: 'Box: fragile', quantity: 2, size: 'extra_large' }],
  ['Ratio 3:4:2', { name: 'Ratio 3:4', quantity: 2 }],
  ['Note: handle with care', { name: 'Note: handle with care', quantity: 1 }],
])('item %s', (text, item) => {
  expect(readItem(text)).toEqual(item);
});

test.each([
  '',
  ':2',
  'Soup:0',
  'Soup:2:huge',
  'Pizza:two:small',
  'a::small',
  'Pizza:small',
  'Soup:1000:small',
])('item "%s" is refused', (text) => {
  expect(() => readItem(text)).toThrow(BadValue);
  expect(() => orderFlags.item.read([text])).toThrow(BadValue);
});

test('there is a flag for each field of an order', () => {
  const fields = Object.keys(orderFlags).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  const others: Record<string, string> = { item: 'items', store: 'pickup_store_id' };
  expect(fields.map((field) => others[field] ?? field).sort()).toEqual(
    Object.keys(OrderRequest.properties).sort(),
  );
});

test('what an order needs is required, unless a file, stdin or another order brings it', () => {
  const isRequired = (...names: string[]) => {
    const { required } = orderFlags.pickupAddress;
    return (
      typeof required === 'function' && required({ has: (name) => names.includes(name), says: () => false })
    );
  };
  expect(isRequired()).toBe(true);
  for (const name of ['file', 'stdin', 'like', 'store']) expect(isRequired(name)).toBe(false);
});

test('what it is must be said: as items, or in words', () => {
  const isRequired = (...names: string[]) => {
    const { required } = orderFlags.item;
    return (
      typeof required === 'function' && required({ has: (name) => names.includes(name), says: () => false })
    );
  };
  expect(isRequired()).toBe(true);
  for (const name of ['itemsDescription', 'file', 'stdin', 'like']) expect(isRequired(name)).toBe(false);
});

test('at a prompt only what is surely wrong is refused', () => {
  const { pickupAddress, dropoffPhoneNumber } = orderFlags;
  expect(pickupAddress.check?.('43 E Ohio St, Chicago')).toMatch(/ZIP/);
  expect(pickupAddress.check?.('43 E Ohio St, Chicago, IL 60611-1234, USA')).toBeNull();
  expect(dropoffPhoneNumber.check?.('555 0142')).toMatch(/plus/);
  expect(dropoffPhoneNumber.check?.('312 555 0142')).toBeNull();
  expect(dropoffPhoneNumber.check?.('+1 (312) 555-0142')).toBeNull();
});

test('what is missing is asked for as a question, not by its flag', () => {
  for (const flag of Object.values(orderFlags).filter(({ required }) => required !== false)) {
    expect(flag.question).toMatch(/^[A-Z]/);
    expect(flag.question).not.toContain('--');
  }
  expect(orderFlags.pickupAddress.question).toBe('Pickup address (street, city, state, ZIP)');
});

test.each([
  ['(312) 555-0142', '+13125550142'],
  ['312.555.0142', '+13125550142'],
  ['1 312 555 0142', '+13125550142'],
  ['+1 (312) 555-0142', '+1 (312) 555-0142'],
  ['555-0142', '555-0142'],
  ['(112) 555-0142', '(112) 555-0142'],
  ['2 312 555 0142', '2 312 555 0142'],
  ['312 555 0142 ext 3', '312 555 0142 ext 3'],
])('the phone number %s is sent as %s', (typed, sent) => {
  expect(orderFlags.dropoffPhoneNumber.read([typed])).toBe(sent);
});
