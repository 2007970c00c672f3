import { copyFileSync, existsSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readSetting, writeSetting } from '../../src/storage/settings.ts';
import { countStatements } from '../cost/count-statements.ts';
import { orderMade, orderRequest, startFixture } from '../service/fixture.ts';
import { temporaryFolder } from './folder.ts';

const newFile = () => join(temporaryFolder(), 'waybill.db');

test('waiting transactions share one commit, and a failing one is rolled back alone', async () => {
  const storage = await openStorage(newFile());
  const fault = new Error('changed my mind');
  const write = (name: number) =>
    storage.transaction(async (db) => {
      await writeSetting(db, `setting ${name}`, 'kept');
      if (name % 3 === 0) throw fault;
      return name;
    });
  let outcomes: PromiseSettledResult<number>[] = [];
  const { transactions } = await countStatements(async () => {
    outcomes = await Promise.allSettled(Array.from({ length: 9 }, (_, name) => write(name)));
  });
  // The first fails alone. The next three run as one until the last of them fails, and again with all others.
  expect(transactions).toBe(3);
  for (const [name, outcome] of outcomes.entries()) {
    const value = await storage.run((db) => readSetting(db, `setting ${name}`));
    if (name % 3 === 0) expect([outcome, value]).toEqual([{ status: 'rejected', reason: fault }, null]);
    else expect([outcome, value]).toEqual([{ status: 'fulfilled', value: name }, 'kept']);
  }
  await expect(write(0)).rejects.toBe(fault);
  expect(await write(1)).toBe(1);
  await storage.close();
});

test('waiting transactions that do not fail run without savepoints', async () => {
  const storage = await openStorage(newFile());
  const { statements } = await countStatements(async () => {
    await Promise.all(
      [1, 2, 3].map((name) => storage.transaction((db) => writeSetting(db, `${name}`, 'kept'))),
    );
  });
  expect(statements).toBe(2 + 3);
  await storage.close();
});

test('a failed commit rejects every transaction that shares it', async () => {
  const storage = await openStorage(newFile());
  const writes = Array.from({ length: 3 }, (_, name) =>
    storage.transaction((db) => writeSetting(db, `setting ${name}`, 'lost')),
  );
  const restore = afterCommits(() => {
    throw new Error('disk full');
  });
  const outcomes = await Promise.allSettled(writes).finally(restore);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  await storage.close();
});

test('after a power cut every acknowledged order is there', async () => {
  const file = newFile();
  const fixture = await startFixture({ location: file });
  const log = `${file}-wal`;
  // The database is on disk up to the end of its log at the last commit; what is written later may be lost.
  let synced = statSync(log).size;
  const restore = afterCommits(() => {
    synced = statSync(log).size;
  });
  const acknowledged: { id: string; synced: number }[] = [];
  const create = async () => {
    const { data } = await orderMade(fixture.client().orders.create({ body: { orders: [orderRequest()] } }));
    acknowledged.push({ id: data.id, synced });
  };
  try {
    for (let round = 0; round < 5; round += 1) await Promise.all(Array.from({ length: 8 }, create));
  } finally {
    restore();
  }
  for (const [index, cut] of acknowledged.entries()) {
    const found = ordersAfterCut(file, cut.synced);
    for (const { id } of acknowledged.slice(0, index + 1)) expect(found).toContain(id);
  }
  await fixture.storage.close();
});

test('a commit waits until it is on disk', async () => {
  const storage = await openStorage(newFile());
  const { rows } = await storage.run((db) => sql`pragma synchronous`.execute(db));
  // 2 is FULL: https://sqlite.org/pragma.html#pragma_synchronous
  expect(rows).toEqual([{ synchronous: 2 }]);
  await storage.close();
});

/** Calls `then` after each commit of this process; returns how to end that. */
function afterCommits(then: () => void): () => void {
  const { run } = StatementSync.prototype;
  StatementSync.prototype.run = new Proxy(run, {
    apply: (target, self, parameters) => {
      const result = Reflect.apply(target, self, parameters);
      if (self.sourceSQL === 'commit') then();
      return result;
    },
  });
  return () => {
    StatementSync.prototype.run = run;
  };
}

/** The orders in a copy of the database whose log ends where the last synced one did. */
function ordersAfterCut(file: string, log_bytes: number): string[] {
  const copy = `${file}-cut`;
  for (const side of ['', '-wal', '-shm']) if (existsSync(copy + side)) rmSync(copy + side);
  copyFileSync(file, copy);
  copyFileSync(`${file}-wal`, `${copy}-wal`);
  truncateSync(`${copy}-wal`, log_bytes);
  const database = new DatabaseSync(copy);
  const ids = database.prepare('select id from orders').all();
  database.close();
  return ids.map(({ id }) => String(id));
}
