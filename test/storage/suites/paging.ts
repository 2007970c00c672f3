import { expect, test } from 'vitest';
import { insertOrders, listOrders } from '../../../src/storage/orders.ts';
import { order, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

export function pagingSuite(fresh: FreshStorage): void {
  test('ids sort by their bytes', async () => {
    const { db } = await fresh();
    const ids = ['ord_Z', 'ord_a', 'ord_A', 'ord_0', 'ord_~', 'ord_é'];
    await insertOrders(
      db,
      ids.map((id) => order(1, { id })),
    );
    const { rows } = await listOrders(db, { ...scope, limit: 9 });
    expect(rows.map(({ id }) => id)).toEqual([...ids].sort().reverse());
  });
}
