import { expect, test } from 'vitest';
import { seededChance } from '../../../src/service/runtime/random.ts';
import { createFailedMessages } from '../../../src/service/webhooks/delivery/failed-messages.ts';
import { createOutbox, type Outbox } from '../../../src/service/webhooks/delivery/prefetch-buffer.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { updateWebhookEndpoint } from '../../../src/storage/webhook-endpoints.ts';
import { startFixture } from '../fixture.ts';
import { started } from '../lives.ts';
import { hook } from './hooks.ts';

/** A buffer for two endpoints whose due messages are all being sent. */
async function allOut() {
  const fixture = await startFixture();
  const endpoints = [await hook(fixture, 'http://localhost/1'), await hook(fixture, 'http://localhost/2')];
  await started(fixture.client(), 'happy_path');
  const out = new Map<number, { endpoint_id: string }>();
  let reads = 0;
  const storage: Storage = {
    ...fixture.storage,
    run: (work) => {
      reads += 1;
      return fixture.storage.run(work);
    },
  };
  const chance = async () => seededChance('outbox');
  const failed = createFailedMessages({ ...fixture.config, test_mode: 1, storage, chance });
  const outbox = createOutbox({ ...fixture.config, test_mode: 1, storage }, { out, failed });
  const readsOf = async () => {
    reads = 0;
    await outbox.read(() => true);
    return reads;
  };
  await outbox.read(() => true);
  const taken = await takeAll(outbox);
  for (const { message } of taken) out.set(message.sequence, message);
  return { fixture, endpoints, outbox, taken, readsOf };
}

async function takeAll(outbox: Outbox) {
  const taken = [];
  for (const lane of outbox.lanes()) {
    for (let next = await outbox.take(lane); next !== null; next = await outbox.take(lane)) taken.push(next);
  }
  return taken;
}

/** Reading the due endpoints. */
const asking = 1;
/** One query for each lane of an endpoint: first attempts and retries. */
const lanesEach = 2;

test('lanes of which all is out are not read again', async () => {
  const { outbox, taken, readsOf } = await allOut();
  expect(taken.length).toBeGreaterThanOrEqual(2);
  expect(await readsOf()).toBe(asking);
  expect(outbox.lanes()).toEqual([]);
});

test('they are read where something of their endpoint was written, or may have been', async () => {
  const { outbox, endpoints, readsOf } = await allOut();
  outbox.lookAnew(endpoints[0]?.id);
  expect(await readsOf()).toBe(asking + lanesEach);
  expect(await readsOf()).toBe(asking);
  outbox.lookAnew();
  expect(await readsOf()).toBe(asking + 2 * lanesEach);
});

test('they are read after a while, for what other processes wrote', async () => {
  const { fixture, outbox, readsOf } = await allOut();
  await started(fixture.client(), 'happy_path');
  expect(await readsOf()).toBe(asking);
  fixture.passWall(250);
  await readsOf();
  expect((await takeAll(outbox)).length).toBeGreaterThanOrEqual(2);
});

test('what was read for an endpoint as it was is not taken, also where there was no room to read it anew', async () => {
  const { fixture, endpoints, outbox } = await allOut();
  await started(fixture.client(), 'happy_path');
  outbox.lookAnew();
  await outbox.read(() => true);
  const [first, second] = endpoints.map(({ id }) => id);
  await fixture.storage.run((db) => updateWebhookEndpoint(db, first ?? '', { url: 'http://localhost/3' }));
  await outbox.read(() => false);
  const taken = await takeAll(outbox);
  expect(new Set(taken.map(({ endpoint }) => endpoint.id))).toEqual(new Set([second]));
});

test('however much is out to dead endpoints, no more of another one is read than a page', async () => {
  const fixture = await startFixture();
  await hook(fixture, 'http://localhost/well');
  for (let count = 0; count < 60; count += 1) await started(fixture.client(), 'happy_path');
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
  const chance = async () => seededChance('outbox');
  const failed = createFailedMessages({ ...fixture.config, test_mode: 1, storage, chance });
  const outbox = createOutbox({ ...fixture.config, test_mode: 1, storage }, { out: new Map(dead), failed });
  await outbox.read(() => true);
  expect(rows).toBe(20);
});
