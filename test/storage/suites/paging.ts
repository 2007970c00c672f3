import { expect, test } from 'vitest';
import type { Connection } from '../../../src/storage/database.ts';
import { insertOrders, listOrders, type OrderQuery } from '../../../src/storage/orders.ts';
import { noon, order, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

/** Reads every page, calling `meanwhile` after each. */
async function readAll(
  db: Connection,
  query: Omit<OrderQuery, 'after_id'>,
  meanwhile: (page: number) => Promise<void>,
): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const { rows, has_more } = await listOrders(db, { ...query, after_id: ids.at(-1) });
    ids.push(...rows.map(({ id }) => id));
    if (!has_more) {
      return ids;
    }
    await meanwhile(page);
  }
}

export function pagingSuite(fresh: FreshStorage): void {
  test('paging gives each row once, newest first, while rows are inserted', async () => {
    const { db } = await fresh();
    const status = (number: number) => (number % 3 === 0 ? 'failed' : 'open');
    const rows = Array.from({ length: 500 }, (_, number) => order(number, { status: status(number) }));
    await insertOrders(db, rows);
    let inserted = 0;
    const insertNewer = async () => {
      inserted += 1;
      await insertOrders(db, [order(inserted, { created_at: noon + inserted })]);
    };
    const newestFirst = rows.map(({ id }) => id).reverse();
    expect(await readAll(db, { ...scope, limit: 7 }, insertNewer)).toEqual(newestFirst);
    expect(inserted).toBeGreaterThan(50);
  });

  test('a filter of several values pages like any other', async () => {
    const { db } = await fresh();
    const status = (number: number) => (['open', 'failed', 'canceled'] as const)[number % 3] ?? 'open';
    const rows = Array.from({ length: 60 }, (_, number) => order(number, { status: status(number) }));
    await insertOrders(db, rows);
    const wanted = rows.filter(({ status }) => status !== 'open').map(({ id }) => id);
    const query = { ...scope, limit: 7, status: ['canceled', 'failed'] } as const;
    expect(await readAll(db, query, async () => {})).toEqual(wanted.reverse());
  });

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
