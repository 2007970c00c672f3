import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, test } from 'vitest';
import { migrations } from '../../src/storage/migrations.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import {
  attemptsOfOrders,
  countAsRepeat,
  insertAttempt,
  latestAttempt,
} from '../../src/storage/order-attempts.ts';
import { writeSetting } from '../../src/storage/settings.ts';
import { compatibleVersion, type Storage, schemaVersion } from '../../src/storage/storage.ts';
import { postgresTypes, sqliteTypes } from '../../src/storage/table-definitions.ts';
import { emptyDatabase, newDatabase } from '../databases.ts';
import { executeOn } from '../postgres.ts';
import { temporaryFolder } from './folder.ts';
import { orderAttempt } from './records.ts';

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
  const url = new URL(await emptyDatabase());
  const running = new pg.Client({ connectionString: url.href });
  await running.connect();
  // The server ends the transaction that looks for a deadlock first: the migration, with time until there is one.
  await running.query("set deadlock_timeout = '10min'");
  url.searchParams.set('options', '-c deadlock_timeout=5s');
  await running.query('create table schema_version (version bigint not null)');
  await running.query('begin');
  await running.query('lock table schema_version in share mode');
  const migrated = using(url.href, (storage) => storage.version());
  while ((await running.query(waitingLocks)).rows.length === 0) await pause(20);
  // The lock that the migration holds.
  await running.query('select pg_advisory_xact_lock(8246330771)');
  await running.query('commit');
  await running.end();
  expect(await migrated).toBe(schemaVersion);
});

/** Makes a database with the first migrations only. */
const oldDatabases = {
  sqlite: async (count: number, statements: readonly string[]) => {
    const file = join(temporaryFolder(), 'waybill.db');
    const database = new DatabaseSync(file);
    for (const statement of [
      ...migrations.slice(0, count).flatMap((each) => each(sqliteTypes)),
      ...statements,
    ])
      database.exec(statement);
    database.exec(`pragma user_version = ${count}`);
    database.exec(`pragma application_id = ${0x77_61_79_62}`);
    database.close();
    return file;
  },
  postgres: async (count: number, statements: readonly string[]) => {
    const url = await emptyDatabase();
    const old = migrations.slice(0, count).flatMap((each) => each(postgresTypes));
    const version = [
      'create table schema_version (version bigint not null)',
      `insert into schema_version values (${count})`,
    ];
    for (const statement of [...version, ...old, ...statements]) await executeOn(url, statement);
    return url;
  },
};

test.each(['sqlite', 'postgres'] as const)(
  'attempts of version 4 have no repetitions, and the next ones are counted (%s)',
  async (engine) => {
    const { repeats: _, last_at: __, ...attempt } = orderAttempt(1);
    const columns = Object.keys(attempt).join(', ');
    const values = Object.values(attempt).map((value) =>
      typeof value === 'string' ? `'${value}'` : String(value),
    );
    const account =
      "insert into accounts (id, name, live_settings, created_at) values ('acct_a', 'Shop', '{}', 0)";
    const row = `insert into tries (${columns}) values (${values.join(', ')})`;
    const location = await oldDatabases[engine](4, [account, row]);
    await using(location, async (storage) => {
      expect(await storage.version()).toBe(schemaVersion);
      await storage.transaction(async (db) => {
        expect(await latestAttempt(db, attempt.order_id)).toEqual(orderAttempt(1));
        await insertAttempt(db, { ...orderAttempt(2), created_at: attempt.created_at + 60_000 });
        await countAsRepeat(db, { ...orderAttempt(2), created_at: attempt.created_at + 60_000 }, attempt);
        const counted = { ...orderAttempt(1), repeats: 1, last_at: attempt.created_at + 60_000 };
        expect(await attemptsOfOrders(db, [attempt.order_id])).toEqual([counted]);
      });
      const rows = await storage.run((db) => db.selectFrom('tries').select(['number', 'repeats']).execute());
      expect(rows).toEqual([{ number: 1, repeats: 1 }]);
    });
  },
);

const waitingLocks = "select 1 from pg_locks where not granted and relation = 'schema_version'::regclass";

/** Whether a program that does not know the statement can work with the database after it. */
function isAddition(statement: string): boolean {
  // An index that is dropped must be one that no query of an older program needs.
  if (/^(create (table|index)|drop index) /.test(statement)) return true;
  const column = /^alter table \w+ add column \w+ \w+(?: collate "C")?(?<rest>.*)$/.exec(statement);
  return column !== null && /^( not null)? default |^$/.test(column.groups?.rest ?? '-');
}

test('migrations since the oldest compatible version only add what it can leave out', () => {
  const later = migrations.slice(compatibleVersion).flatMap((migration) => migration(postgresTypes));
  expect(later.filter((statement) => !isAddition(statement))).toEqual([]);
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
])('%s: an addition: %s', (statement, expected) => {
  expect(isAddition(statement)).toBe(expected);
});

test.each([
  ['SQLite', async () => join(temporaryFolder(), 'waybill.db')],
  ['PostgreSQL', emptyDatabase],
])('a database of %s that must exist is not made', async (engine, locate) => {
  const location = await locate();
  const opening = () => openStorage(location, { mustExist: true });
  await expect(opening()).rejects.toThrow('there is none yet, or it is empty, and --must-exist is set');
  // The refusal has made nothing: no file, and no table that the next try would take for a database.
  if (engine === 'SQLite') expect(existsSync(location)).toBe(false);
  await expect(opening()).rejects.toThrow('--must-exist is set');
  await (await openStorage(location)).close();
  await (await opening()).close();
});
