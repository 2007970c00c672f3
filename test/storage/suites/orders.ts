import { expect, test } from 'vitest';
import {
  addToRoute,
  findOrder,
  findOrders,
  insertOrders,
  listOrders,
  loadOrder,
  releaseFromRoute,
  setOrderStatus,
} from '../../../src/storage/orders.ts';
import {
  deleteDraft,
  findRoute,
  insertRoute,
  listRoutes,
  loadRoute,
  setRouteStatus,
} from '../../../src/storage/routes.ts';
import { noon, order, otherAccount, otherMode, route, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

export function ordersSuite(fresh: FreshStorage): void {
  test('orders are found within their account and mode, and loaded by id alone', async () => {
    const { db } = await fresh();
    await insertOrders(db, []);
    await insertOrders(db, [order(1), order(2), order(3, otherMode), order(4, otherAccount)]);
    expect(await findOrder(db, scope, order(1).id)).toEqual(order(1));
    expect(await findOrder(db, otherMode, order(1).id)).toBeUndefined();
    expect(await findOrder(db, otherAccount, order(1).id)).toBeUndefined();
    const ids = [4, 3, 2, 1].map((number) => order(number).id);
    expect(await findOrders(db, scope, ids)).toEqual([order(1), order(2)]);
    expect(await findOrders(db, scope, [])).toEqual([]);
    expect(await loadOrder(db, order(4).id)).toEqual(order(4, otherAccount));
  });

  test('more orders than one statement takes are inserted', async () => {
    const { db } = await fresh();
    const many = Array.from({ length: 1203 }, (_, number) => order(number, { batch_id: 'bat_1' }));
    await insertOrders(db, many);
    const ids = many.map(({ id }) => id);
    expect(await findOrders(db, scope, ids)).toEqual(many);
  });

  test('orders are listed by status, reference, batch, route and beginning of the ID', async () => {
    const { db } = await fresh();
    const first = order(1, { status: 'failed', external_order_ref: 'A-1' });
    const second = order(2, { batch_id: 'bat_1', route_id: 'rte_1', external_order_ref: 'A-1' });
    const third = order(3, { status: 'canceled' });
    await insertOrders(db, [first, second, third, order(4, otherMode), order(5, otherAccount)]);
    const list = async (filter: object) => (await listOrders(db, { ...scope, limit: 9, ...filter })).rows;
    expect(await list({})).toEqual([third, second, first]);
    expect(await list({ status: 'open' })).toEqual([second]);
    expect(await list({ status: ['failed', 'canceled', 'routed'] })).toEqual([third, first]);
    expect(await list({ status: ['failed', 'canceled', 'failed'] })).toEqual([third, first]);
    expect(await list({ status: [] })).toEqual([]);
    expect(await list({ external_order_ref: 'A-1' })).toEqual([second, first]);
    expect(await list({ external_order_ref: 'A-1', status: 'failed' })).toEqual([first]);
    expect(await list({ batch_id: 'bat_1' })).toEqual([second]);
    expect(await list({ route_id: 'rte_1' })).toEqual([second]);
    expect(await list({ id_start: third.id })).toEqual([third]);
  });

  test('only open, failed and unfulfilled orders of the account and mode join a route', async () => {
    const { db } = await fresh();
    const failed = order(2, { status: 'failed', route_id: 'rte_old' });
    const unfulfilled = order(6, { status: 'unfulfilled' });
    const rest = [order(3, { status: 'canceled' }), order(4, otherMode), order(5, otherAccount)];
    await insertOrders(db, [order(1), failed, unfulfilled, ...rest]);
    const ids = [1, 2, 3, 4, 5, 6].map((number) => order(number).id);
    expect(await addToRoute(db, { ...scope, ids: [], route_id: 'rte_1', now: noon + 1 })).toBe(0);
    expect(await addToRoute(db, { ...scope, ids, route_id: 'rte_1', now: noon + 1 })).toBe(3);
    expect(await addToRoute(db, { ...scope, ids, route_id: 'rte_2', now: noon + 2 })).toBe(0);
    const joined = { status: 'routed', route_id: 'rte_1', updated_at: noon + 1 } as const;
    expect(await findOrders(db, scope, ids)).toEqual([
      order(1, joined),
      order(2, joined),
      order(3, { status: 'canceled' }),
      order(6, joined),
    ]);
  });

  test('the orders that a route lets go are open; one it dispatched stays', async () => {
    const { db } = await fresh();
    const routed = { status: 'routed', route_id: 'rte_1' } as const;
    await insertOrders(db, [
      order(1, routed),
      order(2, { ...routed, status: 'dispatched' }),
      order(3, { ...routed, route_id: 'rte_2' }),
    ]);
    expect(await releaseFromRoute(db, { route_id: 'rte_1', now: noon + 1 })).toBe(1);
    expect(await loadOrder(db, order(1).id)).toEqual(order(1, { updated_at: noon + 1 }));
    expect(await loadOrder(db, order(2).id)).toMatchObject({ status: 'dispatched' });
    expect(await loadOrder(db, order(3).id)).toMatchObject({ status: 'routed', route_id: 'rte_2' });
  });

  test('an order moves only from the statuses named', async () => {
    const { db } = await fresh();
    await insertOrders(db, [order(1), order(2)]);
    const { id } = order(1);
    expect(await setOrderStatus(db, { id, from: 'routed', to: 'dispatched', now: noon + 1 })).toBe(false);
    expect(await loadOrder(db, id)).toEqual(order(1));
    const change = { delivery_id: 'dlv_1' };
    const move = { id, from: ['failed', 'open'], to: 'dispatched', now: noon + 2, change } as const;
    expect(await setOrderStatus(db, move)).toBe(true);
    const moved = order(1, { status: 'dispatched', delivery_id: 'dlv_1', updated_at: noon + 2 });
    expect(await loadOrder(db, id)).toEqual(moved);
    expect(await loadOrder(db, order(2).id)).toEqual(order(2));
  });

  test('a route is found in its account, moves from its status, and is deleted as a draft', async () => {
    const { db } = await fresh();
    await insertRoute(db, route(1));
    await insertRoute(db, route(2, otherMode));
    expect(await findRoute(db, 'acct_a', route(2).id)).toEqual(route(2, otherMode));
    expect(await findRoute(db, 'acct_b', route(2).id)).toBeUndefined();
    const move = { id: route(1).id, from: 'draft', to: 'dispatched', now: noon + 1 } as const;
    expect(await setRouteStatus(db, move)).toBe(true);
    expect(await setRouteStatus(db, move)).toBe(false);
    const moved = route(1, { status: 'dispatched', updated_at: noon + 1 });
    expect(await loadRoute(db, route(1).id)).toEqual(moved);
    expect(await deleteDraft(db, route(1).id)).toBe(false);
    expect(await deleteDraft(db, route(2).id)).toBe(true);
    expect(await loadRoute(db, route(2).id)).toBeUndefined();
  });

  test('routes are listed by status', async () => {
    const { db } = await fresh();
    const gone = route(2, { status: 'canceled' });
    for (const row of [route(1), gone, route(3, otherMode), route(4, otherAccount)]) {
      await insertRoute(db, row);
    }
    const list = async (filter: object) => (await listRoutes(db, { ...scope, limit: 9, ...filter })).rows;
    expect(await list({})).toEqual([gone, route(1)]);
    expect(await list({ status: 'draft' })).toEqual([route(1)]);
    expect(await list({ status: ['draft', 'canceled'] })).toEqual([gone, route(1)]);
  });
}
