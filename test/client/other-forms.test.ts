import { expect, test } from 'vitest';
import { json, scripted } from './fakes.ts';

const order = { pickup_store_id: 'S1', dropoff_address: 'x', dropoff_name: 'y', dropoff_phone_number: 'z' };
const create = { body: { orders: [order] } };
const invalid = (message: string) => json(422, { message });
const made = json(201, { data: [{ id: 4711, status: 'OPEN' }] });

/** The bodies that were sent for an order, and what became of it. */
async function created(script: Parameters<typeof scripted>[0], body: object = create.body) {
  const { client, sent } = scripted(script, { features: { idempotency: false } });
  const outcome = client.orders.create({ body: { ...create.body, ...body } });
  const id = await outcome.then(({ data }) => ('id' in data ? data.id : null)).catch(String);
  return { id, bodies: sent.map((request) => JSON.parse(request.body)) };
}

const wrapped = { orders: [order] };

test.each([
  ['the whole body', [made], '4711', [wrapped]],
  ['the order alone', [invalid('pickup_address is required'), made], '4711', [wrapped, order]],
  [
    'the order within an object',
    [invalid('order is required'), invalid('order is required'), made],
    '4711',
    [wrapped, order, { order }],
  ],
])('a service gets %s if it expects that', async (_, script, id, bodies) => {
  expect(await created(script)).toEqual({ id, bodies });
});

test.each([
  [
    'a fault of the order itself',
    [invalid('orders[0].dropoff_name is wrong')],
    'ApiError: orders[0].dropoff_name is wrong',
  ],
  ['the form with a list', [invalid('wrong phone'), invalid('orders is missing')], 'ApiError: wrong phone'],
  ['the order alone', [invalid('unknown field'), invalid('wrong phone')], 'ApiError: wrong phone'],
  ['another refusal', [invalid('unknown field'), json(409, { message: 'exists' })], 'ApiError: exists'],
])('of several refusals, that of the expected form is the error: %s', async (_, script, message) => {
  const { id, bodies } = await created(script);
  expect([id, bodies]).toEqual([message, [wrapped, order].slice(0, script.length)]);
});

test('several orders, and those of auto dispatch, are sent in one form', async () => {
  const refusal = invalid('pickup_address is required');
  expect((await created([refusal], { orders: [order, order] })).bodies).toHaveLength(1);
  expect((await created([refusal], { settings: { mechanism: 'auto' } })).bodies).toHaveLength(1);
});

test('a service with the whole contract is sent an order once', async () => {
  const refusal = json(422, { message: 'wrong' }, { 'x-service-time': '2026-03-02T10:00:00.000Z' });
  expect((await created([refusal])).bodies).toEqual([wrapped]);
});

test('orders are created at /v2/orders if the other paths are missing, in the form of the service', async () => {
  const missing = json(404, { message: 'Cannot POST' });
  const { client, sent } = scripted([missing, missing, invalid('pickup_address is required'), made]);
  expect((await client.orders.create(create)).data).toMatchObject({ id: '4711', status: 'open' });
  expect(sent.map(({ path }) => path)).toEqual([
    ...['/orders/create', '/v2/orders/create', '/v2/orders', '/v2/orders'],
  ]);
});
