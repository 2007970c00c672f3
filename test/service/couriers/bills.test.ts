import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type { ReportedCosts } from '../../../src/domain/charges.ts';
import type { CourierReport } from '../../../src/providers/courier.ts';

import {
  dispatchOne,
  dispatchScripted,
  reportOf,
  type Script,
  type ScriptedCourier,
  startScripted,
} from './scripted-courier.ts';

const hour = 3_600_000;

/** The charges of a delivery, oldest first: `kind amount reason`. */
async function chargesOf({ fixture }: ScriptedCourier, delivery_id: string): Promise<string[]> {
  const { data } = await fixture.client().charges.list({ query: { delivery_id } });
  return data.data.reverse().map(({ kind, amount, reason }) => [kind, amount, reason ?? []].flat().join(' '));
}

/** A report with amounts, at a time of the courier's clock. */
function billed(
  key: string,
  status: CourierReport['status'],
  { at, ...costs }: ReportedCosts,
): CourierReport {
  const id = `${status} ${JSON.stringify([at, costs])}`;
  return reportOf(key, status, { id, occurred_at: at, costs: { at, ...costs } });
}

const paid = ['delivery 700', 'tip 200'];
const refundedBy = (reason: string) => [...paid, `refund -900 ${reason}`];
const refunded = refundedBy('Canceled by the merchant');
/** Of a cancellation by the courier, which gave no reason. */
const refundedAlone = [...paid, 'refund -900'];

test('another price is an adjustment with its reason, once, and an older one has no effect', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const push = async (report: CourierReport) => courier.push([report]);
  await push(billed(key, 'pickup_complete', { at: 2_000, price: 700 }));
  expect(await chargesOf(courier, id)).toEqual(paid);
  const delivered = billed(key, 'delivered', { at: 3_000, price: 850 });
  for (const report of [delivered, delivered]) await push(report);
  await push(billed(key, null, { at: 1_000, price: 720 }));
  const raised = [...paid, 'adjustment 150 price reported by the courier'];
  expect(await chargesOf(courier, id)).toEqual(raised);
  await push(billed(key, null, { at: 4_000, price: 690 }));
  expect(await chargesOf(courier, id)).toEqual([...raised, 'adjustment -160 price reported by the courier']);
  const { data } = await courier.fixture.client().deliveries.get({ params: { deliveryid: id } });
  expect(data).toMatchObject({ payment_amount: 700, refunded_amount: 0 });
});

test('the fee of a delivery that was canceled before it was booked is asked for', async () => {
  const script: Script = { cancellation_fee: null };
  const courier = await startScripted(script);
  const { client, pass } = courier.fixture;
  script.create = async () => {
    const { data } = await client().deliveries.list({});
    await client().deliveries.cancel({ params: { deliveryid: data.data[0]?.id ?? '' }, body: {} });
    return null;
  };
  const { id, key } = await dispatchOne(courier);
  await vi.waitFor(async () => {
    await pass(1_000);
    expect(courier.booked.get(key)?.isCanceled).toBe(true);
  }, 300_000);
  courier.polled.push(billed(key, 'provider_canceled', { at: 2_000, canceled_price: 300 }));
  await pass(2 * hour);
  expect(await chargesOf(courier, id)).toEqual([
    ...refunded,
    'adjustment 300 cancellation fee reported by the courier',
  ]);
});

test.each(['pickup_complete', 'delivered'] as const)(
  'a tip that the courier has taken is charged although it is %s meanwhile',
  async (status) => {
    const script: Script = {};
    const courier = await startScripted(script);
    const { id, key } = await dispatchOne(courier);
    script.update = () => courier.push([reportOf(key, status)]);
    const body = { tip: 500, dropoff_notes: 'Ring twice' };
    const { data } = await courier.fixture.client().deliveries.edit({ params: { deliveryid: id }, body });
    expect(data).toMatchObject({ status, tip: 500 });
    expect(await chargesOf(courier, id)).toEqual([...paid, 'tip 300']);
  },
);

test('a dispute gives nothing back of what the courier has given back', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.push([reportOf(key, 'delivered')]);
  await courier.push([billed(key, null, { at: 3_000, refunds: [{ id: '', amount: 1_000 }] })]);
  const client = courier.fixture.client();
  await client.deliveries.dispute({ params: { deliveryid: id }, body: { reason: 'Broken' } });
  const body = { outcome: 'refunded' } as const;
  const { data } = await client.disputes.resolve({ params: { deliveryid: id }, body });
  expect(data).toMatchObject({ amount: 0, paid: -100 });
});

