import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { countOutcomes } from '../../../src/storage/batches.ts';
import type { Connection } from '../../../src/storage/database.ts';
import { chargesOfDelivery, insertCharges } from '../../../src/storage/deliveries.ts';
import { insertEvent, latestPosition } from '../../../src/storage/events.ts';
import { insertOrders, loadOrder } from '../../../src/storage/orders.ts';
import { subscribedEndpoints } from '../../../src/storage/webhook-endpoints.ts';
import { countStatements } from '../../cost/count-statements.ts';
import { charge, order, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';
import { numberedEvent } from '../webhook-records.ts';

export function appendedRowsSuite(fresh: FreshStorage): void {
  test('a transaction inserts the rows of a table together, at its end or before a query of the table', async () => {
    const { db, transaction } = await fresh();
    const [first, second, third] = [charge(1), charge(2), charge(3)];
    const { statements } = await countStatements(async () => {
      await transaction(async (inside) => {
        for (const each of [first, second]) await insertCharges(inside, [each]);
        expect(await chargesOfDelivery(inside, first.delivery_id)).toEqual([first, second]);
        await insertCharges(inside, [third]);
      });
    });
    expect(statements).toBe(['begin', 'insert', 'select', 'insert', 'commit'].length);
    expect(await chargesOfDelivery(db, first.delivery_id)).toEqual([first, second, third]);
  });

  test('what a failed transaction has appended is not inserted by the next', async () => {
    const { db, transaction } = await fresh();
    const failing = transaction(async (inside) => {
      await insertCharges(inside, [charge(1)]);
      throw new Error('changed my mind');
    });
    const next = transaction((inside) => insertCharges(inside, [charge(2)]));
    await expect(failing).rejects.toThrow('changed my mind');
    await next;
    expect(await chargesOfDelivery(db, charge(1).delivery_id)).toEqual([charge(2)]);
  });

  test.each<[string, (db: Connection) => Promise<unknown>]>([
    ['a selection', (db) => db.selectFrom('orders').select('id').execute()],
    [
      'a join',
      (db) =>
        db
          .selectFrom('accounts')
          .innerJoin('orders', 'account_id', 'accounts.id')
          .select('orders.id')
          .execute(),
    ],
    ['several tables', (db) => db.selectFrom(['accounts', 'orders']).select('orders.id').execute()],
    [
      'a subquery',
      (db) =>
        db
          .selectFrom('accounts')
          .select(({ selectFrom }) => selectFrom('orders').select('orders.id').as('id'))
          .where('id', '=', scope.account_id)
          .execute(),
    ],
    ['a change', (db) => db.updateTable('orders').set({ route_id: 'rte_1' }).returning('id').execute()],
    ['a deletion', (db) => db.deleteFrom('orders').returning('id').execute()],
    ['SQL', async (db) => (await sql`SELECT id FROM orders`.execute(db)).rows],
    ['SQL for a part', (db) => db.selectNoFrom(sql`(select id from orders)`.as('id')).execute()],
  ])('a transaction inserts what it has appended to a table before %s of the table', async (_, query) => {
    const { transaction } = await fresh();
    await transaction(async (inside) => {
      await insertOrders(inside, [order(1)]);
      expect(await query(inside)).toContainEqual({ id: order(1).id });
    });
  });

  test('rows are not inserted before a query of other tables, whatever its columns are called', async () => {
    const { transaction } = await fresh();
    const { texts } = await countStatements(() =>
      transaction(async (inside) => {
        await insertEvent(inside, numberedEvent(1));
        await insertOrders(inside, [order(1)]);
        await subscribedEndpoints(inside, scope, ['*']);
        await countOutcomes(inside, ['bat_1']);
      }),
    );
    const [, first, second, ...inserts] = [...texts.keys()];
    expect(first).toMatch(/from "webhook_endpoints" .* "events" like/);
    expect(second).toMatch(/from "batch_orders"/);
    expect(inserts).toEqual([
      expect.stringMatching(/^insert into "orders"/),
      expect.stringMatching(/^insert into "events"/),
      'commit',
    ]);
  });

  test('before the log is read, the event is inserted after the other rows', async () => {
    const { transaction } = await fresh();
    const { texts } = await countStatements(() =>
      transaction(async (inside) => {
        await insertEvent(inside, numberedEvent(1));
        await insertOrders(inside, [order(1)]);
        expect(await latestPosition(inside)).toBe(1);
      }),
    );
    const tables = [...texts.keys()].flatMap((text) => /^insert into "(\w+)"/.exec(text)?.[1] ?? []);
    expect(tables).toEqual(['orders', 'events']);
  });

  test('rows are inserted before a query of their table with those of other tables only on PostgreSQL', async () => {
    const { transaction, engine } = await fresh();
    await transaction(async (inside) => {
      await insertOrders(inside, [order(1)]);
      await insertCharges(inside, [charge(1)]);
      await insertEvent(inside, numberedEvent(1));
      const { texts } = await countStatements(async () => {
        await chargesOfDelivery(inside, charge(1).delivery_id);
      });
      const [insert = ''] = [...texts.keys()];
      const inserted = ['orders', 'charges', 'events'].filter((table) => insert.includes(`into "${table}"`));
      expect(inserted).toEqual(engine === 'postgres' ? ['orders', 'charges'] : ['charges']);
      expect(texts.size).toBe(2);
    });
  });

  test('many rows are inserted with several statements outside of a transaction, too', async () => {
    const { db } = await fresh();
    const orders = Array.from({ length: 502 }, (_, index) => order(index));
    const { statements } = await countStatements(() => insertOrders(db, orders));
    expect(statements).toBe(2);
    expect(await loadOrder(db, order(501).id)).toEqual(order(501));
  });

  test.each([2, 502])('of %s rows and an event, the event is inserted last', async (count) => {
    const { db, transaction, engine } = await fresh();
    const { texts } = await countStatements(() =>
      transaction(async (inside) => {
        await insertEvent(inside, numberedEvent(1));
        await insertOrders(
          inside,
          Array.from({ length: count }, (_, index) => order(index)),
        );
        await insertCharges(inside, [charge(1)]);
      }),
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
}
