import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { providerQuoteTask } from '../../../src/service/quotes/request-provider-quote.ts';
import type { ServiceContext, Task } from '../../../src/service/runtime/context.ts';
import { seededChance } from '../../../src/service/runtime/random.ts';
import { newTask } from '../../../src/service/runtime/task-kinds.ts';
import type { Connection } from '../../../src/storage/database.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { countAnswers, insertJob, insertQuotes, loadJob, lockJobs } from '../../../src/storage/quotes.ts';
import { insertRoute } from '../../../src/storage/routes.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { newDatabase } from '../../databases.ts';
import { insertAccounts, job, noon, quote, route } from '../../storage/records.ts';

/** A task that requests a provider's quote for the round. */
function taskOf(provider: string): Task<'quote.ask'> {
  const payload = { job_id: 'job_1', provider, asked_by_name: false, silent: false };
  const task = { id: 'tsk_1', account_id: 'acct_1', test_mode: 1, subject: 'rte_1', due_at: noon } as const;
  const state = { sequence: 1, attempts: 0, claim: 0, claimed_until: null };
  const row = { ...newTask('quote.ask', task, payload), test_mode: 1, ...state } as const;
  return { row, payload, now: noon, is_first: true, finish: async () => {}, renew: async () => {} };
}

/** Writes an answer of the round as its task does, and returns the number of answers that it sees. */
async function answer(db: Connection, provider: string): Promise<number> {
  await insertQuotes(db, [quote(`rq_${provider}`, { provider })]);
  await lockJobs(db, ['job_1']);
  return countAnswers(db, 'job_1');
}

/** A database with one round, in which two providers are asked. */
async function openWithRound(): Promise<Storage> {
  const storage = await openStorage(await newDatabase());
  await storage.run(async (db) => {
    await insertAccounts(db);
    await insertRoute(db, route(1, { id: 'rte_1' }));
    await insertJob(db, job('job_1'));
  });
  return storage;
}

/** Resolves once as many transactions of a database wait for a lock. */
async function waitForLocks({ run }: Storage, count: number): Promise<void> {
  const waiting = sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`;
  const read = async () => (await run((db) => waiting.execute(db))).rows[0]?.count;
  await expect.poll(read).toBe(count);
}

test('two providers that decline at the same time complete their round', async () => {
  const storage = await openWithRound();
  const chance = async () => seededChance('round');
  const service = { storage, chance, providers: [] } as Partial<ServiceContext> as ServiceContext;
  const decline = async (provider: string) => {
    await providerQuoteTask.abandon?.(service, taskOf(provider));
  };
  const declines: Promise<void>[] = [];
  await storage.transaction(async (db) => {
    await lockJobs(db, ['job_1']);
    declines.push(decline('tote'), decline('swiftly'));
    await waitForLocks(storage, 2);
  }, 'read committed');
  await Promise.all(declines);
  expect(await storage.read((db) => loadJob(db, 'job_1'))).toMatchObject({ status: 'COMPLETE' });
  await storage.close();
});

test('of an answer in a group of tasks and one on its own at the same time, the later sees both', async () => {
  const storage = await openWithRound();
  let alone = 0;
  const grouped = await storage.transaction(async (db) => {
    // The group sees what was committed before its first statement.
    await db.selectFrom('tasks').selectAll().execute();
    if (alone === 0) alone = await storage.transaction((other) => answer(other, 'tote'), 'read committed');
    await providerQuoteTask.preload?.(db, [taskOf('swiftly')]);
    return answer(db, 'swiftly');
  });
  expect([alone, grouped]).toEqual([1, 2]);
  await storage.close();
});