test('a booking at another price than quoted is charged at once', async () => {
  const courier = await startScripted({ booked_at: 820 });
  const { id } = await dispatchOne(courier);
  expect(await chargesOf(courier, id)).toEqual([...paid, 'adjustment 120 price reported by the courier']);
});

test('a price that comes with nothing but a position is charged', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  const position = { lat: 41.88, lng: -87.63 };
  await courier.push([{ ...billed(key, null, { at: 2_000, price: 850 }), position }]);
  expect(await chargesOf(courier, id)).toEqual([...paid, 'adjustment 150 price reported by the courier']);
});

test('a return delivery and refunds are adjustments of their own', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.push([billed(key, 'enroute_to_return', { at: 2_000, return: 450 })]);
  await courier.push([billed(key, 'returned', { at: 3_000, return: 450 })]);
  const refunds = (amount: number) => [{ id: 'r1', amount }];
  await courier.push([billed(key, null, { at: 4_000, refunds: refunds(300) })]);
  await courier.push([billed(key, null, { at: 5_000, refunds: refunds(350) })]);
  expect(await chargesOf(courier, id)).toEqual([
    ...[...paid, 'adjustment 450 return delivery'],
    'adjustment -300 refund reported by the courier (r1)',
    'adjustment -50 refund reported by the courier (r1)',
  ]);
});

test('a cancellation fee that was unknown is charged when the courier reports it', async () => {
  const courier = await startScripted({ cancellation_fee: null });
  const { id, key } = await dispatchOne(courier);
  await courier.fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
  await courier.push([billed(key, 'provider_canceled', { at: 2_000, canceled_price: 700 })]);
  expect(await chargesOf(courier, id)).toEqual(refunded);
  await courier.push([billed(key, null, { at: 3_000, cancellation: 300 })]);
  const reported = 'adjustment 300 cancellation fee reported by the courier';
  expect(await chargesOf(courier, id)).toEqual([...refunded, reported]);
});

test('a fee that was known at the cancellation is not charged again when it is reported', async () => {
  const courier = await startScripted({ cancellation_fee: 300 });
  const { id, key } = await dispatchOne(courier);
  await courier.fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
  await courier.push([billed(key, null, { at: 3_000, cancellation: 300 })]);
  expect(await chargesOf(courier, id)).toEqual([...refunded, 'cancellation 300 Canceled by the merchant']);
});

test('a cancellation that the courier takes just after it has canceled by itself is refused, and its fee is charged', async () => {
  const courier = await startScripted({ cancellation_fee: 300 });
  const { id, key } = await dispatchOne(courier);
  const provider = courier.fixture.config.providers.find(({ name }) => name === 'scripted');
  if (provider === undefined) throw new Error('there is no scripted courier');
  const { cancel } = provider;
  vi.spyOn(provider, 'cancel').mockImplementation(async (request) => {
    await courier.push([reportOf(key, 'provider_canceled')]);
    return cancel.call(provider, request);
  });
  const asked = courier.fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
  await expect(asked).rejects.toMatchObject({ code: 'delivery_not_cancelable' });
  const reported = 'adjustment 300 cancellation fee reported by the courier';
  expect(await chargesOf(courier, id)).toEqual([...refundedAlone, reported]);
});

test('the price of a canceled delivery is its fee only if it changed with the cancellation', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.push([billed(key, 'provider_canceled', { at: 2_000, canceled_price: 700 })]);
  expect(await chargesOf(courier, id)).toEqual(refundedAlone);
  await courier.push([billed(key, null, { at: 3_000, canceled_price: 250 })]);
  expect((await chargesOf(courier, id)).at(-1)).toBe(
    'adjustment 250 cancellation fee reported by the courier',
  );
});

test('a parcel that the courier has picked up and loses is paid until the courier gives something back', async () => {
  for (const status of ['failed', 'provider_canceled'] as const) {
    const courier = await startScripted();
    const { id, key } = await dispatchOne(courier);
    await courier.push([reportOf(key, 'pickup_complete'), reportOf(key, status, { occurred_at: 2_000 })]);
    expect(await chargesOf(courier, id)).toEqual(paid);
    await courier.push([billed(key, null, { at: 3_000, refunds: [{ id: '', amount: 900 }] })]);
    expect((await chargesOf(courier, id)).at(-1)).toBe('adjustment -900 refund reported by the courier');
  }
});

