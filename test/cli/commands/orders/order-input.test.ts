import { expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/kit/errors/failure.ts';
import { readOrderFile, requestsOf } from '../../../../src/cli/nouns/order-input.ts';
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
      return requestsOf([{ ...rest, [field]: 'Joe' }], 'f');
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
