import type { Connection, QuoteDeclineRow, QuoteRow } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { keptRows } from './transaction-rows.ts';

const quotes = keptRows<QuoteRow>('quotes', ({ id }) => id);

const quotesById = quotes.byKey((db, ids) =>
  db.selectFrom('quotes').selectAll().where('id', 'in', ids).execute(),
);

const quotesByJob = quotes.by(
  ({ job_id }) => job_id,
  (db, job_ids) => db.selectFrom('quotes').selectAll().where('job_id', 'in', job_ids).execute(),
);

const declines = keptRows<QuoteDeclineRow>(
  'quote_declines',
  ({ job_id, provider }) => `${job_id} ${provider}`,
);

const declinesByJob = declines.by(
  ({ job_id }) => job_id,
  (db, job_ids) => db.selectFrom('quote_declines').selectAll().where('job_id', 'in', job_ids).execute(),
);

/** Reads the quotes and declines of several rounds together, for a transaction that reads each of them later. */
export async function preloadAnswers(db: Connection, job_ids: readonly string[]): Promise<void> {
  await quotesByJob.read(db, job_ids);
  await declinesByJob.read(db, job_ids);
}

export const insertQuotes = quotes.appendBy((db, rows) => db.insertInto('quotes').values(rows));

const insertDeclines = declines.appendBy((db, rows) =>
  db
    .insertInto('quote_declines')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['job_id', 'provider']).doNothing()),
);

/** A provider's decline; the first one of a round is kept. */
export async function insertDecline(db: Connection, decline: QuoteDeclineRow): Promise<void> {
  const known = await declinesByJob.read(db, [decline.job_id]);
  if (known.every(({ provider }) => provider !== decline.provider)) await insertDeclines(db, [decline]);
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
  return quotesByJob.read(db, [job_id]);
}

/** The declines of one round, by provider. */
export const declinesOfJob: PreparedQuery<QuoteDeclineRow, [job_id: string]> = {
  name: 'declines of job',
  sample: ['job'],
  query: (db, job_id) =>
    db.selectFrom('quote_declines').selectAll().where('job_id', '=', job_id).orderBy('provider'),
};

export async function listDeclines(db: Connection, job_id: string): Promise<readonly QuoteDeclineRow[]> {
  return declinesByJob.read(db, [job_id]);
}

/** The number of providers that have responded in a round, with a quote or a decline. */
export async function countAnswers(db: Connection, job_id: string): Promise<number> {
  const answers = [...(await listQuotes(db, job_id)), ...(await listDeclines(db, job_id))];
  const providers = answers.map(({ provider }) => provider);
  return new Set(providers).size;
}
