import { expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { AcceptedUnread, OutcomeUnknown, Unreachable, Unsupported } from '../../src/client/errors.ts';
import { json, refusal, refused, scripted } from './fakes.ts';

const order = {
  pickup_store_id: 'str_1',
  dropoff_address: 'x',
  dropoff_name: 'y',
  dropoff_phone_number: 'z',
};
const create = { body: { orders: [order] } };

test('a missing field reads as empty and is absent in JSON', async () => {
  const quote = { id: 7, cost_of_delivery: 599, service_fee: null, provider: 'thrifty', colour: 'red' };
  const { client } = scripted([json(200, { data: [quote] })]);
  const { data } = await client.quotes.list({ params: { route_id: '4711' } });
  const [read] = data.data ?? [];
  expect(data.status).toBe('COMPLETE');
  expect(read).toMatchObject({
    id: '7',
    cost_of_delivery: 599,
    route_id: '4711',
    expires_at: null,
    dropoff_eta: '',
  });
  expect(read?.service_fee).toBeNaN();
  expect(JSON.parse(JSON.stringify(read))).toEqual({
    ...{ id: '7', cost_of_delivery: 599, provider: 'thrifty', colour: 'red' },
  });
});

test.each([
  ['burq_fee', { cost_of_delivery: 850, burq_fee: 99 }, [850, 99]],
  ['burq_fee beside another', { cost_of_delivery: 850, burq_fee: 99, wait_fee: 20 }, [850, 99]],
  ['service_fee beside burq_fee', { cost_of_delivery: 850, burq_fee: 99, service_fee: 98 }, [850, 98]],
  ['another fee', { cost_of_delivery: 850, platform_fee: 99 }, [850, 99]],
  ['two others', { cost_of_delivery: 850, platform_fee: 99, wait_fee: 20 }, [850, Number.NaN]],
  // It may be a part or the whole price.
  ['fee alone', { fee: 949 }, [Number.NaN, Number.NaN]],
  ['fee beside the cost', { cost_of_delivery: 850, fee: 949 }, [850, Number.NaN]],
])('the price of a quote is read with %s', async (_, price, expected) => {
  const { client } = scripted([json(200, { data: [{ id: '7', ...price }] })]);
  const { data } = await client.quotes.list({ params: { route_id: '4711' } });
  const [read] = data.data ?? [];
  expect([read?.cost_of_delivery, read?.service_fee]).toEqual(expected);
});

test.each(['599', '5.99', 5.99])('the amount %j is missing: amounts are whole cents', async (amount) => {
  const quote = { id: '7', cost_of_delivery: amount, service_fee: 48, provider: 'thrifty' };
  const { client } = scripted([json(200, { data: [quote] })]);
  const { data } = await client.quotes.list({ params: { route_id: '4711' } });
  expect(data.data).toMatchObject([{ cost_of_delivery: Number.NaN, service_fee: 48 }]);
});

test.each([
  ['courier_name', null],
  ['courier_name', 'Ana'],
  ['tip', null],
  ['tip', 300],
])('%s is kept as %j, also in JSON: each of its types is read', async (field, value) => {
  const { client } = scripted([json(200, { id: '1', status: 'delivered', [field]: value })]);
  const { data } = await client.deliveries.get({ params: { deliveryid: '1' } });
  expect(JSON.parse(JSON.stringify(data))).toEqual({ id: '1', status: 'delivered', [field]: value });
});

test('a service without version 2 of deliveries is asked for version 1, whose details read as empty', async () => {
  const record = { id: 1, status: 'DELIVERED', external_order_ref: '#7' };
  const { client, sent } = scripted([
    refusal(404, 'not_found'),
    json(200, record),
    json(200, [record, { id: 2, external_order_ref: '#8' }]),
  ]);
  const { data } = await client.deliveries.getDetailed({ params: { deliveryid: '1' } });
  expect(data).toMatchObject({ id: '1', status: 'delivered', details: { matched: '', notes: [] } });
  expect(JSON.stringify(data)).not.toContain('details');
  const listed = await client.deliveries.listDetailed({ query: { external_order_ref: '#7' } });
  expect(listed.data.data.map(({ id }) => id)).toEqual(['1']);
  expect(sent.map(({ path }) => path.split('?')[0])).toEqual([
    ...['/v2/deliveries/1', '/v1/delivery/1', '/v1/deliveries'],
  ]);
});

test.each([
  ['a page', { object: 'list', data: [{ id: 1, status: 'delivered' }], has_more: false, next_cursor: null }],
  ['data alone', { data: [{ id: 1, status: 'delivered' }] }],
  ['an array', [{ id: 1, status: 'delivered' }]],
  ['a list of its own name', { deliveries: [{ id: 1, status: 'delivered' }], total: 1 }],
])('a list is read from %s', async (_, body) => {
  const { client } = scripted([json(200, body)]);
  const { data } = await client.deliveries.list();
  expect(data.data.map(({ id, status, dropoffs }) => [id, status, dropoffs])).toEqual([
    ['1', 'delivered', []],
  ]);
  expect([Boolean(data.has_more), data.next_cursor]).toEqual([false, null]);
});

test('a created order or batch needs only its id, which may be a number', async () => {
  const { client } = scripted([
    json(201, { id: 4711 }),
    json(202, { batch_id: 9 }),
    json(200, { batch_id: 9 }),
  ]);
  expect((await client.orders.create(create)).data).toMatchObject({ id: '4711', status: 'open' });
  for (let count = 0; count < 2; count += 1)
    expect((await client.orders.create(create)).data).toMatchObject({ batch_id: '9', object: 'batch' });
});

test('an accepted write without the needed fields keeps its response', async () => {
  const { client } = scripted([json(200, { thanks: true }), { status: 201, headers: {}, body: 'OK' }]);
  const [first, second] = [0, 1].map(() => client.orders.create(create).catch((error: unknown) => error));
  expect(await first).toBeInstanceOf(AcceptedUnread);
  expect(await first).toMatchObject({ operation: 'CreateOrders', status: 200, body: '{"thanks":true}' });
  expect(await second).toMatchObject({ status: 201, body: 'OK' });
});

test('a write without needed fields succeeds with any response', async () => {
  const notices: unknown[] = [];
  const onNotice = (notice: unknown) => notices.push(notice);
  const { client } = scripted([{ status: 204, headers: {}, body: '' }], { onNotice });
  const { data } = await client.deliveries.initiate({ params: { deliveryid: '8' }, body: {} });
  expect([data.id, JSON.stringify(data)]).toEqual(['8', '{}']);
  expect(notices).toEqual([{ kind: 'unread', status: 204 }]);
});

test('a write without needed fields succeeds with a list of other records', async () => {
  const { client } = scripted([json(200, [{ id: 1 }, { id: 2 }]), json(200, [])]);
  for (let count = 0; count < 2; count += 1) {
    const { data } = await client.quotes.request({ params: { route_id: '8' }, body: {} });
    expect([data.job_id, JSON.stringify(data)]).toEqual(['', '{}']);
  }
});

test('a record within another is no delivery with the status of the other', async () => {
  const { client } = scripted([json(200, { status: 'success', data: { id: '8', status: 'delivered' } })]);
  const got = client.deliveries.get({ params: { deliveryid: '8' } });
  await expect(got).rejects.toMatchObject({ code: 'unexpected_answer' });
});

test('a record with another id than requested is not found', async () => {
  const { client } = scripted([json(200, { id: '1', status: 'delivered' })]);
  const got = client.deliveries.get({ params: { deliveryid: '2' } });
  await expect(got).rejects.toMatchObject({ code: 'record_not_found', status: 404 });
});

test('records that do not match a filter are left out, and further pages are searched', async () => {
  const page = (ids: number[], next: string | null) =>
    json(200, {
      data: ids.map((id) => ({ id, status: 'request', external_order_ref: id % 2 === 0 ? 'even' : 'odd' })),
      has_more: next !== null,
      next_cursor: next,
    });
  const notices: unknown[] = [];
  const onNotice = (notice: unknown) => notices.push(notice);
  const { client, sent } = scripted([page([1, 2], 'a'), page([3, 4], null)], { onNotice });
  const { data } = await client.deliveries.list({ query: { external_order_ref: 'even' } });
  expect(data.data.map(({ id }) => id)).toEqual(['2', '4']);
  expect(sent).toHaveLength(2);
  expect(notices).toEqual([{ kind: 'filtered', names: ['external_order_ref'], searched: 4, isWhole: true }]);
});

test('searching what a service does not filter ends with an error when its pages repeat', async () => {
  const same = json(200, { data: [{ id: 1, status: 'request' }], has_more: true, next_cursor: 'again' });
  const { client, sent } = scripted(Array.from({ length: 9 }, () => same));
  const found = client.deliveries.list({ query: { external_order_ref: 'x' } });
  await expect(found).rejects.toThrow(/next_cursor repeats/);
  expect(sent.length).toBeLessThan(5);
});

const reset = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const without = { features: { idempotency: false } };

test('without idempotency a POST that may have arrived is sent once, and its outcome is unknown', async () => {
  for (const fault of [reset(), refusal(503, 'storage_unavailable')]) {
    const { client, sent } = scripted([fault, json(200, { id: 1 })], without);
    const error = await client.orders.create(create).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(OutcomeUnknown);
    expect([error, sent.length]).toMatchObject([{ operation: 'CreateOrders' }, 1]);
  }
});

test('a POST that was never sent is repeated, and so is a GET', async () => {
  const { client, sent } = scripted([refused(), json(200, { id: 1 }), reset(), json(200, [])], {
    features: { ...without.features, orders: false },
  });
  expect((await client.orders.create(create)).data).toMatchObject({ id: '1' });
  await client.deliveries.list();
  expect(sent).toHaveLength(4);
});

test('a response that breaks off after its status counts as accepted', async () => {
  const partial = { status: 200, headers: {}, body: '{"id":' };
  const { client } = scripted([new Unreachable('cut', { partial })], without);
  await expect(client.orders.create(create)).rejects.toMatchObject({
    name: 'AcceptedUnread',
    body: '{"id":',
  });
});

test.each([
  ['JSON', json(404, { error: 'Not Found' })],
  ['a page', { status: 404, headers: { 'content-type': 'text/html' }, body: '<title>Cannot GET</title>' }],
])('a missing path is distinguished from a missing record, with %s', async (_, missing) => {
  const { client, sent } = scripted([json(200, []), missing, missing, missing]);
  await client.deliveries.list();
  await expect(client.stores.list()).rejects.toBeInstanceOf(Unsupported);
  await expect(client.orders.get({ params: { order_id: '1' } })).rejects.toBeInstanceOf(Unsupported);
  expect(sent.slice(1).map(({ path }) => path)).toEqual(['/v2/stores', '/v2/orders/1', '/v2/orders']);
  const there = scripted([json(200, []), missing, json(200, [])]);
  await there.client.deliveries.list();
  const order = there.client.orders.get({ params: { order_id: '1' } });
  await expect(order).rejects.toMatchObject({ name: 'ApiError', status: 404 });
});

/** What a network that wants a login, a proxy or another site answers to everything. */
const webPages: Record<string, { status: number; headers: Record<string, string>; body: string }> = {
  'a login page': { status: 200, headers: { 'content-type': 'text/html' }, body: '<title>Sign in</title>' },
  'a page without a type': { status: 200, headers: {}, body: '<!DOCTYPE html><html><h1>Welcome</h1></html>' },
  'a missing page': { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>404 Not Found</h1>' },
  'a page that allows no method': {
    ...{ status: 405, headers: { 'content-type': 'text/html' }, body: '<h1>Not Allowed</h1>' },
  },
  'a blocked page': { status: 403, headers: { 'content-type': 'text/html' }, body: '<title>Blocked</title>' },
  'a page that wants a login': {
    ...{ status: 511, headers: { 'content-type': 'text/html' }, body: '<title>Login</title>' },
  },
};

test.each(Object.entries(webPages))(
  '%s says nothing about a service that has not answered',
  async (_, one) => {
    const isPage = /is a web page \(".+"\), not the answer of a delivery service/;
    const calls: Record<string, (client: Client) => Promise<unknown>> = {
      'a list': (client) => client.deliveries.list(),
      'a feature': (client) => client.stores.list(),
      'a record': (client) => client.orders.get({ params: { order_id: '1' } }),
      'what it can do': (client) => client.learn(),
      'what a write needs': (client) => client.learn({ isBrief: true }),
    };
    for (const call of Object.values(calls)) {
      const { client } = scripted(Array.from({ length: 8 }, () => one));
      await expect(call(client)).rejects.toMatchObject({
        ...{ name: 'PageReceived', code: 'unexpected_answer', status: one.status },
        message: expect.stringMatching(isPage),
      });
    }
    const { client } = scripted(
      Array.from({ length: 8 }, () => one),
      without,
    );
    const written = client.orders.create(create);
    // Whether the service received a write that a page answers with success is not known.
    await expect(written).rejects.toMatchObject({
      name: one.status === 200 ? 'OutcomeUnknown' : 'PageReceived',
    });
  },
);

test.each([
  ['an empty body', { status: 200, headers: {}, body: '' }],
  ['no content', { status: 204, headers: {}, body: '' }],
  ['null', json(200, null)],
  ['a page', { status: 200, headers: { 'content-type': 'text/html' }, body: '<title>Hotel</title>' }],
])('%s is no service without idempotency keys', async (_, one) => {
  const { client } = scripted([one, one, one, one]);
  await expect(client.learn({ isBrief: true })).rejects.toMatchObject({ code: 'unexpected_answer' });
});

test('a page at one path of a service that has answered elsewhere is a missing path', async () => {
  const missing = { status: 404, headers: { 'content-type': 'text/html' }, body: '<h1>Cannot GET</h1>' };
  const { client, sent } = scripted([missing, json(200, [])]);
  await expect(client.stores.list()).rejects.toBeInstanceOf(Unsupported);
  expect(sent.map(({ path }) => path)).toEqual(['/v2/stores', '/v1/deliveries?limit=1']);
});

test('an operation that a service is known to lack is refused before sending', async () => {
  const { client, sent } = scripted([], { features: { stores: false, stream: false } });
  await expect(client.stores.list()).rejects.toThrow('This service has no saved stores.');
  expect(() => client.follow({ signal: new AbortController().signal })).toThrow('no events');
  expect(sent).toEqual([]);
});

test('another service that lacks an operation is remembered by its feature; an own one may be updated', async () => {
  for (const idempotency of [false, true]) {
    const notices: unknown[] = [];
    const missing = json(404, { error: 'Not Found' });
    const { client } = scripted([missing, missing], {
      features: { idempotency },
      onNotice: (notice) => notices.push(notice),
    });
    await expect(client.stores.list()).rejects.toBeInstanceOf(Unsupported);
    expect(notices).toEqual(idempotency ? [] : [{ kind: 'lacking', feature: 'stores' }]);
  }
});

const invalid = (message: string) => json(422, { message });
const made = json(201, { id: 4711, status: 'OPEN' });

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

test('a list is asked for without its query where the service refuses that, and filtered here', async () => {
  const all = [{ id: 1, status: 'request', external_order_ref: 'A' }];
  const { client, sent } = scripted([invalid('unknown parameter'), json(200, all)]);
  const { data } = await client.deliveries.list({ query: { external_order_ref: 'B' } });
  expect([data.data, sent.map(({ path }) => path)]).toEqual([
    [],
    ['/v1/deliveries?external_order_ref=B', '/v1/deliveries'],
  ]);
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

test('an unknown path that is refused like an unknown record is not the path of orders', async () => {
  const { client, sent } = scripted([refusal(404, 'record_not_found'), made]);
  expect((await client.orders.create(create)).data).toMatchObject({ id: '4711' });
  expect(sent.map(({ path }) => path)).toEqual(['/orders/create', '/v2/orders']);
});

test('orders are created at /v2/orders if the first path is missing, in the form of the service', async () => {
  const missing = json(404, { message: 'Cannot POST' });
  const { client, sent } = scripted([missing, invalid('pickup_address is required'), made]);
  expect((await client.orders.create(create)).data).toMatchObject({ id: '4711', status: 'open' });
  expect(sent.map(({ path }) => path)).toEqual(['/orders/create', '/v2/orders', '/v2/orders']);
});
