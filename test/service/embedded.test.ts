import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import { type EmbeddedOptions, openEmbedded } from '../../src/service/embedded.ts';
import type { ServiceConfig } from '../../src/service/runtime/context.ts';
import { realTimers } from '../../src/service/runtime/time.ts';
import { acquireWorkerLock } from '../../src/storage/sqlite-file.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { clientOf, draftRoute, orderMade, orderRequest, sendTo, start } from './fixture.ts';
import { couriers } from './remote-couriers.ts';

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

type Asked = Awaited<ReturnType<typeof asked>>;

/** The quotes that a later command lists. */
async function quotesAfter(ms: number, { key, result: params }: Asked) {
  const { result } = await command(start + ms, (client) => client.quotes.list({ params }), key);
  const { service_time, data } = result;
  const madeAt = (name: string) => data.data?.find(({ provider }) => provider === name)?.created_at;
  return { status: data.status, count: data.data?.length, service_time, madeAt };
}

test('opening the service runs the tasks that became due since the last command', async () => {
  const made = await asked('real');
  expect(await quotesAfter(3_000, made)).toMatchObject({ status: 'PENDING' });
  const late = await quotesAfter(60_000, made);
  expect([late.status, late.madeAt('metrobike')]).toEqual(['COMPLETE', at(1_000)]);
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
  const made = await asked('real');
  const lock = acquireWorkerLock(file);
  expect(lock).not.toBeNull();
  expect(await quotesAfter(60_000, made)).toMatchObject({ status: 'PENDING' });
  lock?.release();
  expect(await quotesAfter(60_000, made)).toMatchObject({ status: 'COMPLETE' });
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
  const made = await asked('manual');
  expect(await quotesAfter(3_600_000, made)).toMatchObject({ status: 'PENDING', service_time: start });
  const advance = (ms: number, body: { by: number } | { next: true }) =>
    command(start + ms, (client) => client.clock.advance({ body }), made.key);
  const moved = await advance(7_200_000, { next: true });
  expect(moved.result.data).toMatchObject({ now: at(1_000), steps: 1 });
  await advance(7_250_000, { by: 60 });
  const done = { status: 'COMPLETE', service_time: start + 61_000 };
  expect(await quotesAfter(7_300_000, made)).toMatchObject(done);
});

test('a scaled clock advances between commands, and due tasks run at their due times', async () => {
  const made = await asked('scaled');
  expect(await quotesAfter(50, made)).toMatchObject({ status: 'PENDING' });
  const late = await quotesAfter(1_000, made);
  expect([late.madeAt('poolride'), late.service_time]).toEqual([at(4_000), start + 60_000]);
});

/** A command that is killed while it advances the clock by a minute, after its third quote request. */
async function killed(key: string | null): Promise<void> {
  const reached = Promise.withResolvers<void>();
  const providers = couriers(
    () => false,
    async (name) => {
      if (name !== 'haulvan') return;
      reached.resolve();
      await new Promise<never>(() => {});
    },
  );
  const timers = { ...realTimers, after: () => () => {} };
  const embedded = await openEmbedded(options(start, key, { providers, timers }));
  const request = { body: { by: 60 }, headers: { 'idempotency-key': 'once' } };
  void sendTo({ fetch: embedded.transport }, key ?? '')('POST', '/v2/sandbox/clock/advance', request);
  await reached.promise;
  await embedded.close();
}

test.each([
  ['real', 90_000],
  ['manual', 60_000],
] as const)(
  'the next command finishes an advance of a %s clock in which the last one was killed',
  async (mode, now) => {
    const made = await asked(mode);
    await killed(made.key);
    // Its tasks are free immediately; its idempotency key, recorded for this process, after a lease.
    const next = { status: 'COMPLETE', count: 4, service_time: start + 60_000 };
    expect(await quotesAfter(0, made)).toMatchObject(next);
    const once = { body: { by: 60 }, idempotencyKey: 'once' };
    const again = await command(start + 30_000, (client) => client.clock.advance(once), made.key);
    expect(again.result.data).toMatchObject({ now: at(60_000), steps: 6, more: false });
    expect(again.result.service_time).toBe(start + now);
  },
);
