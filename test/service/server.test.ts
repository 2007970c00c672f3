import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { httpTransport } from '../../src/client/http.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { clientOf, draftRoute } from './fixture.ts';
import { serve } from './http/raw-http.ts';

test('a new database gets an account with two keys, shown once', async () => {
  const database = join(temporaryFolder(), 'service.db');
  const { keys, stop } = await serve({ database });
  expect(keys?.test).toMatch(/^wb_test_[0-9A-Za-z]{32}$/);
  expect(keys?.live).toMatch(/^wb_live_[0-9A-Za-z]{32}$/);
  await stop();
  const again = await serve({ database });
  expect(again.keys).toBeNull();
  const headers = { 'x-api-key': keys?.test ?? '' };
  expect((await fetch(`${again.url}/v2/account`, { headers })).status).toBe(200);
});

test('the quotes of a served route arrive at the providers’ own times', async () => {
  const { url: baseUrl, key } = await serve();
  const transport = httpTransport({ baseUrl, requestTimeout_ms: 5_000, timer: realTimers.after });
  onTestFinished(transport.close);
  const client = clientOf({ fetch: transport }, key);
  const { id: route_id } = await draftRoute(client);
  const status = async () => (await client.quotes.list({ params: { route_id } })).data.status;
  await client.quotes.request({ params: { route_id } });
  expect(await status()).toBe('PENDING');
  await expect.poll(status).toBe('COMPLETE');
});

test('the request log has no keys, bodies or queries', async () => {
  const { url, key, log } = await serve();
  await fetch(`${url}/v2/orders?external_order_ref=private`, { headers: { 'x-api-key': key } });
  await expect.poll(() => log.length).toBe(1);
  expect(log[0]).toMatchObject({ type: 'request', method: 'GET', path: '/v2/orders', status: 200 });
  expect(JSON.stringify(log)).not.toContain('private');
  expect(JSON.stringify(log)).not.toContain(key);
});

test('a port that is in use is reported as an error', async () => {
  const { url } = await serve();
  await expect(serve({ port: Number(new URL(url).port) })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
