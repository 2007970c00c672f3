import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type Client, createClient } from '../../src/client/client.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { startServer } from '../../src/service/server.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { writeMany } from '../service/streams.ts';
import { opened } from './connections.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-following-'));
const database = join(folder, 'served.db');
const options = { host: '127.0.0.1', port: 0, publicUrl: null, sandbox: true, seed: '1' };
const server = await startServer({ ...options, database, log: () => {} });
const storage = await openStorage(database);
/** The responses through the cutting proxy: the number of characters before each cut. */
let cuts: number[] = [];
const sockets = new Set<Socket>();
const proxy = createServer((socket) => {
  const target = connect(Number(new URL(server.url).port), '127.0.0.1');
  let left = cuts.shift() ?? Number.POSITIVE_INFINITY;
  for (const each of [socket, target]) {
    sockets.add(each);
    each.on('error', () => {});
    each.on('close', () => {
      sockets.delete(each);
      socket.destroy();
      target.destroy();
    });
  }
  socket.pipe(target);
  target.on('data', (bytes) => {
    const passing = bytes.subarray(0, left);
    left -= passing.length;
    socket.write(passing);
    if (left <= 0) target.destroy();
  });
});
proxy.listen(0, '127.0.0.1');
await once(proxy, 'listening');

afterAll(async () => {
  await server.stop();
  await storage.close();
  for (const socket of sockets) socket.destroy();
  proxy.close();
  rmSync(folder, { recursive: true });
});

function clientOver(baseUrl: string): Client {
  return createClient({
    transport: opened(baseUrl, { requestTimeout_ms: 5_000 }),
    apiKey: server.keys?.test ?? '',
    testMode: true,
    sleep: () => new Promise((resolve) => realTimers.after(1, resolve)),
    wallNow: () => 0,
    chance: () => 0.5,
    newIdempotencyKey: () => 'key',
    userAgent: 'test',
  });
}

function cuttingUrl(): string {
  const address = proxy.address();
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
}

test('interrupted repeatedly, the stream gives every event once and in order', async () => {
  const ids = await writeMany({ storage }, 150);
  // From within the headers to several events; with a fixed seed, so that runs are the same.
  let state = 7;
  const chance = () => {
    state = (state * 16_807) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  cuts = Array.from({ length: 60 }, () => 200 + Math.floor(chance() * 4_000));
  let lost = 0;
  const controller = new AbortController();
  const since = '2026-01-01T00:00:00Z';
  const got: string[] = [];
  const onLost = () => {
    lost += 1;
  };
  for await (const { id } of clientOver(cuttingUrl()).follow({ signal: controller.signal, since, onLost })) {
    got.push(id);
    if (got.length === ids.length) controller.abort();
  }
  expect(got).toEqual(ids);
  expect(lost).toBeGreaterThan(10);
});
