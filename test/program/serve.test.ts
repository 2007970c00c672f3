import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { newDatabase } from '../databases.ts';
import { orderRequest } from '../service/fixture.ts';
import { freshHome, type Served, serve } from './run.ts';

/** A service on PostgreSQL whose statements on some tables can be held up. */
async function servedOnPostgres() {
  const database = await newDatabase();
  const served = await serve(freshHome(), { database });
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  onTestFinished(() => client.end());
  /** Holds up every statement on these tables until the returned function is called. */
  const holdUp = async (tables: string) => {
    await client.query(`begin; lock table ${tables} in access exclusive mode`);
    return async () => void (await client.query('rollback'));
  };
  const heldUp = async () => (await client.query('select 1 from pg_locks where not granted')).rowCount;
  return { ...served, client, holdUp, heldUp };
}

interface Sent {
  key?: string;
  body?: unknown;
}

/** Sends a GET, or a POST if there is a body. */
async function send({ url }: Pick<Served, 'url'>, path: string, { key, body }: Sent = {}) {
  const headers = new Headers();
  if (key !== undefined) headers.set('x-api-key', key);
  if (body !== undefined) headers.set('content-type', 'application/json');
  const posted = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const response = await fetch(url + path, { headers, ...posted });
  const text = await response.text();
  return { status: response.status, text };
}

const createOrders = '/v2/orders/create';

test('/health/live answers at once behind 200 waiting requests', async () => {
  const served = await servedOnPostgres();
  const release = await served.holdUp('deliveries, settings');
  const waiting = Promise.allSettled(Array.from({ length: 200 }, () => send(served, '/track/unknown')));
  await expect.poll(served.heldUp).toBeGreaterThan(0);
  const probes = await Promise.all(Array.from({ length: 8 }, () => send(served, '/health/live')));
  expect(probes.map(({ status }) => status)).toEqual(probes.map(() => 200));
  await release();
  await waiting;
  expect((await send(served, '/health/ready')).status).toBe(200);
});

test('a shutdown answers what is running, and ends streams', async () => {
  const served = await servedOnPostgres();
  const key = served.keys.test;
  const stream = await fetch(`${served.url}/v2/events/stream`, { headers: { 'x-api-key': key } });
  const streamed = stream.text();
  const release = await served.holdUp('orders');
  const running = send(served, createOrders, { key, body: { orders: [orderRequest()] } });
  await expect.poll(served.heldUp).toBe(1);
  const stopped = served.stop();
  await streamed;
  await expect.poll(async () => (await send(served, '/health/ready')).status).toBe(503);
  expect((await send(served, '/health/live')).status).toBe(200);
  await release();
  expect((await running).status).toBe(200);
  await stopped;
  await expect(send(served, '/health/live')).rejects.toThrow('fetch failed');
});

test('bodies and rates over their limits are refused', async () => {
  const served = await serve(freshHome(), { flags: ['--rate-limit', '2', '--wrong-keys', '3'] });
  const key = served.keys.test;
  const large = 'x'.repeat(2 ** 20);
  const refused = await send(served, '/v2/routes', { key, body: { order_ids: [large] } });
  expect(refused).toMatchObject({ status: 413, text: expect.stringContaining('payload_too_large') });
  // Orders have a larger limit of their own.
  const parsed = await send(served, createOrders, { key, body: { orders: [large] } });
  expect(parsed.status).toBe(400);
  const statusesOf = async (count: number, sent: Sent) =>
    (await Promise.all(Array.from({ length: count }, () => send(served, '/v2/account', sent)))).map(
      ({ status }) => status,
    );
  // Each second allows some more, so that a busy machine needs more than a few.
  expect(await statusesOf(200, { key })).toContain(429);
  const wrong = await statusesOf(200, { key: `wb_test_${'0'.repeat(32)}` });
  expect(new Set(wrong)).toEqual(new Set([401, 429]));
  await served.stop();
});
