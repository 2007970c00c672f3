import { expect, test } from 'vitest';
import {
  expectEvents,
  expectExplainedFaults,
  expectNothingFailed,
  expectOwnRecords,
} from '../evening/checks.ts';
import { databaseFaults, deadlockCount, mountDisk } from '../evening/database-faults.ts';
import { finish, startEvening, startSending } from '../evening/evening.ts';
import { newOwnedDatabase, postgresTools, startInstalled } from '../installed-postgres.ts';
import { sqliteReader } from '../kills/database-reader.ts';
import { recordFaults } from '../kills/record-rules.ts';
import { surviveOutages } from '../service/webhooks/outages.ts';

test('a thousand endpoints that recover within 75 hours miss nothing and get each delivery in order', async () => {
  const survived = await surviveOutages({ endpoints: 1_000, deliveries: 3, seed: 'a thousand' });
  console.log(survived);
  expect(survived.disabled).toBeGreaterThan(100);
});

const disk_megabytes = 400;

test.runIf(postgresTools !== '')(
  'merchants send while the database refuses in every way, and workers are killed: nothing lost, doubled or wrong',
  async () => {
    const server = await startInstalled();
    const disk = mountDisk(server, disk_megabytes);
    if (disk === null) console.warn('Not proved: a full disk, which needs the right to mount one.');
    const folder = disk === null ? {} : { tablespace: disk };
    // Without a time-out of its own, that of the role holds.
    const url = `${await newOwnedDatabase(server, folder)}?statement_timeout=0`;
    const evening = await startEvening({ newDatabase: async () => url, restart: server.restart }, [
      'ada',
      'bea',
      'cleo',
    ]);
    const { place, merchants, database, workers, statuses } = evening;
    const faulty = { server, name: 'shop', role: 'waybill', disk };
    // Orders are sent for as long as there are faults.
    const faults = Object.entries(databaseFaults);
    const { over, reached } = startSending(merchants, { orders_each: 120, concurrency: 3 });
    const refused: Record<string, number> = {};
    for (const [index, [name, strike]] of faults.entries()) {
      await reached(index / (faults.length + 3));
      const before = refusals(statuses);
      await strike(faulty);
      refused[name] = refusals(statuses) - before;
      if (index % 3 === 2) await workers.killNext();
    }
    // The crash empties PostgreSQL's own count.
    const deadlocks = await deadlockCount(faulty);
    await server.restart('crash');
    await over;
    await finish(evening);
    console.log({ refused, deadlocks, statuses: Object.fromEntries(statuses) });
    expect(merchants.flatMap(({ unexpected }) => unexpected)).toEqual([]);
    expect(await recordFaults(database, { couriers: sqliteReader(place.books) })).toEqual({});
    await expectOwnRecords(evening);
    await expectEvents(evening);
    await expectNothingFailed(evening);
    expectExplainedFaults(evening);
    expect(deadlocks).toBeGreaterThan(0);
  },
);

function refusals(statuses: ReadonlyMap<number, number>): number {
  return (statuses.get(0) ?? 0) + (statuses.get(503) ?? 0);
}
