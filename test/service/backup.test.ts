import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { records } from '../../src/client/pages.ts';
import { copyDatabase, replaceDatabase } from '../../src/service/administration.ts';
import { fileOwnership } from '../../src/service/runtime/processes.ts';
import { createService } from '../../src/service/service.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { schemaVersion } from '../../src/storage/storage.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { clientOf, dispatchRoute, type Fixture, orderRequest, startFixture } from './fixture.ts';

let folder: string;
const file = (name: string) => join(folder, name);

beforeEach(() => {
  folder = temporaryFolder();
});

/** Creates orders and hands a route to a courier, with its charges and events. */
const deliver = (fixture: Fixture) =>
  dispatchRoute(fixture, { requests: [orderRequest(), orderRequest({ dropoff_name: 'Joe Diner' })] });

type Row = Record<string, unknown>;

function rows(location: string, query: string): Row[] {
  const database = new DatabaseSync(location, { readOnly: true });
  try {
    return database.prepare(query).all();
  } finally {
    database.close();
  }
}

const one = (location: string, query: string) => rows(location, query)[0] ?? {};

const ordersIn = (location: string) => Number(one(location, 'select count(*) as count from orders').count);

test('backups of a database in use are each its state at one moment', async () => {
  const fixture = await startFixture({ location: file('shop.db') });
  for (let count = 0; count < 20; count += 1) await deliver(fixture);
  let isOver = false;
  const load = (async () => {
    while (!isOver) await deliver(fixture);
  })();
  const backups: { name: string; before: number; after: number }[] = [];
  const counted = () => ordersIn(file('shop.db'));
  while (backups.length < 5) {
    const name = file(`backup-${backups.length}.db`);
    const before = counted();
    const copied = await copyDatabase(file('shop.db'), name);
    backups.push({ name, before, after: counted() });
    expect(copied).toMatchObject({ schema_version: schemaVersion, bytes: statSync(name).size });
    expect(statSync(name).mode & 0o777).toBe(0o600);
    // Waits for the next order: deliveries are made one at a time, as each passes service time, in which the quotes of
    // another could expire.
    while (counted() === before) await pause(5);
  }
  isOver = true;
  await load;
  for (const { name, before, after } of backups) {
    const restored = file('restored.db');
    await replaceDatabase(name, restored, 'before');
    const orders = ordersIn(restored);
    expect(orders).toBeGreaterThanOrEqual(before);
    expect(orders).toBeLessThanOrEqual(after);
    // Events and charges are only ever appended: those of the backup are all that the service had at that moment.
    const { last } = one(restored, 'select max(position) as last from events');
    const events = (place: string) =>
      rows(place, `select position, id, type, data from events where position <= ${last} order by position`);
    expect(events(restored)).toEqual(events(file('shop.db')));
    const { charge } = one(restored, 'select max(rowid) as charge from charges');
    const sums = (place: string) =>
      one(place, `select count(*) as count, sum(amount) as sum from charges where rowid <= ${charge}`);
    expect(sums(restored)).toEqual(sums(file('shop.db')));
    expect(sums(restored).count).toBeGreaterThan(0);
    // A backup contains all or nothing of a transaction.
    const torn = `select d.id from deliveries d where not exists (select 1 from charges c where c.delivery_id = d.id)
      or not exists (select 1 from events e where e.delivery_id = d.id)`;
    expect(rows(restored, torn)).toEqual([]);
    expect(await startRestored(restored, fixture)).toBe(orders);
  }
  await fixture.storage.close();
});

/** The number of orders that a service on a restored database lists for the same key. */
async function startRestored(location: string, fixture: Fixture): Promise<number> {
  const storage = await openStorage(location);
  const client = clientOf(createService({ ...fixture.config, storage }), fixture.keys.test);
  let count = 0;
  for await (const _ of records(client.orders.list, { limit: 100 })) count += 1;
  expect(one(location, 'pragma journal_mode').journal_mode).toBe('wal');
  await storage.close();
  return count;
}

test('a restore keeps the database before, and refuses one in use', async () => {
  const fixture = await startFixture({ location: file('shop.db') });
  await deliver(fixture);
  await copyDatabase(file('shop.db'), file('backup.db'));
  await deliver(fixture);
  const ownership = fileOwnership(file('shop.db'), { keeps: true });
  await ownership.whileOwner(async () => {});
  await expect(replaceDatabase(file('backup.db'), file('shop.db'), 'before')).rejects.toThrow(
    'a service is using the database',
  );
  ownership.release();
  await fixture.storage.close();
  const restored = await replaceDatabase(file('backup.db'), file('shop.db'), 'before');
  expect(restored).toMatchObject({ orders: 2, deliveries: 2, replaced: file('shop.db.before') });
  expect(ordersIn(file('shop.db'))).toBe(2);
  expect(ordersIn(file('shop.db.before'))).toBe(4);
});

