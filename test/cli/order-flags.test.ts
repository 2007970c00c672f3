import { expect, test } from 'vitest';
import { BadValue } from '../../src/cli/flags.ts';
import { orderFlags, readItem } from '../../src/cli/order-flags.ts';
import { OrderRequest } from '../../src/contract/orders.ts';

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

test.each(['', ':2', 'Soup:0', 'Soup:2:huge'])('item "%s" is refused', (text) => {
  expect(() => readItem(text)).toThrow(BadValue);
  expect(() => orderFlags.item.read([text])).toThrow(BadValue);
});

test('there is a flag for each field of an order', () => {
  const fields = Object.keys(orderFlags).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  expect(fields.map((field) => (field === 'item' ? 'items' : field)).sort()).toEqual(
    Object.keys(OrderRequest.properties).sort(),
  );
});

test('what an order needs is required, unless a file, stdin or another order brings it', () => {
  const isRequired = (...names: string[]) => {
    const { required } = orderFlags.pickupAddress;
    return typeof required === 'function' && required({ has: (name) => names.includes(name) });
  };
  expect(isRequired()).toBe(true);
  for (const name of ['file', 'stdin', 'like']) expect(isRequired(name)).toBe(false);
});
