import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { type MigrationStep, postgresTypes } from '../../src/storage/migrations/first-schema.ts';
import { migrations } from '../../src/storage/migrations/index.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { writeSetting } from '../../src/storage/settings.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { compatibleVersion, schemaVersion } from '../../src/storage/version.ts';
import { newDatabase } from '../databases.ts';

const setting = 'compatible_schema_version';

/** Makes a PostgreSQL database that a newer version has migrated. */
async function newerDatabase(compatible: number | null): Promise<string> {
  const url = await newDatabase();
  await using(url, async (storage) => {
    await storage.run((db) => sql`update schema_version set version = ${schemaVersion + 2}`.execute(db));
    if (compatible !== null) await storage.run((db) => writeSetting(db, setting, String(compatible)));
    else await storage.run((db) => db.deleteFrom('settings').where('key', '=', setting).execute());
  });
  return url;
}

async function using<T>(url: string, work: (storage: Storage) => Promise<T>): Promise<T> {
  const storage = await openStorage(url);
  return work(storage).finally(() => storage.close());
}

test('a version opens a PostgreSQL database that a newer one has left compatible, and changes no version', async () => {
  const url = await newerDatabase(schemaVersion);
  expect(await using(url, (storage) => storage.version())).toBe(schemaVersion + 2);
});

test.each([schemaVersion + 1, null])(
  'a database that is compatible from %s on is refused',
  async (compatible) => {
    const url = await newerDatabase(compatible);
    await expect(openStorage(url)).rejects.toThrow(/newer version/);
  },
);

test('a migration that deadlocks with a transaction of a running service is repeated', async () => {
  const url = await newDatabase();
  await using(url, (storage) =>
    storage.run(async (db) => {
      // Undoes the last migration that changes several tables.
      await sql`alter table events drop column order_id`.execute(db);
      await sql`alter table orders drop column erased_at`.execute(db);
      await sql`alter table deliveries drop column erased_at`.execute(db);
      await sql`alter table deliveries drop column promised_at`.execute(db);
      await sql`alter table charges drop column reason`.execute(db);
      await sql`alter table courier_bookings drop column bill, drop column cancellation_fee`.execute(db);
      for (const column of ['actor', 'actor_name', 'driver_id', 'detail'])
        await sql`alter table audit_entries drop column ${sql.ref(column)}`.execute(db);
      await sql`create index deliveries_due on deliveries (dropoff_eta)`.execute(db);
      await sql`create index reports_provider on reports (provider, provider_report_id)`.execute(db);
      await sql`update schema_version set version = 18`.execute(db);
    }),
  );
  const running = new pg.Client({ connectionString: url });
  await running.connect();
  await running.query('begin');
  await running.query('lock table deliveries in row exclusive mode');
  const migrated = using(url, (storage) => storage.version());
  while ((await running.query(waitingLocks)).rows.length === 0) await pause(20);
  await running.query('lock table events in row exclusive mode');
  await running.query('commit');
  await running.end();
  expect(await migrated).toBe(schemaVersion);
});

const waitingLocks = "select 1 from pg_locks where not granted and relation = 'deliveries'::regclass";

/** Whether a program that does not know the step can work with the database after it. */
function isAddition(step: MigrationStep): boolean {
  if (typeof step !== 'string') return false;
  // An index that is dropped must be one that no query of an older program needs.
  if (/^(create (table|index)|drop index) /.test(step)) return true;
  const column = /^alter table \w+ add column \w+ \w+(?: collate "C")?(?<rest>.*)$/.exec(step);
  return column !== null && /^( not null)? default |^$/.test(column.groups?.rest ?? '-');
}

test('migrations since the oldest compatible version only add what it can leave out', () => {
  const steps = migrations.flatMap((migration, index) =>
    migration(postgresTypes).map((step) => ({ step, number: index + 1 })),
  );
  const breaking = steps.filter(({ step }) => !isAddition(step));
  expect(Math.max(...breaking.map(({ number }) => number))).toBeLessThanOrEqual(compatibleVersion);
});

test.each([
  ['alter table orders add column weight bigint', true],
  ['alter table orders add column weight bigint not null default 0', true],
  ['create index orders_weight on orders (weight)', true],
  ['alter table orders add column weight bigint not null', false],
  ['drop index orders_weight', true],
  ['create unique index orders_weight on orders (weight)', false],
  ['alter table orders drop column weight', false],
  ['update orders set weight = 1', false],
])('%s: an addition: %s', (step, expected) => {
  expect(isAddition(step)).toBe(expected);
});
