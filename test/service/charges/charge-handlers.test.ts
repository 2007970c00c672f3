import { expect, test } from 'vitest';
import { records } from '../../../src/client/pages.ts';
import { runToEnd, scenarioHeader, startedDelivery } from '../delivery-runs.ts';
import { orderRequest, start, startClient } from '../fixture.ts';
import { dispatchedOrder } from '../route-runs.ts';

test('charges are listed newest first, in pages, and filtered by delivery, kind and time', async () => {
  const { fixture, client } = await startClient();
  const ids: string[] = [];
  for (const tip of [300, 0]) {
    ids.push((await dispatchedOrder(fixture, orderRequest({ tip }))).id);
    await fixture.pass(1_000);
  }
  const [delivery_id = '', other] = ids;
  const { data: delivery } = await client.deliveries.get({ params: { deliveryid: delivery_id } });
  const listCharges = async (query: object) => (await client.charges.list({ query })).data.data;
  const ofDelivery = await listCharges({ delivery_id });
  expect(ofDelivery.map(({ kind, amount }) => [kind, amount]).sort()).toEqual([
    ['delivery', delivery.payment_amount],
    ['tip', 300],
  ]);
  expect(ofDelivery[0]).toEqual({
    id: expect.stringMatching(/^chg_[0-9A-Z]{26}$/),
    object: 'charge',
    delivery_id,
    order_id: expect.stringMatching(/^ord_/),
    external_order_ref: '',
    store_id: null,
    store_name: null,
    service: delivery.service,
    given_back: false,
    service_fee: expect.any(Number),
    kind: expect.any(String),
    reason: null,
    amount: expect.any(Number),
    currency: 'USD',
    test_mode: true,
    created_at: new Date(start + 5_000).toISOString(),
  });
  const all = await listCharges({});
  expect(all.map((charge) => charge.delivery_id)).toEqual([other, delivery_id, delivery_id]);
  const seen: string[] = [];
  for await (const { id } of records(client.charges.list, { limit: 1 })) seen.push(id);
  expect(seen).toEqual(all.map(({ id }) => id));
  const idsFound = async (query: object) => (await listCharges(query)).map(({ id }) => id);
  const idsOf = (charges: typeof all) => charges.map(({ id }) => id);
  const between = new Date(start + 5_500).toISOString();
  expect(await idsFound({ kind: 'delivery' })).toEqual(idsOf(all.filter(({ kind }) => kind === 'delivery')));
  expect(await idsFound({ kind: 'tip', delivery_id: other })).toEqual([]);
  expect(await idsFound({ created_after: between })).toEqual(idsOf(all.slice(0, 1)));
  expect(await idsFound({ created_before: between })).toEqual(idsOf(ofDelivery));
  expect(await listCharges({ delivery_id: 'dlv_nobody' })).toEqual([]);
  expect((await fixture.client(fixture.keys.live).charges.list()).data.data).toEqual([]);
});

const paid = (given_back: boolean) => [
  ['delivery', null, given_back],
  ['tip', null, given_back],
];
test.each([
  ['happy_path', '', paid(false)],
  [
    'happy_path',
    'It rains',
    [['cancellation', 'It rains', false], ...paid(true), ['refund', 'It rains', false]],
  ],
  ['happy_path', 'dispute: It never came', [...paid(false), ['refund', 'It never came', false]]],
  ['no_driver', '', [...paid(true), ['refund', 'No driver was found', false]]],
  ['customer_refused', '', [...paid(false), ['return', 'the recipient refused the parcel', false]]],
] as const)('what was charged for %s, ended by %j', async (scenario, why, charged) => {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, scenario, { tip: 300, request_signature: true });
  const params = { deliveryid: delivery.id };
  const [, complaint] = why.split('dispute: ');
  await fixture.pass(3 * 60_000);
  if (why !== '' && complaint === undefined)
    await client.deliveries.cancel({ params, body: { reason: why } });
  await runToEnd(fixture, client, delivery);
  if (complaint !== undefined) {
    await client.deliveries.dispute({ params, body: { reason: complaint } });
    await client.disputes.resolve({ params, body: { outcome: 'refunded' } });
  }
  const { data } = await client.charges.list({ query: { delivery_id: delivery.id } });
  const shown = data.data.map((charge) => [charge.kind, charge.reason, charge.given_back]);
  expect(shown.toSorted()).toEqual(charged.toSorted());
});

test.each([
  ['America/Chicago', '2026-03-02', 12],
  ['Asia/Kolkata', '2026-03-03', 0],
  ['Asia/Kathmandu', '2026-03-03', 0],
  ['America/St_Johns', '2026-03-02', 15],
])(
  'a report by days and hours of %s has an order of 18:40 UTC at %s, hour %d',
  async (time_zone, day, hour) => {
    const { fixture, client } = await startClient();
    await fixture.pass(400 * 60_000);
    await startedDelivery(client, 'happy_path');
    const created_after = new Date(start).toISOString();
    const query = { created_after, time_zone, by: ['day' as const, 'hour' as const] };
    const { data } = (await client.reports.get({ query })).data;
    expect(data.map((row) => [row.day, row.hour, row.orders])).toEqual([[day, hour, 1]]);
  },
);

test('a deleted store has in a report the name that its newest delivery keeps', async () => {
  const { fixture, client } = await startClient();
  const { pickup_address, pickup_name, pickup_phone_number, ...dropoff } = orderRequest();
  const place = { address: pickup_address ?? '', phone_number: pickup_phone_number ?? '' };
  const { id: store_id } = (await client.stores.create({ body: { name: 'Old', ...place } })).data;
  const created_after = new Date(start).toISOString();
  for (const [name, scenario] of [
    ['Old', 'happy_path'],
    ['New', 'no_driver'],
  ] as const) {
    await client.stores.update({ params: { store_id }, body: { name } });
    const body = { ...dropoff, pickup_store_id: store_id, initiate: true };
    const { data } = await client.deliveries.create({ body, headers: scenarioHeader(scenario) });
    await runToEnd(fixture, client, data);
  }
  await client.stores.delete({ params: { store_id } });
  const { data } = (await client.reports.get({ query: { created_after, by: ['store'] } })).data;
  expect(data.map(({ store_name, orders }) => [store_name, orders])).toEqual([['New', 2]]);
});
