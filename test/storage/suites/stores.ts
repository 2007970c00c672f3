import { expect, test } from 'vitest';
import { deleteStore, findStore, insertStore, listStores, updateStore } from '../../../src/storage/stores.ts';
import { noon, otherAccount, otherMode, scope, store } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

export function storesSuite(fresh: FreshStorage): void {
  test('stores are found and listed within their account and mode, newest first', async () => {
    const { db } = await fresh();
    for (const row of [store(1), store(2), store(3, otherMode), store(4, otherAccount), store(5)]) {
      await insertStore(db, row);
    }
    expect(await findStore(db, scope, store(1).id)).toEqual(store(1));
    for (const stranger of [otherMode, otherAccount]) {
      expect(await findStore(db, stranger, store(1).id)).toBeUndefined();
    }
    expect(await listStores(db, { ...scope, limit: 2 })).toEqual({
      rows: [store(5), store(2)],
      has_more: true,
    });
    const after = { ...scope, limit: 2, after_id: store(2).id };
    expect(await listStores(db, after)).toEqual({ rows: [store(1)], has_more: false });
  });

  test('a store changes and goes, and nothing else with it', async () => {
    const { db } = await fresh();
    await insertStore(db, store(1));
    await insertStore(db, store(2));
    const change = { id: store(1).id, record: '{"name":"Moved"}', updated_at: noon + 5 };
    expect(await updateStore(db, change)).toBe(true);
    expect(await findStore(db, scope, store(1).id)).toEqual(store(1, change));
    expect(await updateStore(db, { ...change, id: 'str_none' })).toBe(false);
    expect(await deleteStore(db, store(1).id)).toBe(true);
    expect(await deleteStore(db, store(1).id)).toBe(false);
    expect((await listStores(db, { ...scope, limit: 9 })).rows).toEqual([store(2)]);
  });
}
