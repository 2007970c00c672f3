import { expect, test } from 'vitest';
import { simulatedProviders } from '../../src/providers/directory.ts';
import type { Provider } from '../../src/providers/port.ts';
import type { ServiceConfig } from '../../src/service/runtime/context.ts';
import { realTimers, type Timers, wallClock } from '../../src/service/runtime/time.ts';
import { createService } from '../../src/service/service.ts';
import { newDatabase } from '../databases.ts';
import { memoryRecords } from '../providers/simulated/memory-records.ts';
import { batchNow, newBatch } from './auto-dispatch/batches.ts';
import { dispatchScripted, startScripted } from './couriers/scripted-courier.ts';
import { startedDelivery } from './delivery-runs.ts';
import { draftRoute, quotesOf, startClient, startFixture } from './fixture.ts';
import { couriers, gateAt } from './remote-couriers.ts';
import { askedRoute } from './route-runs.ts';
import { receiving } from './webhooks/endpoint-fixture.ts';
import { insertEndpoint } from './webhooks/received-events.ts';
import type { Answering } from './webhooks/receiver.ts';

test('a worker that was suspended for longer than its lease does not send what another worker has sent', async () => {
  const { fixture, client } = await startClient();
  const batch_id = await newBatch(client, [{}], { providers: ['flaky_co'] });
  // Both share the database by leases. The first stops between its claim and the call.
  const away = Promise.withResolvers<void>();
  const isAway = Promise.withResolvers<void>();
  const storage: typeof fixture.storage = {
    ...fixture.storage,
    run: async (work) => {
      const done = await fixture.storage.run(work);
      const claimed = await fixture.storage.run((db) =>
        db
          .selectFrom('tasks')
          .select('id')
          .where('kind', '=', 'dispatch.ask')
          .where('claim', '=', 1)
          .execute(),
      );
      if (claimed.length > 0) {
        isAway.resolve();
        await away.promise;
      }
      return done;
    },
  };
  const late = createService({ ...fixture.config, storage });
  const other = createService(fixture.config);
  await fixture.service.tick();
  const working = fixture.pass(6000, late.tick);
  await isAway.promise;
  fixture.passWall(11_000);
  await other.tick();
  away.resolve();
  await working;
  const created = await fixture.storage.run((db) =>
    db.selectFrom('courier_entries').selectAll().where('kind', '=', 'created').execute(),
  );
  expect(created).toHaveLength(1);
  await fixture.pass(1000, other.tick);
  expect((await batchNow(client, batch_id)).counts.dispatched).toBe(1);
});

test('a task is not taken over while its worker waits for the courier, however long', async () => {
  const gate = Promise.withResolvers<null>();
  const reached = Promise.withResolvers<void>();
  const courier = await startScripted({
    create: async () => {
      reached.resolve();
      return gate.promise;
    },
  });
  const { fixture, creates } = courier;
  const dispatching = dispatchScripted(courier);
  await reached.promise;
  const leaseEnd = async () => {
    const lease = fixture.storage.run((db) =>
      db.selectFrom('tasks').select('claimed_until').where('kind', '=', 'dispatch.ask').executeTakeFirst(),
    );
    return (await lease)?.claimed_until ?? 0;
  };
  const other = createService(fixture.config);
  for (const _ of [1, 2]) {
    const before = await leaseEnd();
    fixture.passWall(1_500);
    await expect.poll(leaseEnd).toBeGreaterThan(before);
    await other.tick();
  }
  expect(creates).toHaveLength(1);
  gate.resolve(null);
  const { deliveries } = await dispatching;
  expect(deliveries[0]?.status).toBe('delivery_created');
  expect(creates).toHaveLength(1);
});

test('a renewal of a lease that is under way when its task ends is the last one', async () => {
  const gate = gateAt();
  const providers = couriers(() => true, gate.pass);
  const fixture = await startFixture({ parts: { providers } });
  const isRenewing = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let timers_set = 0;
  let isTimerRunning = false;
  const timers: Timers = {
    ...realTimers,
    after: (ms, wake) => {
      if (ms !== 600) return realTimers.after(ms, wake);
      timers_set += 1;
      return realTimers.after(10, () => {
        isTimerRunning = true;
        wake();
        isTimerRunning = false;
      });
    },
  };
  const storage: typeof fixture.storage = {
    ...fixture.storage,
    write: async (work) => {
      if (isTimerRunning) {
        isRenewing.resolve();
        await held.promise;
      }
      return fixture.storage.write(work);
    },
  };
  const worker = createService({ ...fixture.config, storage, timers });
  await askedRoute(fixture.client());
  const working = fixture.pass(5_000, worker.tick);
  await isRenewing.promise;
  gate.open();
  await working;
  const before = timers_set;
  held.resolve();
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  expect(timers_set).toBe(before);
});

const minute = 60_000;

/** A worker, and another one on the same database whose wall clock is a minute ahead. */
async function skewedWorkers(answer?: Answering, parts: Partial<ServiceConfig> = {}) {
  const location = await newDatabase();
  const { another, ...rest } = await receiving(answer, {
    ...{ location, hasServerClock: true },
    parts: { wall: wallClock, ...parts },
  });
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
  await expect.poll(() => gate.waiting.length).toBe(1);
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
  await expect.poll(() => receiver.received.length).toBe(1);
  const other = ahead.send();
  await new Promise((resolve) => setTimeout(resolve, 300));
  const sent = receiver.received.length;
  gate.resolve();
  await Promise.all([sending, other]);
  expect(sent).toBe(1);
});

test('a worker whose clock differs from the database server’s reports it once', async () => {
  const { fixture, ahead } = await skewedWorkers();
  // The server's clock is also far from the records of the test.
  const told = () => fixture.faults.map(String).filter((fault) => !fault.includes('the last cleaning'));
  ahead.start();
  fixture.service.start();
  await expect
    .poll(told)
    .toEqual([
      expect.stringMatching(
        /^Error: service time is (59|60) s ahead of the clock of the database server: sync/,
      ),
    ]);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(told()).toHaveLength(1);
});

test('a worker whose clock is more than a minute off is not ready', async () => {
  const wall = { now: () => wallClock.now() - 2 * minute };
  const { fixture } = await receiving(undefined, {
    ...{ location: await newDatabase(), hasServerClock: true },
    parts: { wall },
  });
  fixture.service.start();
  await expect
    .poll(async () => JSON.parse((await fixture.send('GET', '/health/ready')).body).message)
    .toMatch(/^The clock is wrong: service time is 12\d s behind the clock of the database server\.$/);
  expect((await fixture.service.measure()).skew_ms).toBeLessThan(-119_000);
});
