import { expect, test } from 'vitest';
import { countStatements } from '../../cost/count-statements.ts';
import { batchMade, orderRequest, startFixture } from '../fixture.ts';

/** A batch whose first attempts are due. */
async function dueBatch(count: number) {
  const fixture = await startFixture();
  const orders = Array.from({ length: count }, (_, index) =>
    orderRequest({ external_order_ref: `order-${index}` }),
  );
  const body = { orders, settings: { mechanism: 'auto' as const } };
  const { batch_id } = await batchMade(fixture.client().orders.create({ body }));
  const attempts = async () => {
    const { data } = await fixture.client().batches.get({ params: { batch_id } });
    return data.orders.map((order) => order.attempts);
  };
  return { fixture, attempts };
}

test('tasks that are due together run in one transaction', async () => {
  const { fixture, attempts } = await dueBatch(20);
  const { transactions } = await countStatements(async () => {
    await fixture.service.tick();
  });
  expect(transactions).toBe(1);
  expect(await attempts()).toEqual(Array.from({ length: 20 }, () => 1));
});

test('a task that fails in a group is retried later, and the others are done', async () => {
  const { fixture, attempts } = await dueBatch(20);
  const { storage } = fixture;
  const broken = await storage.run((db) =>
    db
      .selectFrom('orders')
      .select(['id', 'record'])
      .where('external_order_ref', '=', 'order-7')
      .executeTakeFirstOrThrow(),
  );
  const write = (record: string) =>
    storage.run((db) => db.updateTable('orders').set({ record }).where('id', '=', broken.id).execute());
  await write('{');
  await fixture.service.tick();
  const waiting = await storage.run((db) =>
    db.selectFrom('tasks').select(['subject', 'attempts']).where('kind', '=', 'order.try').execute(),
  );
  expect(waiting).toEqual([{ subject: broken.id, attempts: 1 }]);
  await write(broken.record);
  await fixture.pass(1_000);
  expect(await attempts()).toEqual(Array.from({ length: 20 }, () => 1));
});
