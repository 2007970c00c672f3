import { expect, test } from 'vitest';
import type { DeliveryStatus } from '../../src/contract/vocabulary.ts';
import {
  addToBill,
  adjustmentsOf,
  type CourierBill,
  hasCancellationFee,
  type Movement,
  movementsAt,
  paymentOf,
  refundable,
  shownFee,
  sumAmounts,
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
  expect(sumAmounts(movementsAt(to('failed'), 1053, price))).toBe(-1053);
  expect(movementsAt(to('customer_canceled'), 1053, price)).toEqual([
    { kind: 'refund', amount: -1053 },
    { kind: 'cancellation', amount: 400 },
  ]);
  expect(movementsAt(to('returned'), 1053, price)).toEqual([{ kind: 'return', amount: 600 }]);
  expect(movementsAt(to('delivered'), 1053, price)).toEqual([]);
  expect(movementsAt(to('failed'), 0, price)).toEqual([]);
});

test.each<[from: DeliveryStatus, to: DeliveryStatus, sum: number]>([
  ['arrived_at_dropoff', 'failed', 0],
  ['arrived_at_dropoff', 'provider_canceled', 0],
  ['arrived_at_dropoff', 'customer_canceled', 400 - 1053],
  ['arrived_at_dropoff', 'returned', 600],
  ['enroute_pickup', 'failed', -1053],
  ['enroute_pickup', 'provider_canceled', 400 - 1053],
])('a courier with a bill of its own says what it gives back, from %s to %s: %s', (from, to, sum) => {
  expect(sumAmounts(movementsAt({ from, to }, 1053, { ...price, has_bill: true }))).toBe(sum);
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
  expect(sumAmounts(adjustmentsOf(canceledWith(bill)))).toBe(price);
});

const charge = (kind: 'delivery' | 'refund' | 'tip' | 'cancellation', amount: number) => ({
  ...{ kind, amount, reason: null },
});
const adjustment = (amount: number, reason: string) => ({ kind: 'adjustment' as const, amount, reason });
const byPrice = 'price reported by the courier';

const byCourier = adjustment(-20, 'refund reported by the courier');
const refund = charge('refund', -1000);
const fee = charge('cancellation', 300);

test('the price of the courier is refundable, other adjustments are not', () => {
  const charged = [charge('delivery', 1000), adjustment(50, byPrice), adjustment(7, 'return delivery')];
  expect(refundable(charged)).toBe(1050);
});

/** What is still owed of a delivery of $10.00, of which the courier gets $9.00, and a tip of $1.00. */
test.each<[DeliveryStatus, CourierBill, (Movement & { reason: string | null })[], Record<string, number>]>([
  ['delivered', { price: { amount: 950, at: 1 } }, [], { price: 50 }],
  ['delivered', { price: { amount: 950, at: 1 } }, [adjustment(50, byPrice)], {}],
  ['delivered', { refunds: { '': { amount: 20, at: 1 } } }, [], { refund: -20 }],
  ['delivered', { refunds: { r1: { amount: 20, at: 1 } } }, [], { refund: -20 }],
  // What a dispute has given back before is not given back twice.
  ['disputed', { refunds: { r1: { amount: 20, at: 1 } } }, [charge('refund', -15)], { refund: -5 }],
  ['disputed', { refunds: { r1: { amount: 20, at: 1 } } }, [charge('refund', -50)], {}],
  ['disputed', { refunds: { '': { amount: 20, at: 1 } } }, [byCourier, charge('refund', -50)], {}],
  [
    'disputed',
    { refunds: { '': { amount: 90, at: 1 } } },
    [byCourier, charge('refund', -50)],
    { refund: -20 },
  ],
  ['disputed', { price: { amount: 830, at: 1 } }, [charge('refund', -50)], { price: -20 }],
  ['returned', { return: { amount: 200, at: 1 } }, [], { return: 200 }],
  ['failed', { price: { amount: 950, at: 1 } }, [], { price: 50 }],
  ['disputed', { price: { amount: 950, at: 1 } }, [refund], { price: 50 }],
  ['failed', {}, [refund], { cancellation: 300 }],
  ['failed', { carried: 'begun' }, [refund], { delivery: 1100 }],
  ['failed', { carried: 'begun', price: { amount: 950, at: 1 } }, [refund], { delivery: 1150 }],
  ['provider_canceled', { carried: 'begun' }, [refund], { delivery: 1100 }],
  // A courier that has taken a cancellation carries the parcel no further.
  ['customer_canceled', { carried: 'begun' }, [refund], { cancellation: 300 }],
  ['burq_canceled', { carried: 'begun' }, [refund], { cancellation: 300 }],
  ['customer_canceled', { carried: 'done' }, [refund], { delivery: 1100 }],
  ['customer_canceled', {}, [refund, fee], {}],
  ['customer_canceled', { carried: 'done' }, [refund, fee], { delivery: 1100, cancellation: -300 }],
])('%s with the bill %j, beside %j, %j is owed', (status, bill, charged, owed) => {
  const adjustments = adjustmentsOf({
    ...{ bill, status, booked: { cost: 900, cancellation_fee: 300 } },
    agreed: { cost_of_delivery: 900, payment_amount: 1000 },
    charged: [charge('delivery', 1000), charge('tip', 100), ...charged],
  });
  expect(
    Object.fromEntries(adjustments.map(({ reason, amount }) => [reason?.split(' ')[0], amount])),
  ).toEqual(owed);
});

test('of each amount of a courier the newest counts, by its own time', () => {
  const old = { amount: 10, at: 5 };
  const known = { price: old, refunds: { r1: old } };
  const amounts = { price: 20, canceled_price: 30, cancellation: 40, return: 50 };
  expect(addToBill(known, { at: 4, price: 20 }, null)).toEqual(known);
  expect(addToBill(known, { at: 5, ...amounts, refunds: [{ id: 'r2', amount: 60 }] }, null)).toEqual({
    ...{ price: { amount: 20, at: 5 }, canceled_price: { amount: 30, at: 5 } },
    ...{ cancellation: { amount: 40, at: 5 }, return: { amount: 50, at: 5 } },
    refunds: { r1: old, r2: { amount: 60, at: 5 } },
  });
});

test.each<[CourierBill['carried'], DeliveryStatus | null, CourierBill['carried']]>([
  [undefined, null, undefined],
  [undefined, 'enroute_pickup', undefined],
  [undefined, 'pickup_complete', 'begun'],
  [undefined, 'failed', 'begun'],
  [undefined, 'delivered', 'done'],
  ['begun', 'returned', 'done'],
  ['begun', 'provider_canceled', 'begun'],
  ['done', 'failed', 'done'],
])('a parcel that is %s is after %s %s', (carried, status, expected) => {
  expect(addToBill({ carried }, undefined, status).carried).toBe(expected);
});
