import { expect, test } from 'vitest';
import { seededChance } from '../../../src/service/runtime/random.ts';
import { createFailedMessages } from '../../../src/service/webhooks/delivery/message-outcomes.ts';
import {
  createPrefetchBuffer,
  type PrefetchBuffer,
} from '../../../src/service/webhooks/delivery/prefetch-buffer.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { updateWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startFixture } from '../fixture.ts';
import { insertEndpoint } from './received-events.ts';

/** A buffer that reads from a storage and leaves out what is running. */
function bufferOn(
  fixture: Fixture,
  storage: Storage,
  running: Parameters<typeof createPrefetchBuffer>[1]['running'],
) {
  const service = { ...fixture.config, test_mode: 1, storage } as const;
  const chance = async () => seededChance('buffer');
  const failed = createFailedMessages({ ...service, chance });
  return createPrefetchBuffer(service, { running, failed });
}

/** A buffer for two endpoints whose due messages are all being sent. */
async function allOut() {
  const fixture = await startFixture();
  const endpoints = [
    await insertEndpoint(fixture, 'http://localhost/1'),
    await insertEndpoint(fixture, 'http://localhost/2'),
  ];
  await startedDelivery(fixture.client(), 'happy_path');
  const running = new Map<number, { endpoint_id: string }>();
  let reads = 0;
  const storage: Storage = {
    ...fixture.storage,
    run: (work) => {
      reads += 1;
      return fixture.storage.run(work);
    },
  };
  const buffer = bufferOn(fixture, storage, running);
  const readsOf = async () => {
    reads = 0;
    await buffer.read(() => true);
    return reads;
  };
  await buffer.read(() => true);
  const taken = await takeAll(buffer);
  for (const { message } of taken) running.set(message.sequence, message);
  return { fixture, endpoints, buffer, taken, readsOf };
}

async function takeAll(buffer: PrefetchBuffer) {
  const taken = [];
  for (const lane of buffer.lanes()) {
    for (let next = await buffer.take(lane); next !== null; next = await buffer.take(lane)) taken.push(next);
  }
  return taken;
}

/** Reading the due endpoints. */
const asking = 1;
/** One query for each lane of an endpoint: first attempts and retries. */
const lanesEach = 2;
/** The events of all endpoints, and the account of both. */
const contents = 2;

test('queues whose messages are all running are not read again', async () => {
  const { buffer, taken, readsOf } = await allOut();
  expect(taken.length).toBeGreaterThanOrEqual(2);
  expect(await readsOf()).toBe(asking);
  expect(buffer.lanes()).toEqual([]);
});

test('queues are read again after possible writes for their endpoint', async () => {
  const { buffer, endpoints, readsOf } = await allOut();
  buffer.forgetEmpty(endpoints[0]?.id);
  // Retries become due later.
  expect(await readsOf()).toBe(asking + 1);
  expect(await readsOf()).toBe(asking);
  buffer.forgetEmpty();
  expect(await readsOf()).toBe(asking + 2 * lanesEach);
});

test('the events of all endpoints are read together', async () => {
  const { fixture, buffer, readsOf } = await allOut();
  await startedDelivery(fixture.client(), 'happy_path');
  buffer.forgetEmpty();
  expect(await readsOf()).toBe(asking + 2 * lanesEach + contents);
  const [first, second] = await takeAll(buffer).then((taken) =>
    taken.filter(({ message }, _, [one]) => message.event_id === one?.message.event_id),
  );
  expect(first?.endpoint.id).not.toBe(second?.endpoint.id);
  expect(first?.sendable).toBe(second?.sendable);
});

test('queues are read again after a while, for writes of other processes', async () => {
  const { fixture, buffer, readsOf } = await allOut();
  await startedDelivery(fixture.client(), 'happy_path');
  expect(await readsOf()).toBe(asking);
  fixture.passWall(250);
  await readsOf();
  expect((await takeAll(buffer)).length).toBeGreaterThanOrEqual(2);
});

test('messages read for an earlier state of an endpoint are discarded, also when the buffer is full', async () => {
  const { fixture, endpoints, buffer } = await allOut();
  await startedDelivery(fixture.client(), 'happy_path');
  buffer.forgetEmpty();
  await buffer.read(() => true);
  const [first, second] = endpoints.map(({ id }) => id);
  await fixture.storage.run((db) => updateWebhookEndpoint(db, first ?? '', { url: 'http://localhost/3' }));
  await buffer.read(() => false);
  const taken = await takeAll(buffer);
  expect(new Set(taken.map(({ endpoint }) => endpoint.id))).toEqual(new Set([second]));
});

test('however many messages to dead endpoints are running, one page of another endpoint is read', async () => {
  const fixture = await startFixture();
  await insertEndpoint(fixture, 'http://localhost/well');
  for (let count = 0; count < 60; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  let rows = 0;
  const storage: Storage = {
    ...fixture.storage,
    run: (work) =>
      fixture.storage.run((db) =>
        work(
          db.withPlugin({
            transformQuery: ({ node }) => node,
            transformResult: async ({ result }) => {
              rows = Math.max(rows, result.rows.length);
              return result;
            },
          }),
        ),
      ),
  };
  const dead = Array.from({ length: 34 * 20 }, (_, index) => [-index, { endpoint_id: 'whe_dead' }] as const);
  await bufferOn(fixture, storage, new Map(dead)).read(() => true);
  expect(rows).toBe(20);
});
