import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { migrations } from '../../src/storage/migrations.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readSetting, serviceState, writeSetting } from '../../src/storage/settings.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';
import { acquireWorkerLock, LockWait } from '../../src/storage/sqlite-file.ts';
import { schemaVersion } from '../../src/storage/storage.ts';
import { countStatements } from '../cost/count-statements.ts';
import { fileIn } from '../databases.ts';
import { temporaryFolder } from './folder.ts';
import { openUntilTestEnds, storageSuite } from './suite.ts';

storageSuite('SQLite in a file', async () => {
  const storage = await openUntilTestEnds(await fileIn(temporaryFolder()));
  return { storage, another: async () => storage };
});

const pageBytes = 4096;
const unavailable = { name: 'StorageUnavailable' };

async function opened() {
  const file = join(temporaryFolder(), 'waybill.db');
  const storage = await openStorage(file);
  onTestFinished(() => storage.close());
  return { file, storage };
}

test('the schema version checked at opening is the number of migrations', () => {
  expect(schemaVersion).toBe(migrations.length);
});

test('a new file, its side files and its folder are private to their owner', async () => {
  const folder = join(temporaryFolder(), 'a', 'b');
  const file = join(folder, 'waybill.db');
  const storage = await openStorage(file);
  await storage.run((db) => writeSetting(db, 'seed', '1'));
  const mode = (path: string) => (statSync(path).mode & 0o777).toString(8);
  expect([mode(folder), mode(file), mode(`${file}-wal`)]).toEqual(['700', '600', '600']);
  await storage.close();
});

test('a write of another process to the file is noticed without a statement', async () => {
  const { file, storage } = await opened();
  const before = storage.changes();
  expect(storage.changes()).toBe(before);
  const statement = "insert into settings values ('from another process', '1')";
  const program = `new (require('node:sqlite').DatabaseSync)(${JSON.stringify(file)}).exec(${JSON.stringify(statement)})`;
  execFileSync(process.execPath, ['-e', program], { stdio: 'pipe' });
  const { statements } = await countStatements(async () => {
    expect(storage.changes()).toBeGreaterThan(before ?? Number.NaN);
  });
  expect(statements).toBe(0);
});

test('written data is there after closing, and the file is in WAL mode', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const first = await openStorage(file);
  await first.run((db) => writeSetting(db, 'seed', '1'));
  await first.close();
  await first.close();
  const second = await openStorage(file);
  expect(await second.run((db) => readSetting(db, 'seed'))).toBe('1');
  await second.close();
  const raw = new DatabaseSync(file);
  expect(raw.prepare('pragma journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
  raw.close();
});

test('a file that is no database, a folder, and a newer database are unavailable', async () => {
  const folder = temporaryFolder();
  const text = join(folder, 'text');
  writeFileSync(text, 'no database at all, but long enough to have a header of one'.repeat(20));
  await expect(openStorage(text)).rejects.toMatchObject(unavailable);
  await expect(openStorage(folder)).rejects.toMatchObject(unavailable);
  await expect(openStorage(join(text, 'below'))).rejects.toMatchObject(unavailable);
  await (await openStorage(join(folder, 'newer'))).close();
  const newer = new DatabaseSync(join(folder, 'newer'));
  newer.exec('pragma user_version = 1000');
  newer.close();
  await expect(openStorage(join(folder, 'newer'))).rejects.toThrow(/newer version/);
});

test.each([
  ['with tables', 'create table notes (text)'],
  ['with a version', 'pragma user_version = 1'],
  ['with an id', 'pragma application_id = 1'],
  ['with our tables but not our id', 'create table settings (key, value); pragma user_version = 1'],
])('the database of another program, %s, is unavailable and stays unchanged', async (_what, statements) => {
  const file = join(temporaryFolder(), 'other.db');
  const other = new DatabaseSync(file);
  other.exec(statements);
  other.close();
  const before = readFileSync(file);
  const refused = openStorage(file);
  await expect(refused).rejects.toMatchObject(unavailable);
  await expect(refused).rejects.toThrow('not a waybill database');
  expect(readFileSync(file).equals(before)).toBe(true);
});

test('an empty file becomes a database with the program’s application id', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  writeFileSync(file, '');
  await (await openStorage(file)).close();
  const raw = new DatabaseSync(file);
  expect(raw.prepare('pragma application_id').get()).toEqual({ application_id: 0x77617962 });
  raw.close();
  await (await openStorage(file)).close();
});

