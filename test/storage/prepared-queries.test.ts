import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lookupTexts } from '../../src/build/prepared-data.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { orderById } from '../../src/storage/orders.ts';
import { buildQueryText } from '../../src/storage/storage.ts';
import { insertAccounts, order, scope } from './records.ts';

test('the build prepares exactly the queries that the query builder makes at run time', async () => {
  const storage = await openStorage(':memory:');
  const made = await storage.run(async (db) => buildQueryText(db, orderById));
  expect(lookupTexts()[orderById.name]).toBe(made);
  expect(made).toContain('"id" = ? and "account_id" = ? and "test_mode" = ?');
  await storage.close();
});

test('every lookup of the storage is prepared', async () => {
  const folder = join(import.meta.dirname, '..', '..', 'src', 'storage');
  const files = readdirSync(folder).filter((name) => name.endsWith('.ts'));
  const modules: object[] = await Promise.all(files.map((name) => import(join(folder, name))));
  const names = modules.flatMap((module) => Object.values(module).flatMap(lookupName));
  expect(names).toContain(orderById.name);
  expect(Object.keys(lookupTexts()).sort()).toEqual(names.sort());
});

function lookupName(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || !('sample' in value) || !('name' in value)) return [];
  return [String(value.name)];
}

test('a query whose parameters are in another order is refused', async () => {
  const storage = await openStorage(':memory:');
  const turned = { ...orderById, sample: ['account', 'id', 1] } as const;
  const wrong = {
    ...turned,
    query: (...given: Parameters<typeof orderById.query>) =>
      orderById.query(given[0], given[2], given[1], given[3]),
  };
  await expect(
    storage.run(async (db) => buildQueryText(db, { ...wrong, sample: ['id', 'account', 1] })),
  ).rejects.toThrow('do not stand in its order');
  await storage.close();
});

test('a lookup outside of an open transaction does not see its writes', async () => {
  const storage = await openStorage(':memory:');
  const find = () => storage.first(orderById, order(1).id, scope.account_id, scope.test_mode);
  await find();
  const opened = Promise.withResolvers<void>();
  const failing = storage.transaction(async (db) => {
    await insertAccounts(db);
    await db.insertInto('orders').values(order(1)).execute();
    opened.resolve();
    await new Promise<void>((resolve) => queueMicrotask(resolve));
    throw new Error('rolled back');
  });
  await opened.promise;
  const [found] = await Promise.all([find(), failing.catch(() => null)]);
  expect(found).toBeUndefined();
  await storage.close();
});
