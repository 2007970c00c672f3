import type { Connection, JobRow } from './database.ts';
import type { PreparedQuery } from './prepared-queries.ts';

/** Fails if the route already has a job of this round. */
export async function insertJob(db: Connection, job: JobRow): Promise<void> {
  await db.insertInto('jobs').values(job).execute();
}

export async function findJob(db: Connection, id: string): Promise<JobRow | undefined> {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
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
  const result = await db
    .updateTable('jobs')
    .set({ status: 'COMPLETE', completed_at: complete.now })
    .where('id', '=', complete.id)
    .where('status', '=', 'PENDING')
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes all quote rounds of a route, with quotes and declines. */
export async function deleteJobs(db: Connection, route_id: string): Promise<void> {
  const jobs = db.selectFrom('jobs').select('id').where('route_id', '=', route_id);
  await db.deleteFrom('quote_declines').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('quotes').where('job_id', 'in', jobs).execute();
  await db.deleteFrom('jobs').where('route_id', '=', route_id).execute();
}
