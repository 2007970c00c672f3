import { expect, test } from 'vitest';
import { OutcomeUnknown, Unreachable } from '../../src/client/errors.ts';
import type { Exchange } from '../../src/client/retries.ts';
import type { WireResponse } from '../../src/contract/operation.ts';
import { json, page, refusal, refused, scripted, startedAt } from './fakes.ts';

const job = { job_id: 'job_1', object: 'job' };
const params = { route_id: 'rte_1' };

test.each([429, 502, 503, 504])('status %d is retried', async (status) => {
  const { client, sent } = scripted([refusal(status, 'internal_error'), page([])]);
  await client.routes.list();
  expect(sent).toHaveLength(2);
});

test.each([400, 401, 404, 409, 422, 500])('status %d is not retried', async (status) => {
  const { client, sent } = scripted([refusal(status, 'internal_error'), page([])]);
  await expect(client.routes.list()).rejects.toMatchObject({ status });
  expect(sent).toHaveLength(1);
});

test('a POST keeps its idempotency key in retries', async () => {
  const unavailable = refusal(503, 'storage_unavailable', serviceTime);
  const { client, sent } = scripted([refused(), unavailable, json(200, job)]);
  await client.quotes.request({ params });
  expect(sent.map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1', 'key-1', 'key-1']);
});

const serviceTime = { 'x-service-time': new Date(startedAt).toISOString() };
const lost = () => Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });
const missing = json(404, { error: 'Not Found' });
const post = 'POST /v2/routes/rte_1/quotes';
const ask = 'GET /v2/account';

test.each<[string, WireResponse[], string[], (Error | WireResponse)?]>([
  ['the service answers with its time', [json(401, {}, serviceTime), json(200, job)], [post, ask, post]],
  ['its failure has the time of the service', [], [post, post], refusal(503, 'overloaded', serviceTime)],
])('a POST that may have been done is repeated if %s', async (_, answers, expected, failure = lost()) => {
  const { client, sent } = scripted([failure, ...answers, json(200, job)]);
  expect((await client.quotes.request({ params })).data).toEqual(job);
  expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual(expected);
});

const damaged = Object.assign(new Error('alert'), { code: 'ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC' });

test.each([lost(), damaged, refusal(503, 'unavailable'), refusal(524, 'timeout'), refusal(500, 'error')])(
  'a POST that may have been done is sent once if nothing shows that keys are kept: %o',
  async (failure) => {
    const { client, sent } = scripted([failure, missing, failure]);
    const request = () => client.quotes.request({ params });
    await expect(request()).rejects.toMatchObject({ name: 'OutcomeUnknown', operation: 'GetRouteQuotes' });
    // The service has answered: it is not asked again.
    await expect(request()).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(sent.map(({ method, path }) => `${method} ${path}`)).toEqual([post, ask, post]);
  },
);

test.each([lost(), refusal(504, 'timeout')])(
  'a record that is gone after %o was deleted',
  async (failure) => {
    const gone = refusal(404, 'record_not_found');
    const { client } = scripted([failure, gone, gone]);
    expect((await client.routes.delete({ params })).data).toMatchObject({ id: 'rte_1', deleted: true });
    await expect(client.routes.delete({ params })).rejects.toMatchObject({ code: 'record_not_found' });
  },
);

test('an order that was deleted with a lost answer is canceled', async () => {
  const gone = refusal(404, 'record_not_found');
  const { client } = scripted([missing, lost(), gone]);
  const { data } = await client.orders.cancel({ params: { order_id: 'o_1' } });
  expect(data).toMatchObject({ id: 'o_1', status: 'canceled' });
});

test('a service that could not be asked is asked again after the next failure', async () => {
  const { client, sent } = scripted([
    ...[lost(), refused(), refused(), refused(), refused()],
    ...[lost(), json(200, {}, serviceTime), json(200, job)],
  ]);
  await expect(client.quotes.request({ params })).rejects.toBeInstanceOf(OutcomeUnknown);
  expect((await client.quotes.request({ params })).data).toEqual(job);
  expect(sent.map(({ path }) => path).filter((path) => path === '/v2/account')).toHaveLength(5);
});

test('a raw POST is sent once as well', async () => {
  const { client, sent } = scripted([lost(), missing]);
  const raw = client.raw({ method: 'POST', path: '/v2/routes' });
  await expect(raw).rejects.toBeInstanceOf(OutcomeUnknown);
  expect(sent.map(({ method }) => method)).toEqual(['POST', 'GET']);
});

