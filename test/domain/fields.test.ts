import { expect, test } from 'vitest';
import { isFields } from '../../src/domain/fields.ts';

test.each([
  [{}, true],
  [[], false],
  [null, false],
  ['text', false],
  [undefined, false],
])('%j is an object with fields: %s', (value, expected) => {
  expect(isFields(value)).toBe(expected);
});
