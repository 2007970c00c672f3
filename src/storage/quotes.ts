import { appendedTable } from './collected-inserts.ts';
import type { Connection, QuoteDeclineRow, QuoteRow } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { rowsById } from './transaction-rows.ts';

/** The quotes of a round by their ids, and its declines by provider. */
interface Answers {
  job_id: string;
  quotes: readonly QuoteRow[];
  declines: readonly QuoteDeclineRow[];
}

const quotes = appendedTable<QuoteRow>((db, rows) => db.insertInto('quotes').values(rows));

const quotesById = rowsById<QuoteRow>(
  ({ id }) => id,
  async (db, ids) => {
    await quotes.flush(db);
    return db.selectFrom('quotes').selectAll().where('id', 'in', ids).execute();
  },
);

const answers = rowsById<Answers>(({ job_id }) => job_id, readAnswers);

async function readAnswers(db: Connection, job_ids: readonly string[]): Promise<Answers[]> {
  await quotes.flush(db);
  const made = await db
    .selectFrom('quotes')
    .selectAll()
    .where('job_id', 'in', job_ids)
    .orderBy('id')
    .execute();
  const declined = await db
    .selectFrom('quote_declines')
    .selectAll()
    .where('job_id', 'in', job_ids)
    .orderBy('provider')
    .execute();
  return job_ids.map((job_id) => ({
    job_id,
    quotes: made.filter((row) => row.job_id === job_id),
    declines: declined.filter((row) => row.job_id === job_id),
  }));
}

/** The quotes and declines of several rounds. */
export const answersOfJobs = answers.read;

export async function insertQuotes(db: Connection, rows: readonly QuoteRow[]): Promise<void> {
  await quotes.append(db, rows);
  quotesById.inserted(db, rows);
  for (const row of rows) {
    answers.changed(db, row.job_id, (kept) => ({ quotes: sorted([...kept.quotes, row], ({ id }) => id) }));
  }
}

/** A provider's decline; the first one of a round is kept. */
export async function insertDecline(db: Connection, decline: QuoteDeclineRow): Promise<void> {
  await db
    .insertInto('quote_declines')
    .values(decline)
    .onConflict((conflict) => conflict.columns(['job_id', 'provider']).doNothing())
    .execute();
  answers.changed(db, decline.job_id, ({ declines }) => {
    const isFirst = declines.every(({ provider }) => provider !== decline.provider);
    return isFirst ? { declines: sorted([...declines, decline], ({ provider }) => provider) } : {};
  });
}

function sorted<Row>(rows: readonly Row[], columnOf: (row: Row) => string): Row[] {
  return [...rows].sort((one, other) => (columnOf(one) < columnOf(other) ? -1 : 1));
}

/** Quotes of any account, unordered: for background tasks, which know the ids from their own records. */
export const loadQuotes = quotesById.read;

export async function findQuote(
  db: Connection,
  account_id: string,
  id: string,
): Promise<QuoteRow | undefined> {
  const quote = await quotesById.readOne(db, id);
  return quote?.account_id === account_id ? quote : undefined;
}

/** The quotes of one round, in order of their ids. */
export const quotesOfJob: PreparedQuery<QuoteRow, [job_id: string]> = {
  name: 'quotes of job',
  sample: ['job'],
  query: (db, job_id) => db.selectFrom('quotes').selectAll().where('job_id', '=', job_id).orderBy('id'),
};

export async function listQuotes(db: Connection, job_id: string): Promise<readonly QuoteRow[]> {
  return (await answers.readOne(db, job_id))?.quotes ?? [];
}

/** The declines of one round, by provider. */
export const declinesOfJob: PreparedQuery<QuoteDeclineRow, [job_id: string]> = {
  name: 'declines of job',
  sample: ['job'],
  query: (db, job_id) =>
    db.selectFrom('quote_declines').selectAll().where('job_id', '=', job_id).orderBy('provider'),
};

export async function listDeclines(db: Connection, job_id: string): Promise<readonly QuoteDeclineRow[]> {
  return (await answers.readOne(db, job_id))?.declines ?? [];
}

/** The number of providers that have responded in a round, with a quote or a decline. */
export async function countAnswers(db: Connection, job_id: string): Promise<number> {
  const found = await answers.readOne(db, job_id);
  const providers = [...(found?.quotes ?? []), ...(found?.declines ?? [])].map(({ provider }) => provider);
  return new Set(providers).size;
}
