import { beforeEach, expect, test } from 'vitest';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';
import { dispatchedOrder } from '../route-runs.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});

/** A dispatched delivery with a tip of $2.00. */
async function dispatched(): Promise<string> {
  return (await dispatchedOrder(fixture, orderRequest({ tip: 200, order_value: 3_000 }))).id;
}

async function edit(id: string, body: object) {
  const { status, body: text } = await fixture.send('PATCH', `/v1/delivery/${id}`, { body });
  return { status, body: JSON.parse(text) };
}

const tipsOf = async (delivery_id: string) => {
  const { data } = await fixture.client().charges.list({ query: { delivery_id } });
  return data.data.filter(({ kind }) => kind === 'tip').map(({ amount }) => amount);
};

test('a raised tip charges what it adds, each time, and is that of the order too', async () => {
  const id = await dispatched();
  expect((await edit(id, { tip: 500 })).body).toMatchObject({ tip: 500 });
  expect((await edit(id, { tip: 800, dropoff_notes: 'Ring' })).body).toMatchObject({ tip: 800 });
  expect(await tipsOf(id)).toEqual(expect.arrayContaining([200, 300, 300]));
  expect(await tipsOf(id)).toHaveLength(3);
  const { data } = await fixture.client().deliveries.get({ params: { deliveryid: id } });
  const order = await fixture.client().orders.get({ params: { order_id: data.order_id } });
  expect(order.data.tip).toBe(800);
});

test('the same tip charges nothing', async () => {
  const id = await dispatched();
  expect((await edit(id, { tip: 200 })).status).toBe(200);
  expect(await tipsOf(id)).toEqual([200]);
});

test('the tip of a stored delivery can be lowered, as nothing is charged yet', async () => {
  const { data } = await fixture.client().deliveries.create({ body: { ...orderRequest(), tip: 500 } });
  const { status, body } = await edit(data.id, { tip: 100 });
  expect([status, body.tip]).toEqual([200, 100]);
  expect(await tipsOf(data.id)).toEqual([]);
});

test('a phone with an extension keeps the notes that the recipient saves meanwhile', async () => {
  let meanwhile: (() => Promise<unknown>) | null = null;
  const client = fixture.client();
  const { data: made } = await client.deliveries.create({ body: orderRequest() });
  const params = { deliveryid: made.id };
  const { storage } = fixture;
  const transaction = storage.transaction;
  storage.transaction = async (...given) => {
    const act = meanwhile;
    meanwhile = null;
    await act?.();
    return transaction(...given);
  };
  meanwhile = () => client.deliveries.edit({ params, body: { dropoff_notes: 'Ring twice' } });
  await client.deliveries.edit({ params, body: { dropoff_phone_number: '312-555-0142 ext. 9' } });
  const { data } = await client.deliveries.get({ params });
  expect(data.dropoffs[0]?.dropoff_notes).toMatch(/Ring twice.*9|9.*Ring twice/s);
});

test('an edit that changes nothing is no event, and leaves the time of the last change', async () => {
  const id = await dispatched();
  const client = fixture.client();
  const seen = async () => (await client.events.list({ query: { delivery_id: id } })).data.data.length;
  const { data: before } = await client.deliveries.get({ params: { deliveryid: id } });
  const count = await seen();
  await fixture.pass(1);
  const { dropoff_notes } = before.dropoffs[0] ?? { dropoff_notes: '' };
  const { body } = await edit(id, { tip: 200, dropoff_notes });
  expect([body.updated_at, await seen()]).toEqual([before.updated_at, count]);
  await edit(id, { dropoff_notes: 'Ring' });
  expect(await seen()).toBe(count + 1);
});

test('of tips that are changed at the same time the highest is charged, once', async () => {
  const id = await dispatched();
  const answers = await Promise.all([500, 300, 500, 300].map((tip) => edit(id, { tip })));
  expect(answers.map(({ status }) => status)).toEqual([200, 400, 200, 400]);
  expect(answers[1]?.body.details).toEqual([
    { path: 'tip', message: 'must be at least the current $5.00 (500 cents): a tip is not taken back' },
  ]);
  expect(await tipsOf(id)).toEqual([300, 200]);
});

test('a cancellation refunds every part of the tip', async () => {
  const id = await dispatched();
  await edit(id, { tip: 500 });
  const params = { deliveryid: id };
  await fixture.client().deliveries.cancel({ params, body: {} });
  const { data } = await fixture.client().charges.list({ query: { delivery_id: id } });
  const fee = data.data.find(({ kind }) => kind === 'cancellation')?.amount ?? 0;
  expect(data.data.reduce((sum, { amount }) => sum + amount, 0)).toBe(fee);
});

test.each([
  [100, 'must be at least the current $2.00 (200 cents): a tip is not taken back'],
  [99_999, 'must be at most $100.00 (10000 cents): the larger of $100 and the value of the order'],
])('a tip of %i cents is refused, and the notes with it', async (tip, message) => {
  const id = await dispatched();
  const { status, body } = await edit(id, { tip, dropoff_notes: 'Ring' });
  expect([status, body.details]).toEqual([400, [{ path: 'tip', message }]]);
  expect(await tipsOf(id)).toEqual([200]);
  const { data } = await fixture.client().deliveries.get({ params: { deliveryid: id } });
  expect(data.dropoffs[0]?.dropoff_notes).not.toBe('Ring');
});

test('a declined payment leaves the tip as it is', async () => {
  const id = await dispatched();
  await fixture.client().account.update({ body: { payment_method: { status: 'declining' } } });
  const { status, body } = await edit(id, { tip: 500 });
  expect([status, body.code]).toEqual([409, 'delivery_not_editable']);
  expect(body.message).toContain('the payment of the tip was declined');
  expect(await tipsOf(id)).toEqual([200]);
});

test('a stored delivery is charged with its tip when it is initiated', async () => {
  const client = fixture.client();
  const { data } = await client.deliveries.create({ body: orderRequest({ tip: 200 }) });
  expect((await edit(data.id, { tip: 500 })).body).toMatchObject({ tip: 500 });
  expect(await tipsOf(data.id)).toEqual([]);
  await client.deliveries.initiate({ params: { deliveryid: data.id }, body: {} });
  expect(await tipsOf(data.id)).toEqual([500]);
});
