import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { simulatedProviders } from '../../src/providers/directory.ts';
import { type EmbeddedOptions, openEmbedded } from '../../src/service/embedded.ts';
import type { ServiceConfig } from '../../src/service/runtime/context.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { acquireWorkerLock } from '../../src/storage/sqlite-file.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { clientOf, draftRoute, orderMade, orderRequest, start } from './fixture.ts';

let file: string;
beforeEach(() => {
  file = join(temporaryFolder(), 'waybill.db');
});

/** The life of a command: opens the service on the file at a given time, runs, closes. */
async function command<T>(now: number, work: (client: Client) => Promise<T>, key: string | null = null) {
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
  try {
    const result = await work(clientOf({ fetch: embedded.transport }, null));
    return { result, key: kept, minted };
  } finally {
    await embedded.close();
  }
}

function options(now: number, key: string | null, parts: Partial<ServiceConfig> = {}): EmbeddedOptions {
  const clock = { now: () => now };
  return { file, key, ownKey: null, parts: { clock, wall: clock, ...parts } };
}

const at = (ms: number) => new Date(start + ms).toISOString();

/** A command that requests quotes; returns the route, and the key to continue with. */
async function asked(mode: 'real' | 'manual' | 'scaled') {
  return command(start, async (client) => {
    const route = await draftRoute(client);
    await client.clock.set({ body: { mode } });
    await client.quotes.request({ params: { route_id: route.id } });
    return { route_id: route.id };
  });
}

test('opening the service runs the tasks that became due since the last command', async () => {
  const { key, result: params } = await asked('real');
  const early = await command(start + 3_000, (client) => client.quotes.list({ params }), key);
  expect(early.result.data.status).toBe('PENDING');
  const late = await command(start + 60_000, (client) => client.quotes.list({ params }), key);
  expect(late.result.data.status).toBe('COMPLETE');
  const bike = late.result.data.data?.find(({ provider }) => provider === 'metrobike');
  expect(bike).toMatchObject({ created_at: at(1_000), expires_at: at(301_000) });
});

test('a key is created on first use and kept; a key of another database is replaced', async () => {
  const first = await command(start, (client) => client.account.get());
  expect(first.minted).toBe(true);
  expect(first.result.data).toMatchObject({ test_mode: true, permission: 'admin', sandbox: true });
  const again = await command(start, (client) => client.account.get(), first.key);
  expect(again).toMatchObject({ minted: false, key: first.key });
  const stranger = await command(start, (client) => client.account.get(), `wb_test_${'x'.repeat(32)}`);
  expect(stranger.minted).toBe(true);
  expect(stranger.result.data.account_id).toBe(first.result.data.account_id);
});

test('while another process does the background work, a command reads the current records', async () => {
  const { key, result: params } = await asked('real');
  const lock = acquireWorkerLock(file);
  expect(lock).not.toBeNull();
  const other = await command(start + 60_000, (client) => client.quotes.list({ params }), key);
  expect(other.result.data.status).toBe('PENDING');
  lock?.release();
  const free = await command(start + 60_000, (client) => client.quotes.list({ params }), key);
  expect(free.result.data.status).toBe('COMPLETE');
});

test('records of several commands are listed newest first while the clock stands still', async () => {
  const { key } = await command(start, (client) => client.clock.set({ body: { mode: 'manual' } }));
  const ids: string[] = [];
  for (let each = 0; each < 6; each += 1) {
    const body = { orders: [orderRequest()] };
    const { result } = await command(start, (client) => orderMade(client.orders.create({ body })), key);
    ids.unshift(result.data.id);
  }
  const listed = await command(start, (client) => client.orders.list(), key);
  expect(listed.result.data.data.map(({ id }) => id)).toEqual(ids);
});

test('a manual clock keeps its time between commands until it is advanced', async () => {
  const { key, result: params } = await asked('manual');
  const later = await command(start + 3_600_000, (client) => client.quotes.list({ params }), key);
  expect(later.result.data.status).toBe('PENDING');
  expect(later.result.service_time).toBe(start);
  const moved = await command(
    start + 7_200_000,
    (client) => client.clock.advance({ body: { next: true } }),
    key,
  );
  expect(moved.result.data).toMatchObject({ now: at(1_000), steps: 1 });
  const advance = (client: Client) => client.clock.advance({ body: { by: 60 } });
  await command(start + 7_250_000, advance, key);
  const done = await command(start + 7_300_000, (client) => client.quotes.list({ params }), key);
  expect(done.result.data.status).toBe('COMPLETE');
  expect(done.result.service_time).toBe(start + 61_000);
});

test('a scaled clock advances between commands, and due tasks run at their due times', async () => {
  const { key, result: params } = await asked('scaled');
  const early = await command(start + 50, (client) => client.quotes.list({ params }), key);
  expect(early.result.data.status).toBe('PENDING');
  const late = await command(start + 1_000, (client) => client.quotes.list({ params }), key);
  expect(late.result.data.data?.find(({ provider }) => provider === 'poolride')?.created_at).toBe(at(4_000));
  expect(late.result.service_time).toBe(start + 60_000);
});

/** A command that is killed while it advances the clock by a minute, after its third quote request. */
async function killed(key: string | null): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const providers = simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    quotes_at_once: false,
    quote: async (request: Parameters<typeof provider.quote>[0]) => {
      if (provider.name !== 'haulvan') return provider.quote(request);
      reached.resolve();
      return new Promise<never>(() => {});
    },
  }));
  const timers = { ...realTimers, after: () => () => {} };
  const embedded = await openEmbedded(options(start, key, { providers, timers }));
  const headers = { 'x-api-key': key ?? '', 'content-type': 'application/json', 'idempotency-key': 'once' };
  void embedded.transport({ method: 'POST', path: '/v2/sandbox/clock/advance', headers, body: '{"by":60}' });
  await reached.promise;
  await embedded.close();
}

test.each([
  ['real', 90_000],
  ['manual', 60_000],
] as const)(
  'the next command finishes an advance of a %s clock in which the last one was killed',
  async (mode, now) => {
    const { key, result: params } = await asked(mode);
    await killed(key);
    // Its tasks are free immediately; its idempotency key, recorded for this process, after a lease.
    const next = await command(start, (client) => client.quotes.list({ params }), key);
    expect(next.result.data.status).toBe('COMPLETE');
    expect(next.result.data.data).toHaveLength(4);
    expect(next.result.service_time).toBe(start + 60_000);
    const once = { body: { by: 60 }, idempotencyKey: 'once' };
    const again = await command(start + 30_000, (client) => client.clock.advance(once), key);
    expect(again.result.data).toMatchObject({ now: at(60_000), steps: 6, more: false });
    expect(again.result.service_time).toBe(start + now);
  },
);
