import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  expectEvents,
  expectExplainedFaults,
  expectNothingFailed,
  expectOwnRecords,
} from '../evening/checks.ts';
import { finish, startEvening, startSending } from '../evening/evening.ts';
import { newOwnedDatabase, postgresTools, startInstalled, startStandby } from '../installed-postgres.ts';
import { postgresReader, sqliteReader } from '../kills/database-reader.ts';
import { recordFaults } from '../kills/record-rules.ts';

/** How long nobody takes writes: until the operator has noticed. */
const outage_ms = 4_000;

test.runIf(postgresTools !== '')(
  'a primary dies, its synchronous standby is promoted, and workers that know both go on: nothing is lost',
  async () => {
    const primary = await startInstalled(['fsync=off', 'synchronous_standby_names=second']);
    const standby = await startStandby(primary, 'second');
    const own = await newOwnedDatabase(primary);
    const both = own.replace(`:${primary.port}/`, `:${primary.port},127.0.0.1:${standby.port}/`);
    const started = await startEvening({ newDatabase: async () => both, restart: primary.restart }, [
      'ada',
      'bea',
    ]);
    const evening = { ...started, database: postgresReader(standby.urlOf('shop')) };
    const { place, merchants, workers, database, statuses } = evening;
    const { over, reached } = startSending(merchants, { orders_each: 200, concurrency: 4 });
    await reached(1 / 3);
    primary.end('immediate');
    const ended_at = performance.now();
    await pause(outage_ms);
    const before = statuses.get(200) ?? 0;
    standby.run('pg_ctl', 'promote', '-D', join(standby.folder, 'data'), '-w');
    const promoted_at = performance.now();
    while ((statuses.get(200) ?? 0) === before) await pause(20);
    console.log({
      out_ms: promoted_at - ended_at,
      until_next_order_ms: performance.now() - promoted_at,
    });
    await reached(2 / 3);
    // It finds the first of its servers dead.
    await workers.killNext();
    await over;
    await finish(evening);
    expect(merchants.flatMap(({ unexpected }) => unexpected)).toEqual([]);
    expect(await recordFaults(database, { couriers: sqliteReader(place.books) })).toEqual({});
    await expectOwnRecords(evening);
    await expectEvents(evening);
    expectExplainedFaults(evening);
    await expectNothingFailed(evening);
  },
);
