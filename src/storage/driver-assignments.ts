import type { Connection, DriverAssignmentRow, DriverTapRow } from './database.ts';

export async function insertAssignment(db: Connection, assignment: DriverAssignmentRow): Promise<void> {
  await db.insertInto('driver_assignments').values(assignment).execute();
}

export async function findAssignment(
  db: Connection,
  dispatch_id: string,
): Promise<DriverAssignmentRow | undefined> {
  return db
    .selectFrom('driver_assignments')
    .selectAll()
    .where('dispatch_id', '=', dispatch_id)
    .executeTakeFirst();
}

/** The assignment of a route that has not ended. */
export async function assignmentOfRoute(
  db: Connection,
  route_id: string,
): Promise<DriverAssignmentRow | undefined> {
  return db
    .selectFrom('driver_assignments')
    .selectAll()
    .where('route_id', '=', route_id)
    .where('state', '!=', 'ended')
    .executeTakeFirst();
}

/** The routes that are offered to the drivers or driven by them, oldest first. */
export async function assignmentsOfDrivers(
  db: Connection,
  driver_ids: readonly string[],
): Promise<DriverAssignmentRow[]> {
  if (driver_ids.length === 0) return [];
  return db
    .selectFrom('driver_assignments')
    .selectAll()
    .where('driver_id', 'in', driver_ids)
    .where('state', 'in', ['offered', 'accepted'])
    .orderBy('dispatch_id')
    .execute();
}

export async function changeAssignment(
  db: Connection,
  { dispatch_id, ...change }: Partial<DriverAssignmentRow> & Pick<DriverAssignmentRow, 'dispatch_id'>,
): Promise<void> {
  await db.updateTable('driver_assignments').set(change).where('dispatch_id', '=', dispatch_id).execute();
}

/** A tap that was received before. */
export async function findTap(
  db: Connection,
  driver_id: string,
  id: string,
): Promise<DriverTapRow | undefined> {
  return db
    .selectFrom('driver_taps')
    .selectAll()
    .where('driver_id', '=', driver_id)
    .where('id', '=', id)
    .executeTakeFirst();
}

export async function insertTap(db: Connection, tap: DriverTapRow): Promise<void> {
  await db.insertInto('driver_taps').values(tap).execute();
}
