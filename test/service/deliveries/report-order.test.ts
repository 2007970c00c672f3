import { expect, test } from 'vitest';
import { newDatabase } from '../../databases.ts';
import { again, startedDelivery, statusesOf } from '../delivery-runs.ts';
import { type Fixture, startClient } from '../fixture.ts';

const minute = 60_000;

/** As if a worker had claimed the report of a status, and died a moment ago. */
async function claimReport({ storage }: Fixture, status: string) {
  const { numUpdatedRows } = await storage.run((db) =>
    db
      .updateTable('tasks')
      .set({ claim: 1, claimed_until: Date.now() + 60 * minute })
      .where('kind', '=', 'report.take')
      .where('payload', 'like', `%"status":"${status}"%`)
      .executeTakeFirst(),
  );
  expect(numUpdatedRows).toBe(1n);
}

test('a report that another worker is late with does not keep the delivery from its end', async () => {
  const { fixture, client } = await startClient({ location: await newDatabase() });
  const delivery = await startedDelivery(client, 'customer_unreachable');
  await claimReport(fixture, 'enroute_to_return');
  for (let passed = 0; passed < 24 * 60; passed += 10) await fixture.pass(10 * minute);
  const ended = await again(client, delivery);
  expect(statusesOf(ended).slice(-2)).toEqual(['enroute_to_return', 'returned']);
  expect(ended.failure_reason).toBe('recipient_unreachable');
  const left = await fixture.storage.run((db) => db.selectFrom('tasks').select('id').execute());
  expect(left).toEqual([]);
  await fixture.storage.close();
});

test('a report that another worker is late with is applied before a later one', async () => {
  const { fixture, client } = await startClient({ location: await newDatabase() });
  const delivery = await startedDelivery(client, 'happy_path');
  await claimReport(fixture, 'enroute_pickup');
  await fixture.pass(24 * 60 * minute);
  const ended = statusesOf(await again(client, delivery));
  expect(ended).toContain('enroute_pickup');
  expect(ended.at(-1)).toBe('delivered');
  await fixture.storage.close();
});

/** Locks the reports of a status, as a worker does that executes them in a group, until `end` is called. */
function lockReports({ storage }: Fixture, status: string) {
  const [locked, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const over = storage.transaction(async (db) => {
    await db
      .selectFrom('tasks')
      .select('id')
      .where('payload', 'like', `%"status":"${status}"%`)
      .forUpdate()
      .execute();
    locked.resolve();
    await ended.promise;
  });
  return { locked: locked.promise, over, end: ended.resolve };
}

test('reports that run in groups wait for earlier ones that another worker executes in a group', async () => {
  const { fixture, client } = await startClient({ location: await newDatabase() });
  const deliveries = [
    await startedDelivery(client, 'happy_path'),
    await startedDelivery(client, 'happy_path'),
  ];
  const reports = lockReports(fixture, 'enroute_pickup');
  await reports.locked;
  await fixture.pass(24 * 60 * minute);
  const { data } = await client.deliveries.list();
  expect(data.data.map(({ status }) => status)).toEqual(['driver_assigned', 'driver_assigned']);
  reports.end();
  await reports.over;
  await fixture.service.tick();
  for (const delivery of deliveries) {
    const passed = statusesOf(await again(client, delivery));
    expect(passed).toContain('enroute_pickup');
    expect(passed.at(-1)).toBe('delivered');
  }
  await fixture.storage.close();
});
