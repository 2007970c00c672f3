import type { Connection, DriverRow, Scope } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';

export async function insertDriver(db: Connection, driver: DriverRow): Promise<void> {
  await db.insertInto('drivers').values(driver).execute();
}

export async function findDriver(db: Connection, scope: Scope, id: string): Promise<DriverRow | undefined> {
  return db
    .selectFrom('drivers')
    .selectAll()
    .where('id', '=', id)
    .where('account_id', '=', scope.account_id)
    .where('test_mode', '=', scope.test_mode)
    .executeTakeFirst();
}

/** The driver of a link. */
export const driverByLink: PreparedQuery<DriverRow, [hash: string]> = {
  name: 'driver by link',
  sample: ['hash'],
  query: (db, hash) => db.selectFrom('drivers').selectAll().where('link_hash', '=', hash),
};

export async function listDrivers(db: Connection, query: PageQuery): Promise<Page<DriverRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  return readPage(db, query.limit, [db.selectFrom('drivers').selectAll().where(pageBounds(query, 'drv_'))]);
}

/** Changes a driver; false if it does not exist. */
export async function updateDriver(
  db: Connection,
  { id, ...change }: Partial<DriverRow> & Pick<DriverRow, 'id' | 'updated_at'>,
): Promise<boolean> {
  const result = await db.updateTable('drivers').set(change).where('id', '=', id).executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

/** Deletes a driver and what was tapped on the driver's page; false if it does not exist. */
export async function deleteDriver(db: Connection, id: string): Promise<boolean> {
  await db.deleteFrom('driver_taps').where('driver_id', '=', id).execute();
  const result = await db.deleteFrom('drivers').where('id', '=', id).executeTakeFirst();
  return result.numDeletedRows === 1n;
}