test('damage found during a read is unavailable storage', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  await (await openStorage(file)).close();
  spoilTable(file, 'settings');
  const damaged = await openStorage(file);
  await expect(damaged.run((db) => readSetting(db, 'seed'))).rejects.toMatchObject(unavailable);
  await damaged.close();
});

/** Overwrites the first page of a table. */
function spoilTable(file: string, name: string): void {
  const database = new DatabaseSync(file);
  const page = database.prepare('select rootpage from sqlite_schema where tbl_name = ?').all(name);
  database.close();
  const handle = openSync(file, 'r+');
  for (const { rootpage } of page) {
    writeSync(handle, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (Number(rootpage) - 1) * pageBytes);
  }
  closeSync(handle);
}

test('reads do not wait for an open transaction, and see what is committed', async () => {
  const { storage } = await opened();
  const seed = () => storage.first(serviceState, 1, 'clock', 'seed').then((state) => state?.seed);
  await storage.run((db) => writeSetting(db, 'seed', 'before'));
  expect(await seed()).toBe('before');
  const written = Promise.withResolvers<void>();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const writing = storage.transaction(async (db) => {
    await writeSetting(db, 'seed', 'after');
    written.resolve();
    await held;
  });
  await written.promise;
  expect(await storage.read((db) => readSetting(db, 'seed'))).toBe('before');
  expect(await seed()).toBe('before');
  const writes = storage.read((db) => writeSetting(db, 'seed', 'by a read'));
  await expect(writes).rejects.toThrow('readonly');
  release();
  await writing;
  expect(await storage.read((db) => readSetting(db, 'seed'))).toBe('after');
  expect(await seed()).toBe('after');
});

test('while another process has the lock, writes wait and reads continue', async () => {
  const { file, storage } = await opened();
  const other = new DatabaseSync(file);
  other.exec('begin immediate');
  let ticks = 0;
  const ticking = setInterval(() => {
    ticks += 1;
  }, 5);
  onTestFinished(() => clearInterval(ticking));
  const writes = [
    storage.run((db) => writeSetting(db, 'one', '1')),
    storage.transaction((db) => writeSetting(db, 'two', '2')),
  ];
  await expect.poll(() => ticks).toBeGreaterThan(20);
  other.exec("insert into settings values ('three', '3')");
  other.exec('commit');
  other.close();
  await Promise.all(writes);
  const read = (key: string) => storage.run((db) => readSetting(db, key));
  expect([await read('one'), await read('two'), await read('three')]).toEqual(['1', '2', '3']);
});

test('a read that has waited for a lock ends the wait', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const other = new DatabaseSync(file);
  other.exec("create table settings (key, value); insert into settings values ('one', '1')");
  const wait = new LockWait();
  const db = sqliteBuilder(new DatabaseSync(file, { timeout: 1 }), wait);
  onTestFinished(() => db.destroy());
  other.exec('begin exclusive');
  const reading = readSetting(db, 'one');
  await expect.poll(() => wait.count).toBe(1);
  other.exec('commit');
  other.close();
  expect(await reading).toBe('1');
  expect(wait.duration_ms()).toBe(0);
});

