import { expect, test } from 'vitest';
import type { DeliveryStatus } from '../../src/contract/vocabulary.ts';
import {
  adjustmentsOf,
  type CourierBill,
  hasCancellationFee,
  movementsAt,
  paymentOf,
  shownFee,
  sumOf,
} from '../../src/domain/charges.ts';

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
  ['a subsidy above all', null, fixed(5000), { fee: 0, upsell: null, subsidized: 1000 }],
] as const)('%s', (_, upsell, subsidy, shown) => {
  expect(shownFee(1000, { upsell, subsidy })).toEqual(shown);
});

test('half a cent rounds up', () => {
  expect(shownFee(50, { upsell: percent(5), subsidy: null }).upsell).toBe(3);
});

/** A delivery of $10.00 that was canceled, and refunded in full, with its courier's bill. */
const canceledWith = (bill: CourierBill, charged: Parameters<typeof hasCancellationFee>[0] = []) => ({
  bill,
  booked: { cost: 1000, cancellation_fee: null },
  agreed: { cost_of_delivery: 1000, payment_amount: 1000 },
  status: 'customer_canceled' as const,
  charged: [
    { kind: 'delivery' as const, amount: 1000, reason: null },
    { kind: 'refund' as const, amount: -1000, reason: null },
    ...charged,
  ],
});

test('a cancellation fee is known whether the cancellation or the courier has told it', () => {
  const settlement = canceledWith({ cancellation: { amount: 250, at: 1 } });
  const reported = adjustmentsOf(settlement).map((each) => ({ reason: null, ...each }));
  expect(reported).toMatchObject([{ kind: 'adjustment', amount: 250 }]);
  expect(hasCancellationFee([...settlement.charged, ...reported])).toBe(true);
  expect(hasCancellationFee([{ kind: 'cancellation', amount: 250, reason: null }])).toBe(true);
  expect(hasCancellationFee(settlement.charged)).toBe(false);
});

test.each([
  ['after the price', 2, 300],
  ['at the time of the price', 1, 1000],
])('a price for the canceled delivery that was reported %s', (_when, at, price) => {
  const bill = {
    price: { amount: 1000, at: 1 },
    canceled_price: { amount: 300, at },
    carried: 'done' as const,
  };
  // A courier that has carried it out nevertheless is paid its latest price.
  expect(sumOf(adjustmentsOf(canceledWith(bill)))).toBe(price);
});
