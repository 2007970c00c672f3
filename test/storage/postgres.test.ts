import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';
import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import type { Connection } from '../../src/storage/database.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readSetting, writeSetting } from '../../src/storage/settings.ts';
import type { Storage } from '../../src/storage/storage.ts';
import { insertWebhookEndpoint } from '../../src/storage/webhook-endpoints.ts';
import {
  claimMessage,
  deleteMessages,
  insertResent,
  lockMessages,
  promoteNext,
} from '../../src/storage/webhook-messages.ts';
import { emptyDatabase, newDatabase, reusedDatabase } from '../databases.ts';
import { onceInFile, onEndOfFile } from '../end-of-file.ts';
import { startTcpProxy } from '../tcp-proxy.ts';
import { insertAccounts, noon, scope } from './records.ts';
import { openUntilTestEnds, storageSuite } from './suite.ts';
import { endpoint, messages, numberedEvent, waitingMessages, writeAndQueue } from './webhook-records.ts';

/** A storage for all tests: to connect takes longer than most of them. */
const shared = onceInFile(async () => {
  const emptied = reusedDatabase();
  const storage = await openStorage(await emptied());
  onEndOfFile(() => storage.close());
  return { storage, emptied };
});

storageSuite('PostgreSQL', async () => {
  const { storage, emptied } = await shared();
  const url = await emptied();
  return { storage, another: () => openUntilTestEnds(url) };
});

const unavailable = { name: 'StorageUnavailable' };

test('several processes can open a new database at once', async () => {
  const url = await emptyDatabase();
  const opened = await Promise.all(Array.from({ length: 6 }, () => openStorage(url)));
  await Promise.all(opened.map(({ run }, index) => run((db) => writeSetting(db, `setting ${index}`, 'on'))));
  expect(await Promise.all(opened.map(({ run }) => run((db) => readSetting(db, 'setting 5'))))).toEqual(
    Array(6).fill('on'),
  );
  await Promise.all(opened.map((storage) => storage.close()));
});

test('a missing server, a wrong password and a missing database are unavailable storage', async () => {
  await expect(openStorage('postgres://postgres@127.0.0.1:1/none')).rejects.toMatchObject(unavailable);
  const url = await newDatabase();
  await expect(openStorage(url.replace(':test@', ':wrong@'))).rejects.toMatchObject(unavailable);
  await expect(openStorage(`${url}_none`)).rejects.toMatchObject(unavailable);
});

/** Locks a row until the end of the test, in a separate session. */
async function holdLock(url: string, statement: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('begin');
  await client.query(statement);
  return () => client.end();
}

test('a transaction that waits before it is repeated holds no connection', async () => {
  const storage = await openStorage(`${await newDatabase()}?pool_size=1`);
  const conflict = sql`do $$ begin raise exception sqlstate '40001'; end $$`;
  let failures = 0;
  let isOver = false;
  const repeated = storage
    .transaction(async (db) => {
      failures += 1;
      if (failures < 8) await conflict.execute(db);
    })
    .finally(() => {
      isOver = true;
    });
  const idle: boolean[] = [];
  while (!isOver) {
    await pause(5);
    const { connections } = storage.statistics();
    idle.push(connections.idle === 1);
  }
  await repeated;
  expect(idle.filter((each) => each).length / idle.length).toBeGreaterThan(0.1);
  await storage.close();
});

test.each([
  ['a lock that is not granted in time', 'lock_timeout=50'],
  ['a statement that takes too long', 'statement_timeout=50'],
  ['a server that only reads', 'options=-c%20default_transaction_read_only%3Don'],
])('%s is unavailable storage, inside and outside of a transaction', async (_, parameter) => {
  const url = await newDatabase();
  const setUp = await openStorage(url);
  await setUp.run((db) => writeSetting(db, 'seed', 'one'));
  await setUp.close();
  const release = await holdLock(url, "update settings set value = 'two' where key = 'seed'");
  const storage = await openStorage(`${url}?${parameter}`);
  const write = (db: Connection) => writeSetting(db, 'seed', 'three');
  await expect(storage.run(write)).rejects.toMatchObject(unavailable);
  await expect(storage.transaction(write)).rejects.toMatchObject(unavailable);
  await release();
  await storage.close();
});

test('a deadlock outside of a transaction is unavailable storage', async () => {
  const storage = await openStorage(await newDatabase());
  const deadlock = sql`do $$ begin raise exception sqlstate '40P01'; end $$`;
  await expect(storage.run((db) => deadlock.execute(db))).rejects.toMatchObject(unavailable);
  await storage.close();
});

test('broken connections are unavailable storage once, and are replaced', async () => {
  const storage = await openStorage(await newDatabase());
  const broken = storage.transaction(async (db) => {
    await sql`select pg_terminate_backend(pg_backend_pid())`.execute(db);
  });
  await expect(broken).rejects.toMatchObject(unavailable);
  expect(await storage.run((db) => readSetting(db, 'seed'))).toBeNull();
  await storage.close();
});

test('conflicting transactions of several processes all succeed in the end', async () => {
  const url = await newDatabase();
  const pools = await Promise.all([openStorage(url), openStorage(url)]);
  const increment = (storage: Storage) =>
    storage.transaction(async (db) => {
      const before = Number((await readSetting(db, 'count')) ?? 0);
      await sql`select pg_sleep(0.01)`.execute(db);
      await writeSetting(db, 'count', String(before + 1));
    });
  const all = Array.from({ length: 30 }, () => pools.map(increment)).flat();
  const refused = (await Promise.allSettled(all)).filter(({ status }) => status === 'rejected');
  expect(refused).toEqual([]);
  expect(await pools[0]?.run((db) => readSetting(db, 'count'))).toBe('60');
  await Promise.all(pools.map((storage) => storage.close()));
});

