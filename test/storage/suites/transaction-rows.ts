import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Connection } from '../../../src/storage/database.ts';
import { deleteTestRecords } from '../../../src/storage/deletion.ts';
import {
  deliveriesOfRoute,
  insertDeliveries,
  loadDelivery,
  lockDeliveries,
  updateDelivery,
} from '../../../src/storage/deliveries.ts';
import { isSubscribedOrFollowed } from '../../../src/storage/events.ts';
import {
  attemptsOfOrders,
  changeAttempt,
  insertAttempt,
  latestAttempt,
} from '../../../src/storage/order-attempts.ts';
import {
  addToRoute,
  findOrders,
  insertOrders,
  loadOrder,
  setOrderStatus,
} from '../../../src/storage/orders.ts';
import { countAnswers, insertDecline, insertQuotes, listQuotes } from '../../../src/storage/quotes.ts';
import { writeSetting } from '../../../src/storage/settings.ts';
import {
  deleteWebhookEndpoint,
  hasEndpoints,
  insertWebhookEndpoint,
} from '../../../src/storage/webhook-endpoints.ts';
import { countStatements } from '../../cost/count-statements.ts';
import { delivery, noon, order, orderAttempt, quote, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { endpoint } from '../webhook-records.ts';

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

  test.each<[string, (db: Connection, id: string) => Promise<unknown>]>([
    [
      'a change',
      (db, id) => db.updateTable('orders').set({ status: 'failed' }).where('id', '=', id).execute(),
    ],
    ['a change in SQL', (db, id) => sql`update orders set status = 'failed' where id = ${id}`.execute(db)],
    [
      'a new row with the same key',
      (db) =>
        db
          .insertInto('orders')
          .values(order(1))
          .onConflict((conflict) => conflict.column('id').doUpdateSet({ status: 'failed' }))
          .execute(),
    ],
  ])('after %s a transaction reads the rows of the table again', async (_, write) => {
    const { db, transaction } = await fresh();
    await insertOrders(db, [order(1)]);
    const { id } = order(1);
    await transaction(async (inside) => {
      expect(await loadOrder(inside, id)).toMatchObject({ status: 'open' });
      await write(inside, id);
      expect(await loadOrder(inside, id)).toMatchObject({ status: 'failed' });
    });
  });

  test('a row that was missing is found once the transaction has inserted it', async () => {
    const { transaction } = await fresh();
    await transaction(async (inside) => {
      expect(await loadOrder(inside, order(1).id)).toBeUndefined();
      expect(await deliveriesOfRoute(inside, 'rte_1')).toEqual([]);
      await insertOrders(inside, [order(1)]);
      expect(await loadOrder(inside, order(1).id)).toEqual(order(1));
      await inside.insertInto('deliveries').values(delivery(1)).execute();
      expect(await deliveriesOfRoute(inside, 'rte_1')).toEqual([delivery(1)]);
    });
  });

  test('a change keeps what it has changed, and the other rows', async () => {
    const { db, transaction } = await fresh();
    await insertOrders(db, [order(1), order(2)]);
    const ids = [order(1).id, order(2).id];
    await transaction(async (inside) => {
      await findOrders(inside, scope, ids);
      const { statements } = await countStatements(async () => {
        const move = { id: order(1).id, from: 'open', to: 'failed', now: noon + 1 } as const;
        expect(await setOrderStatus(inside, move)).toBe(true);
        await writeSetting(inside, 'a', '1');
        expect(await findOrders(inside, scope, ids)).toMatchObject([
          { status: 'failed' },
          { status: 'open' },
        ]);
      });
      expect(statements).toBe(['the order', 'the setting'].length);
    });
  });

  test('the rows of a route are read once, in order, with those that the transaction adds or moves', async () => {
    const { db, transaction } = await fresh();
    const [first, second, third] = [delivery(1), delivery(2), delivery(3, { route_id: 'rte_2' })];
    await insertDeliveries(db, [second, third]);
    const idsOf = async (inside: Connection, route_id: string) =>
      (await deliveriesOfRoute(inside, route_id)).map(({ id }) => id);
    await transaction(async (inside) => {
      await lockDeliveries(inside, [third.id]);
      expect(await idsOf(inside, 'rte_1')).toEqual([second.id]);
      const { statements } = await countStatements(async () => {
        await insertDeliveries(inside, [first]);
        expect(await idsOf(inside, 'rte_1')).toEqual([first.id, second.id]);
        expect(await loadDelivery(inside, second.id)).toEqual(second);
        const change = { route_id: 'rte_1' };
        await updateDelivery(inside, { id: third.id, from: third.status, change, now: noon });
        expect(await idsOf(inside, 'rte_1')).toEqual([first.id, second.id, third.id]);
      });
      expect(statements).toBe(['insert', 'update'].length);
      expect(await idsOf(inside, 'rte_2')).toEqual([]);
    });
  });

  test('the latest attempt for an order is the last that the transaction has read or added', async () => {
    const { db, transaction } = await fresh();
    await insertAttempt(db, orderAttempt(1));
    const { id, order_id } = orderAttempt(2);
    await transaction(async (inside) => {
      await attemptsOfOrders(inside, [order_id, 'ord_none']);
      const { statements } = await countStatements(async () => {
        expect(await latestAttempt(inside, 'ord_none')).toBeUndefined();
        expect(await latestAttempt(inside, order_id)).toEqual(orderAttempt(1));
        await insertAttempt(inside, orderAttempt(2));
        expect(await latestAttempt(inside, order_id)).toEqual(orderAttempt(2));
        expect(await changeAttempt(inside, { id }, { status: 'refused' })).toBe(true);
        expect(await latestAttempt(inside, order_id)).toMatchObject({ id, status: 'refused' });
      });
      expect(statements).toBe(['insert', 'update'].length);
    });
  });

  test('an answer is kept until the transaction writes what it depends on', async () => {
    const { db, transaction } = await fresh();
    const key = 'followed';
    const asked = { ...scope, type: 'courier.location', key };
    await transaction(async (inside) => {
      const { statements } = await countStatements(async () => {
        expect([await hasEndpoints(inside, scope), await hasEndpoints(inside, scope)]).toEqual([
          false,
          false,
        ]);
        const ask = () => isSubscribedOrFollowed(inside, asked);
        expect([await ask(), await ask()]).toEqual([false, false]);
      });
      expect(statements).toBe(2);
      expect(await hasEndpoints(inside, { ...scope, test_mode: 0 })).toBe(false);
      await insertWebhookEndpoint(inside, endpoint(1));
      expect(await hasEndpoints(inside, scope)).toBe(true);
      await deleteWebhookEndpoint(inside, endpoint(1).id);
      expect(await hasEndpoints(inside, scope)).toBe(false);
      expect(await isSubscribedOrFollowed(inside, asked)).toBe(false);
      await writeSetting(inside, key, '5');
      expect(await isSubscribedOrFollowed(inside, asked)).toBe(true);
    });
    expect(await isSubscribedOrFollowed(db, asked)).toBe(true);
    expect(await isSubscribedOrFollowed(db, { ...asked, wall_now: '6' })).toBe(false);
  });
}
