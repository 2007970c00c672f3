import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEmbedded } from '../../../src/service/embedded.ts';
import { realTimers, type Timers, wallClock } from '../../../src/service/runtime/time.ts';
import { createService, type Service } from '../../../src/service/service.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { temporaryFolder } from '../../storage/folder.ts';
import { type Fixture, orderRequest, start, startFixture } from '../fixture.ts';
import { readerOf, streamOf, writeMany } from '../streams.ts';

let fixture: Fixture;
/** Triggers the heartbeats of all open streams. */
let beats: (() => void)[];
const timers: Timers = {
  ...realTimers,
  after: (ms, wake) => {
    if (ms !== 15_000) return realTimers.after(ms, wake);
    beats.push(wake);
    return () => {
      beats = beats.filter((each) => each !== wake);
    };
  },
};

beforeEach(async () => {
  beats = [];
  fixture = await startFixture({ parts: { timers } });
});
afterEach(async () => {
  await fixture.service.stop();
  await fixture.storage.close();
  expect(fixture.faults).toEqual([]);
});

const path = '/v2/events/stream';

async function open(headers: Record<string, string> = {}) {
  return readerOf(await fixture.send('GET', path, { headers }));
}

/** Opens a stream of another service on the same database, from the beginning. */
async function openOn({ fetch }: Service) {
  const since = new Date(start).toISOString();
  const headers = { 'x-api-key': fixture.keys.test };
  return readerOf(await fetch({ method: 'GET', path: `${path}?since=${since}`, headers, body: '' }));
}

function moment(ms = 60): Promise<void> {
  return new Promise((resolve) => realTimers.after(ms, resolve));
}

test('a silent stream sends a heartbeat every 15 s', async () => {
  const reader = await open();
  await reader.block();
  for (const _ of [1, 2]) {
    const next = reader.chunk();
    await expect.poll(() => beats.length).toBe(1);
    beats.pop()?.();
    expect(await next).toMatch(/^: .+\n\n$/);
  }
});

test('a revoked key ends its streams at the next heartbeat, also under load', async () => {
  const { data } = await fixture.client().keys.create({ body: { name: 'short', permission: 'read' } });
  const headers = { 'x-api-key': data.key ?? '' };
  const [quiet, other] = [await open(headers), await open()];
  for (const each of [quiet, other]) await each.block();
  const ends = [quiet.chunk(), other.chunk()];
  await fixture.client().keys.revoke({ params: { key_id: data.id } });
  await expect.poll(() => beats.length).toBe(2);
  for (const beat of [...beats]) beat();
  expect(await ends[0]).toBeNull();
  expect(await ends[1]).toMatch(/^: /);
});

test('under load a stream of a revoked key sends one more page at most', async () => {
  const { data } = await fixture.client().keys.create({ body: { name: 'short', permission: 'read' } });
  const busy = await open({ 'x-api-key': data.key ?? '' });
  await busy.block();
  const first = busy.take(1);
  await writeMany(fixture, 300);
  await first;
  await fixture.client().keys.revoke({ params: { key_id: data.id } });
  for (const beat of [...beats]) beat();
  await expect(busy.take(299)).rejects.toThrow(/ended after (49|99) of/);
});

test('a waiting stream ends as soon as it is closed or the service stops', async () => {
  const [closed, stopped, unread] = [await open(), await open(), await open()];
  for (const each of [closed, stopped]) await each.block();
  const ends = [closed.chunk(), stopped.chunk()];
  closed.close();
  expect(await ends[0]).toBeNull();
  await fixture.service.stop();
  expect(await ends[1]).toBeNull();
  expect(await unread.chunk()).toBeNull();
  expect(beats).toEqual([]);
  // A later stream gets none either.
  expect(await (await open()).chunk()).toBeNull();
});

test('a stream reads no more than its client takes', async () => {
  let reads = 0;
  const storage: Storage = {
    ...fixture.storage,
    run: (work) => {
      reads += 1;
      return fixture.storage.run(work);
    },
  };
  await writeMany(fixture, 1000);
  const service = createService({ ...fixture.config, storage });
  const reader = await openOn(service);
  await reader.take(1);
  await moment();
  const before = reads;
  await moment();
  expect(reads).toBe(before);
  expect(await reader.take(999)).toHaveLength(999);
  expect(reads - before).toBeLessThan(25);
  await service.stop();
});

test('a long page of events yields to the event loop', async () => {
  const count = 3_000;
  await writeMany(fixture, count);
  const service = createService({ ...fixture.config, monotonic: wallClock });
  const reader = await openOn(service);
  await reader.take(1);
  let isHeard = false;
  realTimers.after(0, () => {
    isHeard = true;
  });
  await reader.take(count - 1);
  expect(isHeard).toBe(true);
  reader.close();
  await service.stop();
});

test('closing the storage of an embedded service under an open stream causes no error', async () => {
  const faults: unknown[] = [];
  let now = start;
  const keys: string[] = [];
  const { transport, close } = await openEmbedded({
    file: join(temporaryFolder(), 'embedded.db'),
    key: null,
    ownKey: { read: () => null, keep: async (key) => void keys.push(key) },
    onFault: (fault) => faults.push(fault),
    parts: { clock: { now: () => now }, seed: '1' },
  });
  const headers = { 'content-type': 'application/json' };
  const reader = readerOf(await transport({ method: 'GET', path, headers, body: '' }));
  const body = JSON.stringify({ ...orderRequest(), initiate: true });
  const made = await transport({ method: 'POST', path: '/v1/delivery_information', headers, body });
  expect([200, 201]).toContain(made.status);
  expect((await reader.take(1))[0]?.event).toBe('delivery.created');
  // No loop runs and there are no requests: the stream itself executes due tasks.
  now += 3_600_000;
  const received = await reader.take(5);
  expect(received.map(({ event }) => event)).toContain('delivery.updated');
  const last = reader.chunk();
  await close();
  expect(await last).toBeTypeOf('object');
  await moment();
  expect(faults).toEqual([]);
});

test('a stream that has no reader reads nothing', async () => {
  const stream = streamOf(await fixture.send('GET', path));
  await moment();
  expect(beats).toEqual([]);
  stream.close();
  await stream.ended;
});