test('a file that was deleted or replaced is unavailable, as its writes would be lost', async () => {
  const { file, storage } = await opened();
  await storage.check();
  const write = () => storage.transaction((db) => writeSetting(db, 'one', '1'));
  await write();
  renameSync(file, `${file}.away`);
  const moved = `the database file ${file} was moved or deleted: put it back, the service then goes on; do not restart it before`;
  await expect(storage.check()).rejects.toThrow(moved);
  await expect(write()).rejects.toMatchObject(unavailable);
  // The log of the file would be emptied by a new one.
  await expect(openStorage(file)).rejects.toThrow(
    `cannot open the database ${file}: the file is missing, but ${file}-wal of it is there: put the database back`,
  );
  renameSync(`${file}.away`, file);
  await storage.transaction(async (db) => {
    await writeSetting(db, 'two', '2');
    renameSync(file, `${file}.away`);
    renameSync(`${file}-wal`, `${file}.away-wal`);
    // A connection that only reads makes no file: it would stand for the database.
    await expect(storage.read((reader) => readSetting(reader, 'one'))).rejects.toMatchObject(unavailable);
    expect(existsSync(file)).toBe(false);
    renameSync(`${file}.away-wal`, `${file}-wal`);
    renameSync(`${file}.away`, file);
  });
  await write();
  renameSync(file, `${file}.away`);
  renameSync(`${file}-wal`, `${file}.away-wal`);
  const other = await openStorage(file);
  await expect(storage.check()).rejects.toThrow(`the database file ${file} was replaced`);
  await expect(write()).rejects.toMatchObject(unavailable);
  await other.close();
});

test.each([
  ['an empty log', '-wal', '', true],
  ['a log', '-wal', 'frames', false],
  ['the copy of a restore that was killed', '.new', 'pages', false],
  ['a key', '.secret-key', 'a key', false],
  ['its shared memory', '-shm', 'pages', true],
])('beside %s alone a new database is made or not', async (_what, end, content, isMade) => {
  const file = join(temporaryFolder(), 'waybill.db');
  writeFileSync(`${file}${end}`, content);
  const opening = openStorage(file);
  if (isMade) return (await opening).close();
  await expect(opening).rejects.toThrow(`the file is missing, but ${file}${end} of it is there`);
  expect([existsSync(file), readFileSync(`${file}${end}`, 'utf8')]).toEqual([false, content]);
});

const script = join(import.meta.dirname, 'lock-holder.ts');

/** Starts a process that holds the lock. */
async function startHolder(file: string): Promise<ChildProcess> {
  const holder = fork(script, [file], { execArgv: [] });
  onTestFinished(() => void holder.kill('SIGKILL'));
  const [message] = await once(holder, 'message');
  expect(message).toBe('held');
  return holder;
}

test('one holder at a time has the lock, also within a process, until it is released', () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const lock = acquireWorkerLock(file);
  expect(lock).not.toBeNull();
  expect(acquireWorkerLock(file)).toBeNull();
  lock?.release();
  lock?.release();
  const next = acquireWorkerLock(file);
  expect(next).not.toBeNull();
  next?.release();
  expect(statSync(`${file}-worker`).mode & 0o777).toBe(0o600);
});

test('the lock of another process excludes this one, leaves the database usable, and ends with its process', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const holder = await startHolder(file);
  expect(acquireWorkerLock(file)).toBeNull();
  const storage = await openStorage(file);
  expect(await storage.run((db) => readSetting(db, 'seed'))).toBeNull();
  await storage.close();
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  const lock = acquireWorkerLock(file);
  expect(lock).not.toBeNull();
  lock?.release();
});

test('a lock can be waited for', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  const holder = await startHolder(file);
  holder.send('release');
  const lock = acquireWorkerLock(file, { wait_ms: 10_000 });
  expect(lock).not.toBeNull();
  lock?.release();
});

test('a lock file that cannot be created is unavailable storage; in memory the lock is always free', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'file-worker'));
  expect(() => acquireWorkerLock(join(folder, 'file'))).toThrow(
    expect.objectContaining({ name: 'StorageUnavailable' }),
  );
  expect(acquireWorkerLock(':memory:')).not.toBeNull();
  expect(acquireWorkerLock(':memory:')).not.toBeNull();
});
