import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dollars, halfUp, parseDollars, serviceFee, shareCents } from '../../src/domain/money.ts';

const cents = fc.integer({ min: 0, max: 99_999_999 });

test.each([
  [5, 2, 3],
  [-5, 2, -2],
  [4, 3, 1],
  [5, 3, 2],
  [125 * 5, 10, 63],
  [0, 7, 0],
])('%i / %i rounds half up to %i', (numerator, denominator, rounded) => {
  expect(halfUp(numerator, denominator)).toBe(rounded);
});

test.each([
  [0, 30],
  [1, 31],
  [659, 50],
  [799, 54],
  [1000, 59],
  [1001, 60],
  [99_999_999, 2_900_030],
])('the service fee on %i cents is %i', (cost, fee) => {
  expect(serviceFee(cost)).toBe(fee);
});

test('shares go to the largest remainder first, ties to the earlier', () => {
  expect(shareCents(100, [1, 1, 1])).toEqual([34, 33, 33]);
  expect(shareCents(101, [1, 1, 1])).toEqual([34, 34, 33]);
  expect(shareCents(1000, [799, 833, 1112])).toEqual([291, 304, 405]);
  expect(shareCents(10, [0, 3])).toEqual([0, 10]);
});

test('shares of a zero total weight are equal, and no recipients get no shares', () => {
  expect(shareCents(10, [0, 0, 0])).toEqual([4, 3, 3]);
  expect(shareCents(10, [])).toEqual([]);
  expect(shareCents(0, [1, 2])).toEqual([0, 0]);
  expect(shareCents(-100, [1, 1, 1])).toEqual([-34, -33, -33]);
  expect(shareCents(-1, [1, 1])).toEqual([-1, 0]);
});

test('shares sum exactly and each is within a cent of its exact part', () => {
  fc.assert(
    fc.property(cents, fc.array(cents, { minLength: 1, maxLength: 25 }), (total, weights) => {
      const shares = shareCents(total, weights);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBe(total);
      const sum = weights.reduce((left, right) => left + right, 0);
      for (const [index, share] of shares.entries()) {
        if (sum === 0) continue;
        const off = BigInt(share) * BigInt(sum) - BigInt(total) * BigInt(weights[index] ?? 0);
        expect(off < BigInt(sum) && off > -BigInt(sum)).toBe(true);
      }
    }),
  );
});

test.each([
  [659, '$6.59'],
  [-100, '-$1.00'],
  [123_400, '$1,234.00'],
  [0, '$0.00'],
  [5, '$0.05'],
  [-5, '-$0.05'],
  [99_999_999, '$999,999.99'],
  [123_456_789, '$1,234,567.89'],
])('%i cents are written %s', (amount, text) => {
  expect(dollars(amount)).toBe(text);
});

test('formatted amounts are parsed back', () => {
  fc.assert(fc.property(cents, (amount) => parseDollars(dollars(amount)) === amount));
});
