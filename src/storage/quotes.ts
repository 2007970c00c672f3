import type { Connection, QuoteDeclineRow, QuoteRow } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { chunks } from './rows.ts';

export async function insertQuotes(db: Connection, quotes: readonly QuoteRow[]): Promise<void> {
  for (const batch of chunks(quotes)) {
    await db.insertInto('quotes').values(batch).execute();
  }
}

/** A provider's decline; the first one of a round is kept. */
export async function insertDecline(db: Connection, decline: QuoteDeclineRow): Promise<void> {
  await db
    .insertInto('quote_declines')
    .values(decline)
    .onConflict((conflict) => conflict.columns(['job_id', 'provider']).doNothing())
    .execute();
}

export async function findQuote(
  db: Connection,
  account_id: string,
  id: string,
): Promise<QuoteRow | undefined> {
  return db
    .selectFrom('quotes')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', account_id)
    .executeTakeFirst();
}

/** The quotes of one round, in order of their ids. */
export const quotesOfJob: PreparedQuery<QuoteRow, [job_id: string]> = {
  name: 'quotes of job',
  sample: ['job'],
  query: (db, job_id) => db.selectFrom('quotes').selectAll().where('job_id', '=', job_id).orderBy('id'),
};

export async function listQuotes(db: Connection, job_id: string): Promise<QuoteRow[]> {
  return quotesOfJob.query(db, job_id).execute();
}

/** The declines of one round, by provider. */
export const declinesOfJob: PreparedQuery<QuoteDeclineRow, [job_id: string]> = {
  name: 'declines of job',
  sample: ['job'],
  query: (db, job_id) =>
    db.selectFrom('quote_declines').selectAll().where('job_id', '=', job_id).orderBy('provider'),
};

export async function listDeclines(db: Connection, job_id: string): Promise<QuoteDeclineRow[]> {
  return declinesOfJob.query(db, job_id).execute();
}

/** The number of providers that have responded in a round, with a quote or a decline. */
export async function countAnswers(db: Connection, job_id: string): Promise<number> {
  const answers = db
    .selectFrom('quotes')
    .select('provider')
    .where('job_id', '=', job_id)
    .union(db.selectFrom('quote_declines').select('provider').where('job_id', '=', job_id));
  const row = await db
    .selectFrom(answers.as('answers'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirst();
  return row?.count ?? 0;
}