const publish = (db: Connection) => writeAndQueue(db, [numberedEvent(2)]);
const resend = (db: Connection) =>
  insertResent(db, {
    ...{ ...scope, endpoint_id: endpoint(1).id, event_id: 'evt_9' },
    ...{ queue: 'dlv_1', created_at: noon + 2 },
  });

describe.each([
  ['published', 'read committed', publish],
  ['published', 'serializable', publish],
  ['sent again', 'serializable', resend],
] as const)('an event %s in a %s transaction', (_, isolation, insert) => {
  test('becomes due if the one before it is claimed, sent and deleted meanwhile', async () => {
    const { storage, db, before, end } = await withWaitingEvent();
    const inserted = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const inserting = storage.transaction(async (transaction) => {
      await insert(transaction);
      inserted.resolve();
      await gate.promise;
    }, isolation);
    await inserted.promise;
    const sending = claimMessage(db, before, noon).then(() => storage.transaction(end, 'read committed'));
    await sql`select pg_sleep(0.2)`.execute(db);
    gate.resolve();
    await Promise.all([inserting, sending]);
    await expectOneDue(db);
    await storage.close();
  });

  test('becomes due if it waits until the one before it is deleted', async () => {
    const { storage, db, end } = await withWaitingEvent();
    const ended = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const sending = storage.transaction(async (transaction) => {
      await end(transaction);
      ended.resolve();
      await gate.promise;
    }, 'read committed');
    await ended.promise;
    const inserting = storage.transaction(insert, isolation);
    await sql`select pg_sleep(0.2)`.execute(db);
    gate.resolve();
    await Promise.all([inserting, sending]);
    await expectOneDue(db);
    await storage.close();
  });
});

/** One event waits in a queue; `end` is what a sender does once it has arrived. */
async function withWaitingEvent() {
  const storage = await openStorage(await newDatabase());
  const db = await storage.run(async (inside) => inside);
  await insertAccounts(db);
  await insertWebhookEndpoint(db, endpoint(1));
  await writeAndQueue(db, [numberedEvent(1)]);
  const [before] = await messages(db);
  if (before === undefined) throw new Error('nothing waits');
  const end = async (transaction: Connection) => {
    await lockMessages(transaction, [before.sequence]);
    await deleteMessages(transaction, [before.sequence]);
    await promoteNext(transaction, [before.queue], noon + 9);
  };
  return { storage, db, before, end };
}

async function expectOneDue(db: Connection): Promise<void> {
  const waiting = (await waitingMessages(db)).map(([, status, queue, due]) => [status, queue, due]);
  expect(waiting).toEqual([['pending', 'dlv_1', expect.any(Number)]]);
}

test('writes whose announcement failed are announced later', async () => {
  const url = await newDatabase();
  const proxy = await startTcpProxy(url);
  const storage = await openUntilTestEnds(url);
  const writer = await openStorage(`${proxy.url}?response_timeout=3000&pool_size=1`);
  await expect.poll(() => storage.changes()).not.toBeNull();
  await writer.transaction((db) => writeSetting(db, 'a', '1'));
  const before = storage.changes() ?? Number.NaN;
  proxy.silence();
  await expect(writer.announce()).rejects.toMatchObject(unavailable);
  proxy.restore();
  await writer.announce();
  await expect.poll(() => storage.changes()).toBeGreaterThan(before);
  await writer.close();
  await proxy.close();
});

test('a listening connection that falls silent is noticed and replaced', async () => {
  const proxy = await startTcpProxy(await newDatabase());
  const storage = await openStorage(proxy.url);
  const real = timers.setTimeout;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // Storage does not use the global timers.
  replaceTimer(setTimeout);
  try {
    await until(() => storage.changes() !== null);
    // A connection that answers is kept. The answer to a check takes real time.
    for (let seconds = 0; seconds < 30; seconds += 5) {
      await vi.advanceTimersByTimeAsync(5_000);
      await storage.run((db) => sql`select pg_sleep(0.3)`.execute(db));
    }
    expect(storage.changes()).not.toBeNull();
    proxy.silence();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(storage.changes()).toBeNull();
    proxy.restore();
    await vi.advanceTimersByTimeAsync(5_000);
    await until(() => storage.changes() !== null);
  } finally {
    vi.useRealTimers();
    replaceTimer(real);
    await storage.close();
    await proxy.close();
  }
});

function replaceTimer(timer: typeof setTimeout): void {
  timers.setTimeout = timer;
  syncBuiltinESMExports();
}

/** Waits for a condition by turns of the event loop, as timers are the test's; lets a failed connection be replaced. */
async function until(isMet: () => boolean): Promise<void> {
  const started_at = performance.now();
  let tries = 1;
  while (!isMet()) {
    const waited_ms = performance.now() - started_at;
    if (waited_ms > 300_000) throw new Error('it did not happen');
    if (waited_ms > tries * 3_000) {
      tries += 1;
      await vi.advanceTimersByTimeAsync(5_000);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

test('a query after the end of the storage finds the database unavailable, and is no error of the service', async () => {
  const storage = await openStorage(await newDatabase());
  await storage.close();
  await expect(storage.run((db) => readSetting(db, 'setting'))).rejects.toMatchObject(unavailable);
});
