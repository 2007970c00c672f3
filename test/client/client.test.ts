import { expect, expectTypeOf, test } from 'vitest';
import { ApiError, ModeMismatch } from '../../src/client/errors.ts';
import type { Job, Route } from '../../src/contract/routes.ts';
import { json, page, refusal, scripted } from './fakes.ts';

const job = { job_id: 'job_1', object: 'job' };
const route = {
  ...{ id: 'rte_1', object: 'route', status: 'draft', order_ids: ['ord_1'], stops: [], distance_miles: 1.9 },
  ...{ test_mode: true, created_at: '2026-03-02T10:00:00.000Z', updated_at: '2026-03-02T10:00:00.000Z' },
};

test('a call sends its operation: method, path with params, query, and the common headers', async () => {
  const { client, sent } = scripted([json(200, { ...route, id: 'rte_1/../2' }), page([])]);
  await client.routes.get({ params: { route_id: 'rte_1/../2' } });
  await client.deliveries.list({ query: { phone: '+1 312', status: undefined, limit: 5 } });
  expect(sent[0]).toEqual({
    method: 'GET',
    path: '/v2/routes/rte_1%2F..%2F2',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      'user-agent': 'waybill/1',
      'x-api-key': 'wb_test_abc',
    },
    body: '',
  });
  expect(sent[1]?.path).toBe('/v1/deliveries?phone=%2B1%20312&limit=5');
});

test('a POST has JSON, a fresh or given idempotency key, and extra headers', async () => {
  const { client, sent } = scripted([json(200, route), json(200, route), json(200, job)]);
  await client.routes.create({ body: { order_ids: ['ord_1'] } });
  await client.routes.create({ body: { order_ids: ['ord_1'] }, idempotencyKey: 'mine' });
  await client.quotes.request({ params: { route_id: 'rte_1' }, headers: { 'X-Simulation': 'no_quotes' } });
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'mine', 'key-2']);
  expect(sent.map(({ body }) => body)).toEqual(['{"order_ids":["ord_1"]}', '{"order_ids":["ord_1"]}', '']);
  expect(sent[2]?.headers).toMatchObject({ 'x-simulation': 'no_quotes', 'content-type': 'application/json' });
});

test('types follow the contract: what is required, and what comes back', () => {
  const { client } = scripted([]);
  expectTypeOf(client.quotes.request).returns.resolves.toHaveProperty('data').toEqualTypeOf<Job>();
  expectTypeOf(client.routes.get).returns.resolves.toHaveProperty('data').toEqualTypeOf<Route>();
  expectTypeOf(client.routes.list).toBeCallableWith();
  expectTypeOf(client.routes.list).toBeCallableWith({ query: { status: 'draft' } });
  expectTypeOf(client.routes.get).parameter(0).toHaveProperty('params').toEqualTypeOf<{ route_id: string }>();
  expectTypeOf<Parameters<typeof client.account.get>>().toEqualTypeOf<
    [input?: Parameters<typeof client.account.get>[0]]
  >();
  // @ts-expect-error: params are required
  expect(() => client.routes.get satisfies () => unknown).not.toThrow();
});

test('a response has its service time, request id, status, and whether it is a stored one', async () => {
  const headers = {
    'x-service-time': '2026-03-02T10:00:00.250Z',
    'x-request-id': 'req_9',
    'idempotent-replayed': 'true',
  };
  const { client } = scripted([json(200, job, headers), json(200, job)]);
  const params = { route_id: 'rte_1' };
  expect(await client.quotes.request({ params })).toEqual({
    data: job,
    service_time: Date.parse('2026-03-02T10:00:00.250Z'),
    request_id: 'req_9',
    status: 200,
    replayed: true,
  });
  const bare = await client.quotes.request({ params });
  expect(bare).toMatchObject({ service_time: null, request_id: null, replayed: false });
});

test('an error response is an ApiError with all its fields', async () => {
  const details = [{ path: 'orders[0].tip', message: 'is not a number' }];
  const { client } = scripted([refusal(400, 'invalid_request', {}, { details })]);
  const error: unknown = await client.orders.list().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({
    ...{ code: 'invalid_request', status: 400, message: 'Said: invalid_request.', request_id: 'req_1' },
    ...{ details, retry_after_ms: null },
  });
});

