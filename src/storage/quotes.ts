/** The quote rounds of routes (`jobs`), what providers have answered in each: quotes and declines. */
import type { Connection, JobRow, QuoteDeclineRow, QuoteRow } from './database.ts';
import { keptRows } from './kept-rows.ts';
import { canLockRows } from './rows.ts';
import type { PreparedQuery } from './storage.ts';
import { executeReturning } from './transactions.ts';

const quoteRows = keptRows<QuoteRow>('quotes', ({ id }) => id);

const quotesById = quoteRows.byKey((db, ids) =>
  db.selectFrom('quotes').selectAll().where('id', 'in', ids).execute(),
);

const quotesByJob = quoteRows.by(
  ({ job_id }) => job_id,
  (db, job_ids) => db.selectFrom('quotes').selectAll().where('job_id', 'in', job_ids).execute(),
);

const declineRows = keptRows<QuoteDeclineRow>(
  'quote_declines',
  ({ job_id, provider }) => `${job_id} ${provider}`,
);

const declinesByJob = declineRows.by(
  ({ job_id }) => job_id,
  (db, job_ids) => db.selectFrom('quote_declines').selectAll().where('job_id', 'in', job_ids).execute(),
);

/** Reads the quotes and declines of several rounds together, for a transaction that reads each of them later. */
export async function preloadAnswers(db: Connection, job_ids: readonly string[]): Promise<void> {
  await quotesByJob.read(db, job_ids);
  await declinesByJob.read(db, job_ids);
}

export const insertQuotes = quoteRows.appendBy((db, rows) => db.insertInto('quotes').values(rows));

const insertDeclines = declineRows.appendBy((db, rows) =>
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

/**
 * Marks a quote as used; false if it is already. On PostgreSQL another transaction that uses it waits for this one, and
 * then finds it used.
 */
export async function markQuoteUsed(
  db: Connection,
  { id, now }: { id: string; now: number },
): Promise<boolean> {
  const marked = await quoteRows.change(
    db,
    db.updateTable('quotes').set({ used_at: now }).where('id', '=', id).where('used_at', 'is', null),
  );
  return marked.length > 0;
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

const jobRows = keptRows<JobRow>('jobs', ({ id }) => id);

const jobsById = jobRows.byKey((db, ids, locking) => {
  const query = db.selectFrom('jobs').where('id', 'in', ids).orderBy('id');
  if (locking === 'none' || !canLockRows(db)) return query.selectAll().execute();
  // A lock alone would be no conflict for a serializable transaction that has begun before: it would not see the
  // answers that the holder of the lock has written.
  const lock = db
    .updateTable('jobs')
    .set(({ ref }) => ({ asked: ref('asked') }))
    .where('id', 'in', query.select('id').forUpdate());
  return executeReturning(db, lock.returningAll());
});

/** The transaction fails if the route already has a job of this round. */
export const insertJob = jobRows.appendOneBy((db, jobs) => db.insertInto('jobs').values(jobs));

/** Jobs of any account, unordered. */
export const loadJobs = jobsById.read;

/**
 * Jobs that nobody else locks or changes before the transaction ends. On PostgreSQL, a serializable transaction is
 * repeated if another has locked one of them since it began.
 */
export const lockJobs = jobsById.lock;

export const loadJob = jobsById.readOne;

/** The latest quote rounds of a route. */
export const latestJobs: PreparedQuery<JobRow, [route_id: string, count: number]> = {
  name: 'latest jobs',
  sample: ['route', 1],
  query: (db, route_id, count) =>
    db.selectFrom('jobs').selectAll().where('route_id', '=', route_id).orderBy('round', 'desc').limit(count),
};

/** The latest quote round of a route; undefined if there is none. */
export async function latestJob(db: Connection, route_id: string): Promise<JobRow | undefined> {
  return latestJobs.query(db, route_id, 1).executeTakeFirst();
}

/** Completes a pending round; false if it was already complete. */
export async function completeJob(db: Connection, complete: { id: string; now: number }): Promise<boolean> {
  const completed = await jobRows.change(
    db,
    db
      .updateTable('jobs')
      .set({ status: 'COMPLETE', completed_at: complete.now })
      .where('id', '=', complete.id)
      .where('status', '=', 'PENDING'),
  );
  return completed.length > 0;
}

/**
 * Deletes the quote rounds of a route that were requested since a time, but for one, with their quotes and declines. Used
 * quotes stay: they belong to deliveries.
 */
export async function deleteOtherJobs(
  db: Connection,
  { route_id, since, kept_id }: { route_id: string; since: number; kept_id: string },
): Promise<void> {
  const others = await jobRows.remove(
    db,
    db
      .deleteFrom('jobs')
      .where('route_id', '=', route_id)
      .where('requested_at', '>=', since)
      .where('id', '!=', kept_id),
  );
  const ids = others.map(({ id }) => id);
  if (ids.length === 0) return;
  await declineRows.remove(db, db.deleteFrom('quote_declines').where('job_id', 'in', ids));
  await quoteRows.remove(db, db.deleteFrom('quotes').where('job_id', 'in', ids).where('used_at', 'is', null));
}

/** Deletes all quote rounds of a route, with quotes and declines. */
export async function deleteJobs(db: Connection, route_id: string): Promise<void> {
  const jobs = db.selectFrom('jobs').select('id').where('route_id', '=', route_id);
  await db.deleteFrom('quote_declines').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('quotes').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('jobs').where('route_id', '=', route_id).execute();
}
