import { expect, test } from 'vitest';
import {
  deliveriesOfRoutes,
  insertDeliveries,
  loadDelivery,
  lockDelivery,
  lockEndsOfRoutes,
  updateDelivery,
} from '../../../src/storage/deliveries.ts';
import { addToRoute, insertOrders, loadOrder } from '../../../src/storage/orders.ts';
import { insertRoute } from '../../../src/storage/routes.ts';
import { countMail, readSetting, uncountMail, writeSetting } from '../../../src/storage/settings.ts';
import { delivery, noon, order, route, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

const isolations = ['serializable', 'read committed'] as const;

export function transactionsSuite(fresh: FreshStorage): void {
  test('a transaction keeps all or, when it throws, nothing', async () => {
    const { db, transaction, run } = await fresh();
    const fault = new Error('changed my mind');
    const failing = transaction(async (inside) => {
      await writeSetting(inside, 'a', '1');
      throw fault;
    });
    await expect(failing).rejects.toBe(fault);
    expect(await readSetting(db, 'a')).toBeNull();
    expect(await transaction(async (inside) => writeSetting(inside, 'a', '2').then(() => 'kept'))).toBe(
      'kept',
    );
    expect(await run((inside) => readSetting(inside, 'a'))).toBe('2');
  });

  test('a statement of another task does not fall into an open transaction', async () => {
    const { db, transaction } = await fresh();
    const opened = Promise.withResolvers<void>();
    const failing = transaction(async (inside) => {
      await writeSetting(inside, 'mine', '1');
      opened.resolve();
      await readSetting(inside, 'mine');
      await new Promise<void>((resolve) => queueMicrotask(resolve));
      throw new Error('rolled back');
    });
    await opened.promise;
    const [, seen] = await Promise.all([
      writeSetting(db, 'theirs', '1'),
      readSetting(db, 'mine'),
      failing.catch(() => {}),
    ]);
    expect(seen).toBeNull();
    expect(await readSetting(db, 'theirs')).toBe('1');
  });

  test('two routes that want the same orders do not share them', async () => {
    const storage = await fresh();
    const other = await storage.another();
    const orders = [1, 2, 3, 4].map((number) => order(number));
    await insertOrders(storage.db, orders);
    const ids = orders.map(({ id }) => id);
    const join = (wanted: string[], route_id: string) => ({ ...scope, ids: wanted, route_id, now: noon });
    const moved = await Promise.all([
      storage.transaction((db) => addToRoute(db, join(ids, 'rte_1'))),
      other.transaction((db) => addToRoute(db, join([...ids].reverse(), 'rte_2'))),
    ]);
    expect(moved.sort()).toEqual([0, 4]);
    const routes = await Promise.all(ids.map(async (id) => (await loadOrder(storage.db, id))?.route_id));
    expect(new Set(routes).size).toBe(1);
  });

  test.each(isolations)(
    'of two %s reports about one delivery at once, each counts once',
    async (isolation) => {
      const storage = await fresh();
      const other = await storage.another();
      const { id } = delivery(1);
      await insertDeliveries(storage.db, [delivery(1, { record: '0' })]);
      const count = ({ transaction }: typeof other) =>
        transaction(async (db) => {
          const before = await lockDelivery(db, id);
          const change = { record: String(Number(before?.record) + 1) };
          return updateDelivery(db, { id, from: 'delivery_created', change, now: noon + 1 });
        }, isolation);
      const results = await Promise.all([storage, other, storage, other].map(count));
      expect(results).toEqual([true, true, true, true]);
      expect(await loadDelivery(storage.db, id)).toMatchObject({ record: '4' });
    },
  );

  test.each(isolations)('a %s transaction changes no delivery that it has not locked', async (isolation) => {
    const { db, transaction } = await fresh();
    await insertDeliveries(db, [delivery(1)]);
    const { id } = delivery(1);
    const changing = transaction(async (inside) => {
      await loadDelivery(inside, id);
      const change = { status: 'failed' } as const;
      return updateDelivery(inside, { id, from: 'delivery_created', change, now: noon });
    }, isolation);
    await expect(changing).rejects.toThrow(`delivery ${id} is changed without a lock`);
  });

  test.each(isolations)(
    'of two %s transactions that end a route at once, one sees that all is over',
    async (isolation) => {
      const storage = await fresh();
      const other = await storage.another();
      for (let number = 0; number < 5; number += 1) {
        const route_id = route(number).id;
        const ids = [delivery(2 * number).id, delivery(2 * number + 1).id];
        await insertRoute(storage.db, route(number));
        const rows = [delivery(2 * number, { route_id }), delivery(2 * number + 1, { route_id })];
        await insertDeliveries(storage.db, rows);
        const end = ({ transaction }: typeof other, id: string) =>
          transaction(async (db) => {
            await lockDelivery(db, id);
            // Reads the others before the end, as a request does.
            await deliveriesOfRoutes(db, [route_id]);
            const change = { status: 'delivered' } as const;
            await updateDelivery(db, { id, from: 'delivery_created', change, now: noon });
            const all = await lockEndsOfRoutes(db, [route_id]);
            return all.every(({ status }) => status === 'delivered');
          }, isolation);
        const ended = await Promise.all([end(storage, ids[0] ?? ''), end(other, ids[1] ?? '')]);
        expect(ended.sort()).toEqual([false, true]);
      }
    },
  );

  test('messages that are counted at once all count up to the limit, and those of a day before do not', async () => {
    const storage = await fresh();
    const counted = (day: string) =>
      storage.transaction((db) => countMail(db, scope, { day, per_day: 5 }), 'read committed');
    const countOf = (day: string) =>
      storage.read((db) => readSetting(db, `mail ${scope.account_id} ${scope.test_mode} ${day}`));
    expect(await counted('2026-03-01')).toBe(true);
    const taken = await Promise.all(Array.from({ length: 7 }, () => counted('2026-03-02')));
    expect(taken.filter(Boolean)).toHaveLength(5);
    expect([await countOf('2026-03-01'), await countOf('2026-03-02')]).toEqual([null, '5']);
    // One that was begun before midnight, and counted after it.
    expect(await counted('2026-03-01')).toBe(true);
    expect(await countOf('2026-03-02')).toBe('5');
    await storage.write((db) => uncountMail(db, scope, '2026-03-02'));
    expect([await counted('2026-03-02'), await counted('2026-03-02')]).toEqual([true, false]);
  });

  test('the writes of another process are noticed once it announces them, and nothing else is', async () => {
    const storage = await fresh();
    const other = await storage.another();
    await expect.poll(() => storage.changes()).not.toBeNull();
    const before = storage.changes() ?? Number.NaN;
    await storage.read((db) => readSetting(db, 'a'));
    await storage.announce();
    expect(storage.changes()).toBe(before);
    await other.transaction((db) => writeSetting(db, 'a', '1'));
    await other.announce();
    await expect.poll(() => storage.changes()).toBeGreaterThan(before);
  });
}
