import { expect, test } from 'vitest';
import { providerQuoteTask } from '../../../src/service/quotes/quote-rounds.ts';
import type { Connection, TaskRow } from '../../../src/storage/database.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { countAnswers, insertJob, insertQuotes, lockJobs } from '../../../src/storage/quotes.ts';
import { insertRoute } from '../../../src/storage/routes.ts';
import { newDatabase } from '../../databases.ts';
import { insertAccounts, job, noon, quote, route } from '../../storage/records.ts';

const asking: TaskRow = {
  ...{ id: 'tsk_1', sequence: 1, test_mode: 1, kind: 'quote.ask', subject: 'rte_1', due_at: noon },
  ...{
    account_id: 'acct_1',
    lane: '',
    payload: '{"job_id":"job_1"}',
    attempts: 0,
    claim: 0,
    claimed_until: null,
  },
};

/** Writes an answer of the round as its task does, and returns the number of answers that it sees. */
async function answer(db: Connection, provider: string): Promise<number> {
  await insertQuotes(db, [quote(`rq_${provider}`, { provider })]);
  await lockJobs(db, ['job_1']);
  return countAnswers(db, 'job_1');
}

test('of an answer in a group of tasks and one on its own at the same time, the later sees both', async () => {
  const storage = await openStorage(await newDatabase());
  await storage.run(async (db) => {
    await insertAccounts(db);
    await insertRoute(db, route(1, { id: 'rte_1' }));
    await insertJob(db, job('job_1'));
  });
  let alone = 0;
  const grouped = await storage.transaction(async (db) => {
    // The group sees what was committed before its first statement.
    await db.selectFrom('tasks').selectAll().execute();
    if (alone === 0) alone = await storage.transaction((other) => answer(other, 'tote'), 'read committed');
    await providerQuoteTask.preload?.(db, [asking]);
    return answer(db, 'swiftly');
  });
  expect([alone, grouped]).toEqual([1, 2]);
  await storage.close();
});
