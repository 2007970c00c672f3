import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Connection } from '../../../src/storage/database.ts';
import {
  deliveriesOfRoute,
  insertDeliveries,
  loadDelivery,
  lockDeliveriesOfRoutes,
  lockDelivery,
  lockDeliveryOf,
  lockEndsOfRoutes,
  lockFreeDeliveries,
  updateDelivery,
} from '../../../src/storage/deliveries.ts';
import { insertOrders, lockFreeOrders, lockOrders } from '../../../src/storage/orders.ts';
import { insertDispatch, insertRoute } from '../../../src/storage/routes.ts';
import { countStatements } from '../../cost/count-statements.ts';
import { delivery, dispatch, noon, order, route } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

export function lockedRowsSuite(fresh: FreshStorage): void {
  test('what a transaction has appended it may change without a lock', async () => {
    const { db, transaction } = await fresh();
    const { id, status: from } = delivery(1);
    await transaction(async (inside) => {
      await insertDeliveries(inside, [delivery(1)]);
      const { statements } = await countStatements(async () => {
        expect(await lockDelivery(inside, id)).toEqual(delivery(1));
        expect(await lockFreeDeliveries(inside, [id])).toEqual([]);
        const change = { status: 'failed' } as const;
        expect(await updateDelivery(inside, { id, from, change, now: noon + 1 })).toBe(true);
        expect(await loadDelivery(inside, id)).toMatchObject({ status: 'failed', updated_at: noon + 1 });
      });
      expect(statements).toBe(['insert', 'update'].length);
    });
    expect(await loadDelivery(db, id)).toMatchObject({ status: 'failed', updated_at: noon + 1 });
  });

  test('a transaction may change a delivery that it has locked by its dispatch', async () => {
    const { db, transaction } = await fresh();
    const { id, order_id, status: from } = delivery(1);
    await insertDispatch(db, dispatch('dsp_1'));
    await insertDeliveries(db, [delivery(1)]);
    await transaction(async (inside) => {
      const locked = await lockDeliveryOf(inside, { dispatch_id: 'dsp_1', order_id });
      expect(locked).toEqual(delivery(1));
      const change = { status: 'failed' } as const;
      expect(await updateDelivery(inside, { id, from, change, now: noon })).toBe(true);
      expect(await lockDeliveryOf(inside, { dispatch_id: 'dsp_2', order_id })).toBeUndefined();
    }, 'read committed');
  });

  test('a lock reads rows again on PostgreSQL, and once', async () => {
    const { transaction, another, engine, db } = await fresh();
    await insertDeliveries(db, [delivery(1)]);
    const { id, route_id } = delivery(1);
    const other = await another();
    await transaction(async (inside) => {
      await loadDelivery(inside, id);
      await deliveriesOfRoute(inside, route_id);
      if (engine === 'postgres') {
        await other.run((outside) =>
          outside.updateTable('deliveries').set({ service: 'haulvan' }).where('id', '=', id).execute(),
        );
      }
      const { statements } = await countStatements(async () => {
        const locked = [await lockDelivery(inside, id), await lockDelivery(inside, id)];
        locked.push(...(await lockDeliveriesOfRoutes(inside, [route_id])));
        locked.push(...(await lockDeliveriesOfRoutes(inside, [route_id])));
        const service = engine === 'postgres' ? 'haulvan' : 'swiftly';
        expect(locked.map((row) => row?.service)).toEqual([service, service, service, service]);
      });
      expect(statements).toBe(engine === 'postgres' ? 2 : 0);
      expect(await lockDelivery(inside, 'dlv_none')).toBeUndefined();
    }, 'read committed');
  });

  test('the rows of a route that another transaction has moved away are not kept', async () => {
    const { transaction, another, engine, db } = await fresh();
    if (engine === 'sqlite') return;
    await insertRoute(db, route(1));
    const route_id = route(1).id;
    await insertDeliveries(db, [delivery(1, { route_id })]);
    const other = await another();
    await transaction(async (inside) => {
      expect(await deliveriesOfRoute(inside, route_id)).toHaveLength(1);
      await other.run((outside) =>
        outside
          .updateTable('deliveries')
          .set({ route_id: 'rte_2' })
          .where('id', '=', delivery(1).id)
          .execute(),
      );
      expect(await lockEndsOfRoutes(inside, [route_id])).toEqual([]);
      const { statements } = await countStatements(async () => {
        expect(await lockEndsOfRoutes(inside, [route_id])).toEqual([]);
      });
      expect(statements).toBe(0);
    }, 'read committed');
  });

  test('of rows that another transaction has locked, the ids are returned at once', async () => {
    const { transaction, another, engine, db } = await fresh();
    const rows = [delivery(1), delivery(2)];
    await insertDeliveries(db, rows);
    const [{ id }, ids] = [delivery(1), [...rows.map((row) => row.id), 'dlv_none']];
    const other = await another();
    await transaction(async (inside) => {
      await lockDelivery(inside, id);
      if (engine === 'sqlite') return expect(await lockFreeDeliveries(inside, ids)).toEqual([]);
      await other.transaction(async (outside) => {
        expect(await lockFreeDeliveries(outside, ids)).toEqual([id]);
        const { statements } = await countStatements(async () => {
          expect(await lockDelivery(outside, delivery(2).id)).toEqual(delivery(2));
        });
        expect(statements).toBe(0);
      });
    });
  });

  test('many rows are locked in the order of their ids', async () => {
    const { transaction, another, engine, db } = await fresh();
    if (engine === 'sqlite') return;
    const ids = Array.from({ length: 502 }, (_, index) => order(index).id);
    await insertOrders(
      db,
      ids.map((_, index) => order(index)),
    );
    const [other, third] = [await another(), await another()];
    let waiting: Promise<unknown> = Promise.resolve();
    await transaction(async (inside) => {
      await lockOrders(inside, ids.slice(0, 1));
      waiting = other.transaction((outside) => lockOrders(outside, [...ids].reverse()), 'read committed');
      await expect.poll(() => third.run(isAnyWaiting)).toBe(true);
      // The last id comes with the second statement, for which the first one is not over.
      expect(await third.transaction((outside) => lockFreeOrders(outside, ids.slice(-1)))).toEqual([]);
    }, 'read committed');
    expect(await waiting).toHaveLength(ids.length);
  });
}

async function isAnyWaiting(db: Connection): Promise<boolean> {
  const { rows } = await sql`select pid from pg_locks where not granted`.execute(db);
  return rows.length > 0;
}