test('the wait is a random part of a maximum that doubles up to 8 s', async () => {
  const faults = Array.from({ length: 8 }, refused);
  const { client, waits } = scripted([...faults, page([])], { attempts: 9 });
  await client.routes.list();
  expect(waits).toEqual([125, 250, 500, 1000, 2000, 4000, 4000, 4000]);
  const none = scripted([refused(), page([])], { chance: () => 0 });
  await none.client.routes.list();
  expect(none.waits).toEqual([0]);
});

test.each([
  ['seconds', '7', 7000],
  ['a date', new Date(startedAt + 9000).toUTCString(), 9000],
  ['a date gone by', new Date(startedAt - 9000).toUTCString(), 0],
])('Retry-After as %s is followed', async (_, text, wait) => {
  const { client, waits } = scripted([refusal(429, 'rate_limited', { 'retry-after': text }), page([])]);
  await client.routes.list();
  expect(waits).toEqual([wait]);
});

test.each([-1, 1])(
  'Retry-After as a date of a service whose clock is %d h off is followed',
  async (hours) => {
    const at = (ms: number) => new Date(startedAt + hours * 3_600_000 + ms).toUTCString();
    const headers = { date: at(0), 'retry-after': at(9000) };
    const { client, waits } = scripted([refusal(429, 'rate_limited', headers), page([])]);
    await client.routes.list();
    expect(waits).toEqual([9000]);
  },
);

test('an invalid Retry-After leaves the usual wait', async () => {
  const { client, waits } = scripted([refusal(503, 'x', { 'retry-after': 'soon' }), page([])]);
  await client.routes.list();
  expect(waits).toEqual([125]);
});

test('no attempt begins after the total time; the last response is the result', async () => {
  const busy = refusal(429, 'rate_limited', { 'retry-after': '50' });
  const { client, sent, waits } = scripted([busy, busy, busy], { totalTimeout_ms: 90_000 });
  await expect(client.routes.list()).rejects.toMatchObject({ code: 'rate_limited', retry_after_ms: 50_000 });
  expect([sent.length, waits]).toEqual([2, [50_000]]);
});

test('time spent in attempts counts', async () => {
  const late = { attemptTime_ms: 30_000, totalTimeout_ms: 45_000 };
  const { client, sent } = scripted([refused(), refused(), refused()], late);
  await expect(client.routes.list()).rejects.toBeInstanceOf(Unreachable);
  expect(sent).toHaveLength(2);
});

test('a request still running under its key is retried when the service says', async () => {
  const running = refusal(409, 'idempotency_key_in_use', { 'retry-after': '1' });
  const { client, waits } = scripted([running, json(200, job)]);
  await client.quotes.request({ params });
  expect(waits).toEqual([1000]);
  const other = scripted([refusal(409, 'route_not_draft', { 'retry-after': '1' })]);
  await expect(other.client.quotes.request({ params })).rejects.toMatchObject({ code: 'route_not_draft' });
});

test('a missing response is Unreachable with its cause', async () => {
  const { client, sent } = scripted(Array.from({ length: 4 }, refused));
  const error: unknown = await client.routes.list().catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Unreachable);
  expect(error).toMatchObject({ message: 'No response from the service: connection refused.' });
  expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  expect(sent).toHaveLength(4);
});

test('an error of the program is neither retried nor reworded', async () => {
  const { client, sent } = scripted([new TypeError('oops')]);
  await expect(client.routes.list()).rejects.toThrow(TypeError);
  expect(sent).toHaveLength(1);
});

test('every attempt is observed', async () => {
  const seen: Exchange[] = [];
  const { client } = scripted([refused(), page([])], {
    attemptTime_ms: 20,
    observe: (exchange) => seen.push(exchange),
  });
  await client.routes.list();
  expect(seen).toMatchObject([
    { attempt: 1, response: null, error: { name: 'Unreachable' }, duration_ms: 20, retry_in_ms: 125 },
    { attempt: 2, response: { status: 200 }, error: null, duration_ms: 20, retry_in_ms: null },
  ]);
});

test('a raw request is retried too', async () => {
  const { client } = scripted([refused(), { status: 200, headers: {}, body: 'ok' }]);
  expect(await client.raw({ method: 'GET', path: '/health' })).toMatchObject({ text: 'ok' });
});
