import type { Connection, JobRow } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import { canLockRows } from './rows.ts';
import { keptRows } from './transaction-rows.ts';
import { executeReturning } from './transaction-state.ts';

const rows = keptRows<JobRow>('jobs', ({ id }) => id);

const byId = rows.byKey((db, ids, locking) => {
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

const insertJobs = rows.appendBy((db, jobs) => db.insertInto('jobs').values(jobs));

/** The transaction fails if the route already has a job of this round. */
export async function insertJob(db: Connection, job: JobRow): Promise<void> {
  await insertJobs(db, [job]);
}

/** Jobs of any account, unordered. */
export const findJobs = byId.read;

/**
 * Jobs that nobody else locks or changes before the transaction ends. On PostgreSQL, a serializable transaction is
 * repeated if another has locked one of them since it began.
 */
export const lockJobs = byId.lock;

export async function findJob(db: Connection, id: string): Promise<JobRow | undefined> {
  return byId.readOne(db, id);
}

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
  const completed = await rows.change(
    db,
    db
      .updateTable('jobs')
      .set({ status: 'COMPLETE', completed_at: complete.now })
      .where('id', '=', complete.id)
      .where('status', '=', 'PENDING'),
  );
  return completed.length > 0;
}

/** Deletes all quote rounds of a route, with quotes and declines. */
export async function deleteJobs(db: Connection, route_id: string): Promise<void> {
  const jobs = db.selectFrom('jobs').select('id').where('route_id', '=', route_id);
  await db.deleteFrom('quote_declines').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('quotes').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('jobs').where('route_id', '=', route_id).execute();
}
