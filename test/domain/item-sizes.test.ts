import { expect, test } from 'vitest';
import { itemSize } from '../../src/domain/order-rules.ts';

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
