import { expect, test } from 'vitest';
import { insertDeliveries } from '../../../src/storage/deliveries.ts';
import { insertEvent } from '../../../src/storage/events.ts';
import { insertOrders, markErased } from '../../../src/storage/orders.ts';
import {
  type EndedQuery,
  type EndedRecord,
  endedDeliveries,
  endedOrders,
  findAddressQuotes,
  readKeptOfOrder,
  writeKeptOfOrder,
} from '../../../src/storage/personal-data.ts';
import { insertQuotes } from '../../../src/storage/quotes.ts';
import { delivery, noon, order, otherAccount, otherMode, quote } from '../records.ts';
import type { FreshDatabase, FreshStorage } from '../suite.ts';
import { numberedEvent } from '../webhook-records.ts';

/** Tests what finds the orders whose personal data is erased by its age, and what erases it. */
export function erasureSuite(fresh: FreshStorage): void {
  const first: EndedQuery = { test_mode: 1, before: noon + 50, after: null, limit: 2 };

  async function allPages(
    { db }: FreshDatabase,
    find: typeof endedDeliveries | typeof endedOrders,
  ): Promise<string[]> {
    const pages: EndedRecord[][] = [];
    for (let after: EndedRecord | null = null; ; ) {
      const page: EndedRecord[] = await find(db, { ...first, after });
      pages.push(page);
      after = page.at(-1) ?? null;
      if (after === null) return pages.flat().map(({ order_id }) => order_id);
    }
  }

  test('ended deliveries are found page by page, the earliest end first, until they are erased', async () => {
    const storage = await fresh();
    const { db } = storage;
    const ends = [30, 10, 20, 20, 50, null];
    for (const [number, end] of ends.entries()) {
      await insertDeliveries(db, [delivery(number, { ended_at: end === null ? null : noon + end })]);
    }
    await insertDeliveries(db, [delivery(7, { ...otherAccount, ended_at: noon + 5 })]);
    await insertDeliveries(db, [delivery(8, { ...otherMode, ended_at: noon })]);
    expect(await allPages(storage, endedDeliveries)).toEqual(['ord_7', 'ord_1', 'ord_2', 'ord_3', 'ord_0']);
    await markErased(db, { order_id: 'ord_2', now: noon });
    expect(await allPages(storage, endedDeliveries)).toEqual(['ord_7', 'ord_1', 'ord_3', 'ord_0']);
  });

  test('of orders only finished ones without a delivery are found', async () => {
    const storage = await fresh();
    const { db } = storage;
    const at = (number: number, change: object) =>
      order(number, { updated_at: noon + 10 - number, ...change });
    const orders = [
      at(0, { status: 'canceled' }),
      at(1, { status: 'unfulfilled' }),
      at(2, { status: 'failed', delivery_id: 'dlv_1' }),
      at(3, { status: 'open' }),
      at(4, { status: 'failed', updated_at: noon + 50 }),
      at(5, { ...otherMode, status: 'canceled' }),
      at(6, { status: 'failed' }),
    ];
    await insertOrders(db, orders);
    const ids = [6, 1, 0].map((number) => orders[number]?.id ?? '');
    expect(await allPages(storage, endedOrders)).toEqual(ids);
    await markErased(db, { order_id: ids[1] ?? '', now: noon });
    expect(await allPages(storage, endedOrders)).toEqual([ids[0], ids[2]]);
  });

  test('the rows of an order are read and written back, however many there are', async () => {
    const { db } = await fresh();
    const own = order(1);
    await insertOrders(db, [own, order(2)]);
    await insertDeliveries(db, [delivery(1, { order_id: own.id })]);
    await insertDeliveries(db, [delivery(2, { order_id: own.id })]);
    const { id: delivery_id } = delivery(1);
    for (let number = 1; number <= 600; number += 1) {
      await insertEvent(db, numberedEvent(number, { delivery_id }));
    }
    const canceled = { type: 'order.canceled', delivery_id: null, sequence: null } as const;
    await insertEvent(db, numberedEvent(601, { ...canceled, order_id: own.id }));
    await insertEvent(db, numberedEvent(602, { ...canceled, order_id: order(2).id }));
    const kept = await readKeptOfOrder(db, own.id);
    if (kept === null) throw new Error('the order is missing');
    expect(kept.events).toHaveLength(601);
    const rest = {
      ...kept,
      order: { ...kept.order, record: '"erased"' },
      deliveries: kept.deliveries.map((row, index) => ({
        ...row,
        record: `"erased ${index}"`,
        pickup_phone: '',
      })),
      events: kept.events.map((event, index) => ({ ...event, data: `"erased ${index}"` })),
    };
    await writeKeptOfOrder(db, kept, rest);
    expect(await readKeptOfOrder(db, own.id)).toEqual(rest);
    expect((await readKeptOfOrder(db, order(2).id))?.events).toMatchObject([{ id: numberedEvent(602).id }]);
    expect((await readKeptOfOrder(db, order(2).id))?.order.record).toBe(order(2).record);
  });

  test('the quotes for an address are found, whatever characters it has', async () => {
    const { db } = await fresh();
    const addresses = ['1 main st "rear", a', 'c:\\2 main st', '3_main st', '3 main st', '100% st', '100 st'];
    await insertQuotes(
      db,
      addresses.map((address, index) => quote(`quo_${index}`, { record: JSON.stringify({ address }) })),
    );
    for (const [index, text] of addresses.entries()) {
      const found = await findAddressQuotes(db, { account_id: quote('quo_0').account_id, text });
      expect(found.map(({ id }) => id)).toEqual([`quo_${index}`]);
    }
  });
}
