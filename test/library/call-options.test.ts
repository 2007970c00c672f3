import { createServer, type RequestListener } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { timer as commandTimer } from '../../src/cli/kit/system/streams.ts';
import { type ClientOptions, createClient, type Fetch, Unreachable } from '../../src/library/index.ts';
import { timer as libraryTimer } from '../../src/library/ports.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { listenLocally } from '../local-server.ts';

/** A client of a server that answers with these, one after the other, and then with the last one. */
async function clientOf(answers: RequestListener[], options: Partial<ClientOptions> = {}) {
  const requests: string[] = [];
  const server = await listenLocally(
    createServer((request, response) => {
      const answer = answers[Math.min(requests.length, answers.length - 1)];
      requests.push(`${request.method} ${request.url}`);
      answer?.(request, response);
    }),
  );
  onTestFinished(() => server.close());
  const baseUrl = `http://127.0.0.1:${server.port}/api`;
  return { requests, client: createClient({ baseUrl, apiKey: 'key_1', ...options }) };
}

const silent: RequestListener = () => {};
const busy: RequestListener = (_, response) => response.writeHead(503, { 'x-service-time': now }).end();
const now = '2026-03-02T12:00:00.000Z';
const params = { deliveryid: 'dlv_1' };

test('a signal ends a call with its reason: before it, on the way, and in the wait for the next attempt', async () => {
  const reason = new Error('enough');
  const { client, requests } = await clientOf([
    silent,
    (_, r) => r.writeHead(503, { 'retry-after': '60' }).end(),
  ]);
  const aborted = client.deliveries.get({ params, signal: AbortSignal.abort(reason) });
  await expect(aborted).rejects.toBe(reason);
  expect(requests).toEqual([]);
  for (const count of [1, 2]) {
    const controller = new AbortController();
    const call = client.deliveries.get({ params, signal: controller.signal });
    await expect.poll(() => requests.length).toBe(count);
    setTimeout(() => controller.abort(reason), 20);
    await expect(call).rejects.toBe(reason);
    expect(requests).toHaveLength(count);
  }
});

test('timeout_ms ends an attempt, and maxNetworkRetries limits the attempts, of a call and of a client', async () => {
  const { client, requests } = await clientOf([silent]);
  const late = client.deliveries.get({ params, timeout_ms: 1_000, maxNetworkRetries: 1 });
  await expect(late).rejects.toThrow(/^No response from http:\/\/127\.0\.0\.1:\d+\/api within 1 s\.$/);
  await expect.poll(() => requests).toEqual(Array(2).fill('GET /api/v1/delivery/dlv_1'));
  const own = await clientOf([busy], { maxNetworkRetries: 0 });
  await expect(own.client.deliveries.get({ params })).rejects.toMatchObject({ status: 503 });
  expect(own.requests).toHaveLength(1);
  await expect(own.client.deliveries.get({ params, maxNetworkRetries: 1 })).rejects.toThrow();
  expect(own.requests).toHaveLength(3);
});

test.each([
  ['the library', libraryTimer],
  ['commands', commandTimer],
  ['the service', realTimers.after],
])('a timer of %s that is longer than timers can be is not over at once', async (_, start) => {
  let isOver = false;
  const cancel = start(Number.POSITIVE_INFINITY, () => {
    isOver = true;
  });
  await pause(20);
  cancel();
  expect(isOver).toBe(false);
});

test('requests go through the fetch that is handed in, and whatever it rejects with is Unreachable', async () => {
  const asked: [string, string][] = [];
  const fetch: Fetch = async (url, { method, headers, body }) => {
    asked.push([`${method} ${url} ${body}`, headers['x-api-key'] ?? '']);
    return new Response(JSON.stringify({ id: 'rte_1', status: 'draft' }), {
      headers: { 'X-Service-Time': now },
    });
  };
  const client = createClient({ baseUrl: 'https://shop.example', apiKey: 'key_1', fetch });
  const { data, service_time } = await client.routes.get({ params: { route_id: 'rte_1' } });
  expect(asked).toEqual([['GET https://shop.example/v2/routes/rte_1 undefined', 'key_1']]);
  expect(data).toMatchObject({ id: 'rte_1', status: 'draft' });
  expect(service_time).toBe(Date.parse(now));
  const broken = createClient({
    ...{ baseUrl: 'https://shop.example', apiKey: 'key_1', maxNetworkRetries: 0 },
    fetch: async () => Promise.reject(new TypeError('Load failed')),
  });
  const error = await broken.deliveries.list().catch((thrown) => thrown);
  expect(error).toBeInstanceOf(Unreachable);
  expect(error.message).toBe('No response from https://shop.example: Load failed.');
});

test('a key that no header can have is refused without a request, and not repeated in the error', async () => {
  const { client, requests } = await clientOf([busy], { apiKey: 'wb_live_secret\n' });
  const refused = client.deliveries.get({ params });
  await expect(refused).rejects.toThrow(/^The header x-api-key has characters that a header cannot have\.$/);
  expect(requests).toEqual([]);
});

test('a write whose response breaks off after its status is not repeated', async () => {
  const { client, requests } = await clientOf([
    (_, response) => {
      response.writeHead(200, { 'content-length': '100', 'x-service-time': now }).write('{');
      setTimeout(() => response.destroy(), 20);
    },
  ]);
  const call = client.routes.create({ body: { order_ids: ['ord_1'] } });
  await expect(call).rejects.toMatchObject({ name: 'AcceptedUnread', status: 200 });
  expect(requests.filter((request) => request.startsWith('POST'))).toHaveLength(1);
});
