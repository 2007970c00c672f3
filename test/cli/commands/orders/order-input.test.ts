import { expect, test } from 'vitest';
import { BadValue } from '../../../../src/cli/kit/args/flags.ts';
import { UsageError } from '../../../../src/cli/kit/errors/failure.ts';
import { orderFlags, readItem } from '../../../../src/cli/nouns/order-flags.ts';
import { readOrderFile, toOrderRequests } from '../../../../src/cli/nouns/order-input.ts';
import { OrderRequest } from '../../../../src/contract/orders.ts';
import { itemSizes } from '../../../../src/contract/vocabulary.ts';
import { orderFields } from '../../sandbox.ts';

test.each([
  ['{', /o\.json is not valid JSON/],
  ['3', /o\.json holds no orders/],
  ['[1]', /holds no orders/],
  ['[]', /no order in o\.json/],
  ['{"orders":{}}', /holds no orders/],
  ['{"orders":[{}],"settings":1}', /holds no orders/],
  ['{"orders":[{}],"setings":{}}', /"setings" is not a field/],
])('%s is refused', (text, message) => {
  expect(() => readOrderFile(text, 'o.json')).toThrow(message);
  expect(() => readOrderFile(text, 'o.json')).toThrow(UsageError);
});

test('a field similar to the missing one is named, unless it is a field of orders', () => {
  const { dropoff_name: _, ...rest } = orderFields;
  const hintOf = (field: string) => {
    try {
      return toOrderRequests([{ ...rest, [field]: 'Joe' }], 'f');
    } catch (error) {
      return error instanceof UsageError ? [error.message, error.details.hint] : error;
    }
  };
  expect(hintOf('dropof_name')).toEqual([
    'Missing in f: --dropoff-name.',
    'Unknown: dropof_name. Check the spelling.',
  ]);
  expect(hintOf('dropoff_unit')).toEqual(['Missing in f: --dropoff-name.', undefined]);
});

test.each([
  ['Soup', { name: 'Soup', quantity: 1 }],
  ['Soup:2', { name: 'Soup', quantity: 2 }],
  ['Brisket Classic:4:small', { name: 'Brisket Classic', quantity: 4, size: 'small' }],
  ['Box: fragile:2:extra_large', { name: 'Box: fragile', quantity: 2, size: 'extra_large' }],
  ['Ratio 3:4:2', { name: 'Ratio 3:4', quantity: 2 }],
  ['Pizza:2:LARGE', { name: 'Pizza', quantity: 2, size: 'large' }],
  ['Note: handle with care', { name: 'Note: handle with care', quantity: 1 }],
  ['2x Burger (no onions)', { name: 'Burger (no onions)', quantity: 2 }],
  ['2 x 4 lumber', { name: '2 x 4 lumber', quantity: 1 }],
])('item %s', (text, item) => {
  expect(readItem(text)).toEqual(item);
});

test.each([
  ['', 'the name is missing'],
  [':2', 'the name is missing'],
  ['Soup:0', 'the quantity is a whole number from 1 to 999, not 0'],
  ['Pizza:1000', 'the quantity is a whole number from 1 to 999, not 1000'],
  ['Pizza:-3', 'the quantity is a whole number from 1 to 999, not -3'],
  ['Pizza:2.5', 'the quantity is a whole number from 1 to 999, not 2.5'],
  ['Soup:1000:small', 'the quantity is a whole number from 1 to 999, not 1000'],
  ['Soup:2:huge', '"huge" is not a size (small, medium, large, extra_large)'],
  ['Pizza:two:small', 'a size comes after the quantity'],
  ['2 large pizzas:two:huge', '"two" is not a quantity'],
  ['a::small', 'a size comes after the quantity'],
  ['Pizza:small', 'a size comes after the quantity'],
  ['[{"name":"Soup"}]', 'items as JSON are those of an order in a --file'],
  ['0 x Soup', 'the quantity is a whole number from 1 to 999, not 0'],
])('item "%s" is refused: %s', (text, why) => {
  const message = `must be NAME, NAME:QUANTITY or NAME:QUANTITY:SIZE, not "${text}": ${why}`;
  expect(() => readItem(text)).toThrow(new BadValue(message, itemSizes));
  expect(() => orderFlags.item.read([text])).toThrow(BadValue);
});

test('there is a flag for each field of an order', () => {
  const fields = Object.keys(orderFlags).map((name) =>
    name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  );
  const others: Record<string, string> = { item: 'items', store: 'pickup_store_id' };
  // The size of the parcel, which other services ask for.
  const elsewhere = ['length', 'width', 'height', 'weight'];
  const own = fields.filter((field) => !elsewhere.includes(field));
  expect(own.length).toBe(fields.length - elsewhere.length);
  expect(own.map((field) => others[field] ?? field).sort()).toEqual(
    Object.keys(OrderRequest.properties).sort(),
  );
});

test('a prompt refuses only what is certainly wrong', () => {
  const { pickupAddress, dropoffPhoneNumber } = orderFlags;
  expect(pickupAddress.check?.('43 E Ohio St, Chicago')).toMatch(/ZIP/);
  expect(pickupAddress.check?.('43 E Ohio St, Chicago, IL 60611-1234, USA')).toBeNull();
  expect(dropoffPhoneNumber.check?.('555 0142')).toMatch(/^It has 7 of the 10 digits/);
  expect(dropoffPhoneNumber.check?.('312 555 0142')).toBeNull();
  expect(dropoffPhoneNumber.check?.('+1 (312) 555-0142')).toBeNull();
});

test.each([
  ['(312) 555-0142', '+13125550142'],
  ['312.555.0142', '+13125550142'],
  ['1 312 555 0142', '+13125550142'],
  ['+1 (312) 555-0142', '+13125550142'],
  ['555-0142', '555-0142'],
  ['(112) 555-0142', '(112) 555-0142'],
  ['2 312 555 0142', '2 312 555 0142'],
  ['tel:312–555–0142', '+13125550142'],
  ['312 555 0142 ext 3', '312 555 0142 ext 3'],
])('the phone number %s is sent as %s', (typed, sent) => {
  expect(orderFlags.dropoffPhoneNumber.read([typed])).toBe(sent);
});
