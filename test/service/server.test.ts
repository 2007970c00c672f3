import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { httpTransport } from '../../src/client/http.ts';
import type { RequestLog } from '../../src/contract/operation.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { type RunningServer, startServer } from '../../src/service/server.ts';
import { draftRoute } from './fixture.ts';

let folder: string;
let server: RunningServer;
let log: RequestLog[];
const file = () => join(folder, 'service.db');

async function serve(): Promise<RunningServer> {
  return startServer({
    host: '127.0.0.1',
    port: 0,
    database: file(),
    publicUrl: null,
    sandbox: null,
    seed: null,
    log: (line) => log.push(line),
  });
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-server-'));
  log = [];
  server = await serve();
});
afterEach(async () => {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
});

function send(method: string, path: string, body: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; body: string }>((resolve, reject) => {
    const outgoing = request(`${server.url}${path}`, { method, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

test('a new database gets an account with two keys, shown once', async () => {
  expect(server.keys?.test).toMatch(/^wb_test_[0-9A-Za-z]{32}$/);
  expect(server.keys?.live).toMatch(/^wb_live_[0-9A-Za-z]{32}$/);
  await server.stop();
  const first = server.keys;
  server = await serve();
  expect(server.keys).toBeNull();
  const answer = await send('GET', '/v2/account', '', { 'x-api-key': first?.test ?? '' });
  expect(answer.status).toBe(200);
});

test('the quotes of a served route arrive at the providers’ own times', async () => {
  const transport = httpTransport({
    baseUrl: server.url,
    requestTimeout_ms: 5_000,
    timer: realTimers.after,
  });
  let count = 0;
  const client = createClient({
    transport,
    apiKey: server.keys?.test ?? '',
    sleep: async () => {},
    wallNow: () => 0,
    chance: () => 0.5,
    newIdempotencyKey: () => `k${++count}`,
    userAgent: 'test',
  });
  const route = await draftRoute(client);
  const params = { route_id: route.id };
  await client.quotes.request({ params });
  expect((await client.quotes.list({ params })).data.status).toBe('PENDING');
  await expect
    .poll(async () => (await client.quotes.list({ params })).data.status, { timeout: 10_000 })
    .toBe('COMPLETE');
  await transport.close();
});

test('the request log has no keys, bodies or queries', async () => {
  await send('GET', '/v2/orders?external_order_ref=private', '', { 'x-api-key': server.keys?.test ?? '' });
  await expect.poll(() => log.length).toBe(1);
  expect(log[0]).toMatchObject({ type: 'request', method: 'GET', path: '/v2/orders', status: 200 });
  expect(JSON.stringify(log)).not.toContain('private');
  expect(JSON.stringify(log)).not.toContain(server.keys?.test ?? 'wb_');
});

test('a port that is in use is reported as an error', async () => {
  const port = Number(new URL(server.url).port);
  const options = { host: '127.0.0.1', port, publicUrl: null, sandbox: null, seed: null, log: () => {} };
  const second = startServer({ ...options, database: join(folder, 'other.db') });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
