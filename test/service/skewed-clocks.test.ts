import { expect, test } from 'vitest';
import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import type { ServiceConfig } from '../../src/service/runtime/context.ts';
import { wallClock } from '../../src/service/runtime/time.ts';
import { newDatabase } from '../databases.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';
import { startedDelivery } from './delivery-runs.ts';
import { draftRoute, quotesOf } from './fixture.ts';
import { gateAt } from './remote-couriers.ts';
import { receiving } from './webhooks/endpoint-fixture.ts';
import { insertEndpoint } from './webhooks/received-events.ts';
import type { Answering } from './webhooks/receiver.ts';

const minute = 60_000;

/** A worker, and another one on the same database whose wall clock is a minute ahead. */
async function skewedWorkers(answer?: Answering, parts: Partial<ServiceConfig> = {}) {
  const location = await newDatabase();
  const { another, ...rest } = await receiving(answer, { location, parts: { wall: wallClock, ...parts } });
  return { ...rest, ahead: another({ wall: { now: () => wallClock.now() + minute } }) };
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
  const { fixture, ahead } = await skewedWorkers(undefined, { providers });
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
  const { fixture, receiver, ahead } = await skewedWorkers(async () => {
    await gate.promise;
    return {};
  });
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
  const { fixture } = await receiving(undefined, { location: await newDatabase(), parts: { wall } });
  fixture.service.start();
  await expect
    .poll(async () => JSON.parse((await fixture.send('GET', '/health/ready')).body).message)
    .toMatch(/^The clock is wrong: service time is 12\d s behind the clock of the database server\.$/);
  expect((await fixture.service.measure()).skew_ms).toBeLessThan(-119_000);
});
