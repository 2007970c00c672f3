import { expect, test } from 'vitest';
import { createService } from '../../src/service/service.ts';
import { batchNow, newBatch } from './auto-dispatch/batches.ts';
import { dispatchScripted, startScripted } from './couriers/scripted-courier.ts';
import { startClient } from './fixture.ts';

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
    await expect.poll(leaseEnd, { timeout: 5_000 }).toBeGreaterThan(before);
    await other.tick();
  }
  expect(creates).toHaveLength(1);
  gate.resolve(null);
  const { deliveries } = await dispatching;
  expect(deliveries[0]?.status).toBe('delivery_created');
  expect(creates).toHaveLength(1);
});
