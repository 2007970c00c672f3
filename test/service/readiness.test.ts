import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { newDatabase } from '../databases.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { type Fixture, orderRequest, startFixture } from './fixture.ts';

/** A way in which a database stops taking writes. */
interface Fault {
  location: () => Promise<string>;
  /** Makes the database refuse writes, and returns what ends that. */
  begin: (fixture: Fixture, location: string) => Promise<() => Promise<unknown> | unknown>;
  /** What the refused requests say, and the checks of readiness. */
  text: string;
}

const file = async () => join(temporaryFolder(), 'waybill.db');
const connectTo = async (location: string) => {
  const client = new pg.Client({ connectionString: location });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
};
const databaseOf = (location: string) => new URL(location).pathname.slice(1);

/** Lets ten seconds pass for those who wait for a lock. */
function passLockWait(): () => void {
  const real = process.hrtime.bigint;
  let passed_ns = 0n;
  const spy = vi.spyOn(process.hrtime, 'bigint').mockImplementation(() => real() + passed_ns);
  onTestFinished(() => spy.mockRestore());
  return () => {
    passed_ns += 10_000_000_000n;
  };
}

const faults: Record<string, Fault> = {
  'PostgreSQL is set to read-only': {
    location: newDatabase,
    begin: async (_, location) => {
      const client = await connectTo(location);
      const set = (value: string) =>
        client.query(`alter database ${databaseOf(location)} set default_transaction_read_only = ${value}`);
      await set('on');
      await client.query(
        'select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
      );
      return async () => {
        await client.query('set default_transaction_read_only = off');
        await set('off');
      };
    },
    text: 'The database is read-only.',
  },
  'another session of PostgreSQL locks a table': {
    location: async () => `${await newDatabase()}?lock_timeout=20`,
    begin: async (_, location) => {
      const client = await connectTo(location.replace(/\?.*/, ''));
      await client.query('begin');
      await client.query('lock table orders in exclusive mode');
      return () => client.query('rollback');
    },
    text: 'Another process has locked the database.',
  },
  'SQLite may only read': {
    location: file,
    begin: async ({ storage }) => {
      const only = (value: string) =>
        storage.run((db) => sql.raw(`pragma query_only = ${value}`).execute(db));
      await only('on');
      return () => only('off');
    },
    text: 'The database is read-only.',
  },
  'the disk of SQLite is full': {
    location: file,
    begin: async ({ storage }) => {
      const limit = (pages: number) =>
        storage.run((db) => sql.raw(`pragma max_page_count = ${pages}`).execute(db));
      await limit(1);
      await storage
        .run((db) => sql`create table filler as select randomblob(3000) as rest`.execute(db))
        .catch(() => {});
      return () => limit(1_000_000);
    },
    text: 'The disk of the database is full.',
  },
  'another process locks the file of SQLite': {
    location: file,
    begin: async (_, location) => {
      const pass = passLockWait();
      const other = new DatabaseSync(location);
      other.exec('begin immediate');
      const passing = setInterval(pass, 100);
      onTestFinished(() => clearInterval(passing));
      return () => {
        clearInterval(passing);
        other.close();
      };
    },
    text: 'Another process has locked the database.',
  },
  'the file of SQLite is moved': {
    location: file,
    begin: async (_, location) => {
      renameSync(location, `${location}.away`);
      return () => renameSync(`${location}.away`, location);
    },
    text: 'The file of the database was moved, deleted or replaced.',
  },
};

test.each(Object.entries(faults))(
  'not ready from the first refused write to the first that passes: %s',
  async (_name, { location: locate, begin, text }) => {
    const location = await locate();
    const fixture = await startFixture({ location });
    onTestFinished(() => fixture.storage.close());
    const create = () => fixture.send('POST', '/v2/orders/create', { body: { orders: [orderRequest()] } });
    const ready = () => fixture.send('GET', '/health/ready');
    const seen = async () => {
      const answers = [await create(), await ready()];
      return answers.map(({ status, body }) => [status, JSON.parse(body).message]);
    };
    expect(await seen()).toEqual([
      [200, undefined],
      [200, undefined],
    ]);
    const end = await begin(fixture, location);
    // The first requests find connections that were ended, or fill what is left of the disk.
    await expect.poll(async () => (await create()).status).toBe(503);
    for (let checks = 0; checks < 8; checks += 1) {
      // What only reads proves nothing.
      expect((await fixture.send('GET', '/v2/orders')).status).toBe(200);
      await fixture.storage.transaction(async () => {}).catch(() => {});
      expect(await seen()).toEqual([
        [503, `${text} Retry in a moment.`],
        [503, text],
      ]);
    }
    await end();
    expect((await ready()).status).toBe(200);
    expect((await create()).status).toBe(200);
  },
);

test('a lock of another process is not ready after five seconds, and told once', async () => {
  const location = await file();
  const fixture = await startFixture({ location });
  onTestFinished(() => fixture.storage.close());
  expect((await fixture.send('GET', '/health/ready')).status).toBe(200);
  const pass = passLockWait();
  const other = new DatabaseSync(location);
  other.exec('begin immediate');
  const creating = fixture.send('POST', '/v2/orders/create', { body: { orders: [orderRequest()] } });
  await expect.poll(() => fixture.storage.statistics().lock_waits).toBe(1);
  expect((await fixture.send('GET', '/health/ready')).status).toBe(200);
  pass();
  expect((await creating).status).toBe(503);
  fixture.service.start();
  onTestFinished(() => fixture.service.stop());
  const told = () => fixture.faults.filter((fault) => String(fault).includes('has locked the database for'));
  await expect.poll(told).toHaveLength(1);
  other.close();
});
