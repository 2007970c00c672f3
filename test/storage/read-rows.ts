import type { Connection, ReportRow, TaskRow } from '../../src/storage/database.ts';
import { type DueTasks, dueTasks } from '../../src/storage/tasks.ts';

/** The first of `dueTasks`. */
export async function nextDue(db: Connection, due: Omit<DueTasks, 'limit'>): Promise<TaskRow | undefined> {
  return (await dueTasks(db, { ...due, limit: 1 }))[0];
}

/** Every report of a delivery, in order of arrival. */
export async function reportsOfDelivery(db: Connection, delivery_id: string): Promise<ReportRow[]> {
  const query = db.selectFrom('reports').selectAll().where('delivery_id', '=', delivery_id);
  return query.orderBy('sequence').execute();
}
