import { expect, test } from 'vitest';
import { movementsAt, paymentOf, sumOf } from '../../src/domain/charges.ts';

const price = { cancellation_fee: 400, return_price: 600 };

test('charges at dispatch; a tip of zero has no row', () => {
  expect(paymentOf(853, 200)).toEqual([
    { kind: 'delivery', amount: 853 },
    { kind: 'tip', amount: 200 },
  ]);
  expect(paymentOf(853, null)).toHaveLength(1);
  expect(paymentOf(853, 0)).toHaveLength(1);
});

test('a failure refunds everything, a cancellation everything but its fee, and a return adds its price', () => {
  expect(sumOf(movementsAt('failed', 1053, price))).toBe(-1053);
  expect(movementsAt('customer_canceled', 1053, price)).toEqual([
    { kind: 'refund', amount: -1053 },
    { kind: 'cancellation', amount: 400 },
  ]);
  expect(movementsAt('returned', 1053, price)).toEqual([{ kind: 'return', amount: 600 }]);
  expect(movementsAt('delivered', 1053, price)).toEqual([]);
  expect(movementsAt('failed', 0, price)).toEqual([]);
});
