import { expect, onTestFinished, test } from 'vitest';
import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import { wallClock } from '../../src/service/runtime/time.ts';
import { createService } from '../../src/service/service.ts';
import { newDatabase } from '../databases.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';
import { startedDelivery } from './delivery-runs.ts';
import { draftRoute, quotesOf, startFixture } from './fixture.ts';
import { gateAt } from './remote-couriers.ts';
import { insertEndpoint } from './webhooks/received-events.ts';
import { startReceiver } from './webhooks/receiver.ts';

const minute = 60_000;

/** A worker, and another one on the same database whose wall clock is a minute ahead. */
async function skewedWorkers(providers?: readonly Provider[]) {
  const parts = { wall: wallClock, ...(providers === undefined ? {} : { providers }) };
  const fixture = await startFixture({ location: await newDatabase(), parts });
  const ahead = createService({ ...fixture.config, wall: { now: () => wallClock.now() + minute } });
  onTestFinished(async () => {
    for (const service of [fixture.service, ahead]) await service.stop();
    await fixture.storage.close();
  });
  return { fixture, ahead };
}

test('a courier without idempotency keys is called once by workers whose clocks differ by a minute', async () => {
  const gate = gateAt();
  const providers = simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    create: async (request: Parameters<Provider['create']>[0]) => {
      await gate.pass(provider.name);
      return provider.create({ ...request, key: `${request.key} ${gate.most()}` });
    },
  }));
  const { fixture, ahead } = await skewedWorkers(providers);
  const client = fixture.client();
  const { id: route_id } = await draftRoute(client);
  const [quote] = await quotesOf(fixture, route_id);
  const dispatching = client.dispatches.create({ params: { route_id }, body: { quote_id: quote?.id ?? '' } });
  await expect.poll(() => gate.waiting.length, { timeout: 5_000 }).toBe(1);
  const working = ahead.tick();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const asked = gate.waiting.length;
  gate.open();
  await Promise.all([working, dispatching]);
  expect(asked).toBe(1);
});

test('a webhook is sent once by workers whose clocks differ by a minute', async () => {
  const gate = Promise.withResolvers<void>();
  const receiver = await startReceiver(async () => {
    await gate.promise;
    return {};
  });
  onTestFinished(receiver.close);
  const { fixture, ahead } = await skewedWorkers();
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  await startedDelivery(fixture.client(), 'happy_path');
  const sending = fixture.service.send();
  await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBe(1);
  const other = ahead.send();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const sent = receiver.received.length;
  gate.resolve();
  await Promise.all([sending, other]);
  expect(sent).toBe(1);
});

test('a worker whose clock differs from the database server’s reports it once', async () => {
  const { fixture, ahead } = await skewedWorkers();
  ahead.start();
  fixture.service.start();
  await expect
    .poll(() => fixture.faults.map(String), { timeout: 5_000 })
    .toEqual([
      expect.stringMatching(
        /^Error: service time is (59|60) s ahead of the clock of the database server: sync/,
      ),
    ]);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(fixture.faults).toHaveLength(1);
});

test('a worker whose clock is more than a minute off is not ready', async () => {
  const wall = { now: () => wallClock.now() - 2 * minute };
  const fixture = await startFixture({ location: await newDatabase(), parts: { wall } });
  onTestFinished(async () => {
    await fixture.service.stop();
    await fixture.storage.close();
  });
  fixture.service.start();
  await expect
    .poll(async () => JSON.parse((await fixture.send('GET', '/health/ready')).body).message)
    .toMatch(/^The clock is wrong: service time is 12\d s behind the clock of the database server\.$/);
  expect((await fixture.service.measure()).skew_ms).toBeLessThan(-119_000);
});
