import { expect, test } from 'vitest';
import { countStatements } from '../../cost/count-statements.ts';
import { batchMade, orderRequest, startFixture } from '../fixture.ts';
import { couriers } from '../remote-couriers.ts';

/** Where couriers are reached over the network, their calls run beside the groups. */
const places = [
  { place: 'in this process', isRemote: false },
  { place: 'over the network', isRemote: true },
];

/** A batch whose first attempts are due. */
async function dueBatch(count: number, isRemote: boolean) {
  const fixture = await startFixture({ parts: { providers: couriers(() => isRemote) } });
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

test.each(places)(
  'tasks that are due together run in one transaction: couriers $place',
  async ({ isRemote }) => {
    const { fixture, attempts } = await dueBatch(20, isRemote);
    const { transactions } = await countStatements(async () => {
      await fixture.service.tick();
    });
    expect(transactions).toBe(1);
    expect(await attempts()).toEqual(Array.from({ length: 20 }, () => 1));
  },
);

test.each(places)(
  'a task that fails in a group is retried later, and the others are done: couriers $place',
  async ({ isRemote }) => {
    const { fixture, attempts } = await dueBatch(20, isRemote);
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
  },
);