test('what a courier carries out although it was canceled is charged', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.fixture.client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
  await courier.push([billed(key, 'delivered', { at: 2_000, price: 700 })]);
  expect((await chargesOf(courier, id)).at(-1)).toBe(
    'adjustment 900 delivery carried out although it had ended here',
  );
});

test('the fee of an order that is taken back because another was refused is charged', async () => {
  const refusal = { kind: 'refused', reason: 'the parcel is too large' } as const;
  const create = async (_: unknown, number: number) => (number === 2 ? refusal : null);
  const courier = await startScripted({ create, cancellation_fee: 300 });
  const { deliveries } = await dispatchScripted(courier, 2);
  const charges = await Promise.all(deliveries.map(({ id }) => chargesOf(courier, id)));
  const fee = 'adjustment 300 cancellation fee reported by the courier';
  const refusedToo = refundedBy('the parcel is too large');
  expect(charges.sort((one, other) => other.length - one.length)).toEqual([[...refusedToo, fee], refusedToo]);
});

test('a courier is asked for later fees an hour, a day and a week after the end, and no more', async () => {
  const courier = await startScripted();
  const { id, key } = await dispatchOne(courier);
  await courier.push([reportOf(key, 'delivered')]);
  await courier.fixture.pass(hour / 12);
  const polls = courier.polls();
  courier.polled.push(billed(key, null, { at: 9_000, price: 760 }));
  for (const hours of [1, 23, 6 * 24, 30 * 24]) await courier.fixture.pass(hours * hour);
  expect(courier.polls()).toBe(polls + 3);
  const late = [...paid, 'adjustment 60 price reported by the courier'];
  expect(await chargesOf(courier, id)).toEqual(late);
  await courier.push([billed(key, null, { at: 10_000, price: 900 })]);
  expect(await chargesOf(courier, id)).toEqual(late);
});

interface Life {
  reports: (key: string) => CourierReport[];
  /** What the courier charges in all, with the tip. */
  total: number;
}

const cents = fc.integer({ min: 0, max: 2_000 });

/** What a courier does with a delivery that it carries, and what it charges. */
const lives: fc.Arbitrary<Life> = fc
  .record({
    end: fc.constantFrom('delivered', 'returned', 'failed', 'provider_canceled'),
    prices: fc.array(cents, { maxLength: 3 }),
    back: fc.option(cents, { nil: undefined }),
    refunds: fc.array(cents, { maxLength: 2 }),
  })
  .map(({ end, prices, back, refunds }) => {
    const total = (prices.at(-1) ?? 700) + 200 + (back ?? 0) - refunds.reduce((sum, each) => sum + each, 0);
    return {
      total,
      reports: (key) => [
        reportOf(key, 'pickup_complete', { occurred_at: 1_000 }),
        reportOf(key, end, { occurred_at: 20_000 }),
        ...prices.map((price, index) => billed(key, null, { at: 2_000 + index, price })),
        ...(back === undefined ? [] : [billed(key, null, { at: 3_000, return: back })]),
        ...refunds.map((amount, index) =>
          billed(key, null, { at: 4_000 + index, refunds: [{ id: `${index}`, amount }] }),
        ),
      ],
    };
  });

test('in any order of its reports, and if they are repeated, the charges add up to the courier’s bill', async () => {
  const courier = await startScripted();
  const client = courier.fixture.client();
  const run = fc.asyncProperty(lives, fc.infiniteStream(fc.nat()), async ({ reports, total }, numbers) => {
    const { id, key } = await dispatchOne(courier);
    const all = [...reports(key), ...reports(key)].map((report) => ({ report, rank: numbers.next().value }));
    all.sort((one, other) => (one.rank ?? 0) - (other.rank ?? 0));
    for (const { report } of all) await courier.push([report]);
    const { data } = await client.charges.list({ query: { delivery_id: id } });
    expect(data.data.reduce((sum, { amount }) => sum + amount, 0)).toBe(total);
  });
  await fc.assert(run, { numRuns: 25 });
});
