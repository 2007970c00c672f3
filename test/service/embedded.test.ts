import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { type EmbeddedOptions, openEmbedded } from '../../src/service/embedded.ts';
import { acquireWorkerLock } from '../../src/storage/worker-lock.ts';
import { draftRoute, start } from './fixture.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waybill-embedded-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A command's life: opens the service on the folder's file at an instant, works, closes. */
async function command<T>(
  now: number,
  work: (client: ReturnType<typeof createClient>) => Promise<T>,
  key: string | null = null,
) {
  let kept = key;
  let minted = false;
  const embedded = await openEmbedded({
    ...options(now, key),
    ownKey: {
      read: () => kept,
      keep: async (made) => {
        kept = made;
        minted = true;
      },
    },
  });
  let count = 0;
  const client = createClient({
    transport: embedded.transport,
    apiKey: null,
    sleep: async () => {},
    wallNow: () => now,
    chance: () => 0.5,
    newIdempotencyKey: () => `${now}-${++count}`,
    userAgent: 'test',
  });
  try {
    const result = await work(client);
    return { result, key: kept, minted };
  } finally {
    await embedded.close();
  }
}

function options(now: number, key: string | null): EmbeddedOptions {
  const clock = { now: () => now };
  return { file: join(folder, 'waybill.db'), key, ownKey: null, parts: { clock, wall: clock } };
}

test('opening does first what became due since the last command', async () => {
  const asked = await command(start, async (client) => {
    const route = await draftRoute(client);
    await client.quotes.request({ params: { route_id: route.id } });
    return route.id;
  });
  const params = { route_id: asked.result };
  const early = await command(start + 3_000, (client) => client.quotes.list({ params }), asked.key);
  expect(early.result.data.status).toBe('PENDING');
  const late = await command(start + 60_000, (client) => client.quotes.list({ params }), asked.key);
  expect(late.result.data.status).toBe('COMPLETE');
  const bike = late.result.data.data?.find(({ provider }) => provider === 'metrobike');
  expect(bike?.created_at).toBe(new Date(start + 1_000).toISOString());
  expect(bike?.expires_at).toBe(new Date(start + 301_000).toISOString());
});

test('a key is made at first use and known ever after; one of another database is replaced', async () => {
  const first = await command(start, (client) => client.account.get());
  expect(first.minted).toBe(true);
  expect(first.result.data).toMatchObject({ test_mode: true, permission: 'admin', sandbox: true });
  const again = await command(start, (client) => client.account.get(), first.key);
  expect(again).toMatchObject({ minted: false, key: first.key });
  const stranger = await command(start, (client) => client.account.get(), `wb_test_${'x'.repeat(32)}`);
  expect(stranger.minted).toBe(true);
  expect(stranger.result.data.account_id).toBe(first.result.data.account_id);
});

test('while another process does the work, a command goes on with what there is', async () => {
  const asked = await command(start, async (client) => {
    const route = await draftRoute(client);
    await client.quotes.request({ params: { route_id: route.id } });
    return route.id;
  });
  const lock = acquireWorkerLock(join(folder, 'waybill.db'));
  expect(lock).not.toBeNull();
  const params = { route_id: asked.result };
  const other = await command(start + 60_000, (client) => client.quotes.list({ params }), asked.key);
  expect(other.result.data.status).toBe('PENDING');
  lock?.release();
  const free = await command(start + 60_000, (client) => client.quotes.list({ params }), asked.key);
  expect(free.result.data.status).toBe('COMPLETE');
});
