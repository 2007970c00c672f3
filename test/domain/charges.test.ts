import { expect, test } from 'vitest';
import type { DeliveryStatus } from '../../src/contract/vocabulary.ts';
import { movementsAt, paymentOf, shownFee, sumOf } from '../../src/domain/charges.ts';

const to = (status: DeliveryStatus) => ({ from: 'arrived_at_dropoff' as const, to: status });
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
  expect(sumOf(movementsAt(to('failed'), 1053, price))).toBe(-1053);
  expect(movementsAt(to('customer_canceled'), 1053, price)).toEqual([
    { kind: 'refund', amount: -1053 },
    { kind: 'cancellation', amount: 400 },
  ]);
  expect(movementsAt(to('returned'), 1053, price)).toEqual([{ kind: 'return', amount: 600 }]);
  expect(movementsAt(to('delivered'), 1053, price)).toEqual([]);
  expect(movementsAt(to('failed'), 0, price)).toEqual([]);
});

test('what was charged stays if a parcel is canceled on its way back', () => {
  for (const to of ['burq_canceled', 'provider_canceled'] as const)
    expect(movementsAt({ from: 'enroute_to_return', to }, 1053, price)).toEqual([]);
});

const fixed = (value: number) => ({ kind: 'fixed', value }) as const;
const percent = (value: number) => ({ kind: 'percent', value }) as const;

test.each([
  ['nothing configured', null, null, { fee: 1000, upsell: null, subsidized: null }],
  ['an upsell', fixed(150), null, { fee: 1150, upsell: 150, subsidized: null }],
  ['a subsidy', null, percent(25), { fee: 750, upsell: null, subsidized: 250 }],
  ['both', percent(10), fixed(300), { fee: 800, upsell: 100, subsidized: 300 }],
  ['a subsidy above all', null, fixed(5000), { fee: 0, upsell: null, subsidized: 5000 }],
] as const)('%s', (_, upsell, subsidy, shown) => {
  expect(shownFee(1000, { upsell, subsidy })).toEqual(shown);
});

test('half a cent rounds up', () => {
  expect(shownFee(50, { upsell: percent(5), subsidy: null }).upsell).toBe(3);
});