test.each([
  [
    'a page',
    403,
    { headers: { 'content-type': 'text/html' }, body: '<h1>Forbidden</h1>' },
    'unexpected_answer',
    'is a web page ("Forbidden"), not the answer of a delivery service',
  ],
  ['a code and a message', 400, { code: 'bad', message: 'Too bad.' }, 'bad', 'Too bad.'],
  ['both within an error', 409, { error: { code: 'taken', message: 'Gone.' } }, 'taken', 'Gone.'],
  ['a sentence as the error', 422, { error: 'No such ZIP.' }, 'invalid_request', 'No such ZIP.'],
  ['a code as the error', 400, { error: 'no' }, 'no', 'no'],
  ['a message alone', 401, { message: 'Who are you?' }, 'unauthorized', 'Who are you?'],
  ['a list of errors', 422, { errors: [{ message: 'No ZIP.' }] }, 'invalid_request', 'No ZIP.'],
  ['a text', 429, { headers: {}, body: 'Slow down' }, 'rate_limited', 'Slow down'],
  ['nothing', 500, { headers: {}, body: '' }, 'http_500', 'status 500'],
])('an error in the form %s has its code and message', async (_, status, body, code, message) => {
  const response = 'headers' in body ? { status, ...body } : json(status, body);
  const { client } = scripted(Array.from({ length: 4 }, () => response));
  const error: unknown = await client.deliveries.list().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code, status });
  expect(String(error)).toContain(message);
});

const html = { headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<h1>Bad Gateway</h1>' };

test.each([
  ['a page with a good status', { status: 200, ...html }],
  ['JSON of something else', json(200, { hello: 'world' })],
  ['nothing at all', { status: 200, headers: {}, body: '' }],
])('%s is an unexpected response and not a crash', async (_, response) => {
  const { client } = scripted([response]);
  const error: unknown = await client.routes.list().catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'unexpected_answer', status: response.status });
  expect(String(error)).toMatch(/Check the base URL/);
});

test('a redirect is not followed, and the error names its target', async () => {
  const moved = { status: 308, headers: { location: 'https://x.example/v2/routes' }, body: '' };
  await expect(scripted([moved]).client.routes.list()).rejects.toThrow(/redirects to https:\/\/x.example/);
});

test('a response of the other mode is refused, in records and lists', async () => {
  const one = scripted([json(200, route), page([route])], { testMode: false });
  await expect(one.client.routes.get({ params: { route_id: 'rte_1' } })).rejects.toBeInstanceOf(ModeMismatch);
  await expect(one.client.routes.list()).rejects.toThrow(/test mode, but the profile is for live mode/);
  const same = scripted([json(200, route), json(200, job)], { testMode: true });
  await expect(same.client.routes.get({ params: { route_id: 'rte_1' } })).resolves.toBeDefined();
  await expect(same.client.quotes.request({ params: { route_id: 'rte_1' } })).resolves.toBeDefined();
});

test('a raw request returns status and text, whatever the status', async () => {
  const { client, sent } = scripted([{ status: 404, headers: {}, body: 'nope' }]);
  expect(await client.raw({ method: 'POST', path: '/x?y=1', body: '{}' })).toMatchObject({
    status: 404,
    text: 'nope',
  });
  expect(sent[0]).toMatchObject({ path: '/x?y=1', body: '{}', headers: { 'idempotency-key': 'key-1' } });
});

test('an array is read from an array, from an object that contains it, and from its only record', async () => {
  const one = { id: 'q1', fee: 949, service: 'senpex' };
  const { client } = scripted([json(200, []), json(200, { object: 'list', data: [] }), json(200, one)]);
  const body = { pickup_store_id: 'str_1', dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' };
  expect((await client.deliveries.quote({ body })).data).toEqual([]);
  expect((await client.deliveries.quote({ body })).data).toEqual([]);
  expect((await client.deliveries.quote({ body })).data).toMatchObject([one]);
});
