import { expect, test } from 'vitest';
import { chargesOfDelivery, insertCharges } from '../../../src/storage/charges.ts';
import {
  collectInserts,
  discardCollected,
  insertCollected,
  whileCollecting,
} from '../../../src/storage/collected-inserts.ts';
import {
  insertDeliveries,
  loadDeliveries,
  loadDelivery,
  updateDelivery,
} from '../../../src/storage/deliveries.ts';
import { insertEvent, latestPosition } from '../../../src/storage/events.ts';
import {
  addToRoute,
  findOrders,
  insertOrders,
  loadOrder,
  setOrderStatus,
} from '../../../src/storage/orders.ts';
import { countAnswers, insertDecline, insertQuotes, listQuotes } from '../../../src/storage/quotes.ts';
import { deleteTestRecords } from '../../../src/storage/sandbox.ts';
import { countStatements } from '../../cost/count-statements.ts';
import { charge, delivery, noon, order, quote, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { numberedEvent } from '../webhook-records.ts';

export function transactionRowsSuite(fresh: FreshStorage): void {
  test('a transaction reads a row once, and several rows with one statement', async () => {
    const { db, transaction } = await fresh();
    const orders = [order(1), order(2), order(3)];
    await insertOrders(db, orders);
    const ids = orders.map(({ id }) => id);
    await transaction(async (inside) => {
      const { statements } = await countStatements(async () => {
        expect(await findOrders(inside, scope, ids)).toEqual(orders);
        expect(await loadOrder(inside, order(2).id)).toEqual(order(2));
        expect(await loadOrder(inside, 'ord_none')).toBeUndefined();
        expect(await loadOrder(inside, 'ord_none')).toBeUndefined();
      });
      expect(statements).toBe(2);
    });
  });

  test('outside of a transaction every read sees what others have written', async () => {
    const { db } = await fresh();
    await insertOrders(db, [order(1)]);
    expect(await loadOrder(db, order(1).id)).toMatchObject({ status: 'open' });
    await db.updateTable('orders').set({ status: 'canceled' }).where('id', '=', order(1).id).execute();
    expect(await loadOrder(db, order(1).id)).toMatchObject({ status: 'canceled' });
  });

  test('a transaction sees its own writes of rows that it has read', async () => {
    const { db, transaction } = await fresh();
    await insertOrders(db, [order(1), order(2)]);
    const [first, second] = [order(1).id, order(2).id];
    await transaction(async (inside) => {
      await findOrders(inside, scope, [first, second, order(3).id]);
      await setOrderStatus(inside, { id: first, from: 'open', to: 'failed', now: noon + 1 });
      expect(await loadOrder(inside, first)).toMatchObject({ status: 'failed', updated_at: noon + 1 });
      const missed = { id: first, from: 'open', to: 'canceled', now: noon + 2 } as const;
      expect(await setOrderStatus(inside, missed)).toBe(false);
      expect(await loadOrder(inside, first)).toMatchObject({ status: 'failed' });
      await insertOrders(inside, [order(3)]);
      expect(await loadOrder(inside, order(3).id)).toEqual(order(3));
      const join = { ...scope, ids: [first, second], route_id: 'rte_1', now: noon + 3 };
      expect(await addToRoute(inside, join)).toBe(2);
      const routed = { status: 'routed', route_id: 'rte_1' };
      expect(await findOrders(inside, scope, [first, second])).toMatchObject([routed, routed]);
      await deleteTestRecords(inside, scope.account_id, 'kept');
      expect(await loadOrder(inside, first)).toBeUndefined();
    });
  });

  test('what a rolled-back transaction has read or written is not kept for the next', async () => {
    const { db, transaction } = await fresh();
    await insertOrders(db, [order(1)]);
    const id = order(1).id;
    const failing = transaction(async (inside) => {
      await loadOrder(inside, id);
      await setOrderStatus(inside, { id, from: 'open', to: 'failed', now: noon + 1 });
      throw new Error('changed my mind');
    });
    // On SQLite both share a commit.
    const next = transaction((inside) => loadOrder(inside, id));
    await expect(failing).rejects.toThrow('changed my mind');
    expect(await next).toEqual(order(1));
  });

  test('the answers of a round are counted as they come, each provider once', async () => {
    const { db, transaction } = await fresh();
    await insertQuotes(db, [quote('rq_1')]);
    const { job_id } = quote('rq_1');
    const decline = { job_id, code: 'no_capacity', reason: 'full', created_at: noon };
    await transaction(async (inside) => {
      expect(await countAnswers(inside, job_id)).toBe(1);
      await insertQuotes(inside, [quote('rq_2', { provider: 'haulvan' })]);
      await insertDecline(inside, { ...decline, provider: 'haulvan' });
      await insertDecline(inside, { ...decline, provider: 'pedalpost' });
      expect(await countAnswers(inside, job_id)).toBe(3);
      expect((await listQuotes(inside, job_id)).map(({ id }) => id)).toEqual([
        quote('rq_1').id,
        quote('rq_2').id,
      ]);
    });
    expect(await countAnswers(db, job_id)).toBe(3);
  });

  test('a transaction that collects inserts rows of a table at once, or before the table is read', async () => {
    const { db, transaction } = await fresh();
    const [first, second, third] = [charge(1), charge(2), charge(3)];
    const { statements } = await countStatements(async () => {
      await transaction(async (inside) => {
        collectInserts(inside);
        for (const each of [first, second]) await insertCharges(inside, [each]);
        expect(await chargesOfDelivery(inside, first.delivery_id)).toEqual([first, second]);
        await insertCharges(inside, [third]);
        await insertCollected(inside);
      });
    });
    expect(statements).toBe(['begin', 'insert', 'select', 'insert', 'commit'].length);
    expect(await chargesOfDelivery(db, first.delivery_id)).toEqual([first, second, third]);
  });

  test('what a failed transaction has collected is not inserted by the next', async () => {
    const { db, transaction } = await fresh();
    const failing = transaction(async (inside) => {
      collectInserts(inside);
      try {
        await insertCharges(inside, [charge(1)]);
        throw new Error('changed my mind');
      } finally {
        discardCollected(inside);
      }
    });
    const next = transaction((inside) => insertCollected(inside));
    await expect(failing).rejects.toThrow('changed my mind');
    await next;
    expect(await chargesOfDelivery(db, charge(1).delivery_id)).toEqual([]);
  });

  test('rows that change in the transaction that collects them are inserted as changed', async () => {
    const { db, transaction, run, engine } = await fresh();
    const [{ id }, { id: order_id }] = [delivery(1), order(1)];
    const failed = { status: 'failed' } as const;
    const { statements } = await countStatements(async () => {
      await transaction((inside) =>
        whileCollecting(inside, async () => {
          await insertOrders(inside, [order(1), order(2)]);
          await insertDeliveries(inside, [delivery(1), delivery(2)]);
          const { status: from } = delivery(1);
          const move = { id, from, change: failed, now: noon + 1 };
          expect(await updateDelivery(inside, move)).toBe(true);
          const moveOrder = { id: order_id, from: 'open', to: 'failed', now: noon + 1 } as const;
          expect(await setOrderStatus(inside, moveOrder)).toBe(true);
          expect(await loadDelivery(inside, id)).toMatchObject(failed);
          expect(await loadOrder(inside, order_id)).toMatchObject(failed);
        }),
      );
    });
    const inserts = engine === 'postgres' ? ['insert into both'] : ['insert', 'insert'];
    expect(statements).toBe(['begin', ...inserts, 'commit'].length);
    expect(await run((outside) => loadDeliveries(outside, [id, delivery(2).id]))).toHaveLength(2);
    expect(await loadDelivery(db, id)).toMatchObject({ status: 'failed', updated_at: noon + 1 });
    expect(await loadOrder(db, order_id)).toMatchObject({ status: 'failed', updated_at: noon + 1 });
  });

  test.each([2, 502])('of %s rows and an event, the event is inserted last', async (count) => {
    const { db, transaction, engine } = await fresh();
    const { texts } = await countStatements(() =>
      transaction((inside) =>
        whileCollecting(inside, async () => {
          await insertEvent(inside, numberedEvent(1));
          await insertOrders(
            inside,
            Array.from({ length: count }, (_, index) => order(index)),
          );
          await insertCharges(inside, [charge(1)]);
        }),
      ),
    );
    const inserts = [...texts.keys()].filter((text) => text.includes('insert into'));
    const few = engine === 'postgres' ? ['orders and charges', 'events'] : ['orders', 'charges', 'events'];
    const expected = count === 2 ? few : ['orders', 'more orders', 'charges', 'events'];
    expect(inserts).toHaveLength(expected.length);
    expect(inserts.at(-1)).toMatch(/^insert into "events"/);
    expect(await chargesOfDelivery(db, charge(1).delivery_id)).toEqual([charge(1)]);
    expect(await loadOrder(db, order(1).id)).toEqual(order(1));
    expect(await latestPosition(db)).toBe(1);
  });

  test('a collected row in another status than expected is not changed', async () => {
    const { db, transaction } = await fresh();
    const missed = { id: order(1).id, from: 'canceled', to: 'failed', now: noon + 1 } as const;
    await transaction((inside) =>
      whileCollecting(inside, async () => {
        await insertOrders(inside, [order(1)]);
        expect(await setOrderStatus(inside, missed)).toBe(false);
      }),
    );
    expect(await loadOrder(db, order(1).id)).toEqual(order(1));
  });
}