test.for(['wal', 'journal'])('a damaged database is replaced, and kept with its %s', async (kind) => {
  const fixture = await startFixture({ location: file('shop.db') });
  await deliver(fixture);
  await copyDatabase(file('shop.db'), file('backup.db'));
  const log = readFileSync(file('shop.db-wal'));
  await fixture.storage.close();
  const damaged = 'not a database any more '.repeat(1000);
  writeFileSync(file('shop.db'), damaged);
  writeFileSync(file(`shop.db-${kind}`), log);
  const restored = await replaceDatabase(file('backup.db'), file('shop.db'), 'before');
  expect(restored).toMatchObject({ orders: 2, replaced: file('shop.db.before') });
  expect(ordersIn(file('shop.db'))).toBe(2);
  expect(readFileSync(file('shop.db.before'), 'utf8')).toBe(damaged);
  expect(log.length).toBeGreaterThan(0);
  expect(readFileSync(file(`shop.db.before-${kind}`)).equals(log)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.includes('.new'))).toEqual([]);
});

test('what is no backup leaves the database as it is', async () => {
  const fixture = await startFixture({ location: file('shop.db') });
  await deliver(fixture);
  await copyDatabase(file('shop.db'), file('backup.db'));
  await fixture.storage.close();
  writeFileSync(file('text.db'), 'no database, but long enough to be read as one'.repeat(100));
  new DatabaseSync(file('other.db')).exec('create table t (c)');
  const newer = new DatabaseSync(file('backup.db'));
  newer.exec('pragma user_version = 9999');
  newer.close();
  for (const [name, reason] of [
    ['text.db', 'not a database'],
    ['other.db', 'not a waybill database'],
    ['missing.db', 'there is no file'],
    ['backup.db', 'newer version'],
  ]) {
    await expect(replaceDatabase(file(name ?? ''), file('shop.db'), 'before'), name).rejects.toThrow(reason);
  }
  expect(ordersIn(file('shop.db'))).toBe(2);
});

test.for(['backup.db', 'shop.db'])(
  'a restore refuses the log of another database beside %s',
  async (name) => {
    const other = await startFixture({ location: file('other.db') });
    await deliver(other);
    const fixture = await startFixture({ location: file('first.db') });
    await copyDatabase(file('first.db'), file('backup.db'));
    copyFileSync(file('other.db-wal'), file(`${name}-wal`));
    const before = readdirSync(folder);
    await expect(replaceDatabase(file('backup.db'), file('shop.db'), 'before')).rejects.toThrow(
      `${file(name)}-wal`,
    );
    expect(readdirSync(folder)).toEqual(before);
    await Promise.all([other.storage.close(), fixture.storage.close()]);
  },
);

test('a database that was copied by hand is restored with its log', async () => {
  const fixture = await startFixture({ location: file('shop.db') });
  await deliver(fixture);
  for (const end of ['', '-wal']) copyFileSync(file(`shop.db${end}`), file(`copy.db${end}`));
  await fixture.storage.close();
  expect(await replaceDatabase(file('copy.db'), file('restored.db'), 'before')).toMatchObject({ orders: 2 });
});

test('a refused restore leaves nothing of a database that was not made', async () => {
  writeFileSync(file('text.db'), 'no database, but long enough to be read as one'.repeat(100));
  await expect(replaceDatabase(file('text.db'), file('new.db'), 'before')).rejects.toThrow('not a database');
  await expect(copyDatabase(file('text.db'), file('backup.db'))).rejects.toMatchObject({
    advice: `${file('text.db')} has something else in it: name another file.`,
  });
  expect(readdirSync(folder)).toEqual(['text.db']);
});

test('a damaged page is found before a backup is kept', async () => {
  const fixture = await startFixture({ location: file('shop.db') });
  for (let count = 0; count < 3; count += 1) await deliver(fixture);
  await fixture.storage.close();
  const bytes = readFileSync(file('shop.db'));
  bytes.fill(0xff, 4096 * 30, 4096 * 60);
  writeFileSync(file('damaged.db'), bytes);
  await expect(copyDatabase(file('damaged.db'), file('backup.db'))).rejects.toThrow(/damaged|malformed/);
  expect(() => statSync(file('backup.db'))).toThrow('ENOENT');
});
