import { expect, test } from 'vitest';
import {
  deleteDriver,
  driverByLink,
  findDriver,
  insertDriver,
  listDrivers,
  updateDriver,
} from '../../../src/storage/drivers.ts';
import { driver, noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

export function driversSuite(fresh: FreshStorage): void {
  test('drivers are found and listed within their account and mode, newest first', async () => {
    const { db } = await fresh();
    const rows = [driver(1), driver(2), driver(3, otherMode), driver(4, otherAccount)];
    for (const row of rows) await insertDriver(db, row);
    expect(await findDriver(db, scope, driver(1).id)).toEqual(driver(1));
    for (const stranger of [otherMode, otherAccount]) {
      expect(await findDriver(db, stranger, driver(1).id)).toBeUndefined();
    }
    const page = await listDrivers(db, { ...scope, limit: 9 });
    expect(page).toEqual({ rows: [driver(2), driver(1)], has_more: false });
  });

  test('a link leads to its driver, and a replaced link to none', async () => {
    const storage = await fresh();
    await insertDriver(storage.db, driver(1));
    expect(await storage.first(driverByLink, 'hash 1')).toEqual({ ...driver(1), suspended_at: null });
    const change = { id: driver(1).id, link_hash: 'hash 2', on_duty: 1, updated_at: noon + 5 } as const;
    expect(await updateDriver(storage.db, change)).toBe(true);
    expect(await storage.first(driverByLink, 'hash 1')).toBeUndefined();
    expect(await storage.first(driverByLink, 'hash 2')).toEqual({
      ...{ ...driver(1), ...change },
      suspended_at: null,
    });
    await expect(insertDriver(storage.db, { ...driver(2), link_hash: 'hash 2' })).rejects.toThrow();
  });

  test('a removed driver leaves nothing behind', async () => {
    const { db } = await fresh();
    await insertDriver(db, driver(1));
    expect(await deleteDriver(db, driver(1).id)).toBe(true);
    expect(await deleteDriver(db, driver(1).id)).toBe(false);
    expect((await listDrivers(db, { ...scope, limit: 9 })).rows).toEqual([]);
  });
}
