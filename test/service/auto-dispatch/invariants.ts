import { expect } from 'vitest';
import type { Storage } from '../../../src/storage/storage.ts';
import { eventRows } from '../event-rows.ts';

/** The invariants of a database and the couriers' records, once every batch is complete. */
export async function expectNothingLostOrTwice(storage: Storage, books: Storage = storage): Promise<void> {
  const all = await storage.run(async (db) => ({
    batches: await db.selectFrom('batches').selectAll().execute(),
    entries: await db.selectFrom('batch_orders').selectAll().execute(),
    orders: await db.selectFrom('orders').selectAll().execute(),
    deliveries: await db.selectFrom('deliveries').selectAll().execute(),
    dispatches: await db.selectFrom('dispatches').selectAll().execute(),
    charges: await db.selectFrom('charges').selectAll().execute(),
    quotes: await db.selectFrom('quotes').selectAll().execute(),
    events: await eventRows(db),
    tasks: await db.selectFrom('tasks').select('kind').where('kind', '!=', 'report.take').execute(),
  }));
  const created = await books.run((db) =>
    db.selectFrom('courier_entries').selectAll().where('kind', '=', 'created').execute(),
  );
  expect(all.tasks).toEqual([]);
  expect(all.batches.every(({ status }) => status === 'complete')).toBe(true);
  expect(all.entries).toHaveLength(all.batches.reduce((sum, { order_count }) => sum + order_count, 0));
  expect(all.orders).toHaveLength(all.entries.length);
  for (const { id } of all.batches) {
    expect(
      all.events.filter(({ batch_id, type }) => batch_id === id && type === 'batch.completed'),
    ).toHaveLength(1);
  }
  for (const entry of all.entries) {
    const order = all.orders.find(({ id }) => id === entry.order_id);
    const published = all.events.filter(
      ({ type, data }) => /^order\./.test(type) && JSON.parse(data).id === entry.order_id,
    );
    expect(published.map(({ type }) => type)).toEqual([`order.${entry.status}`]);
    const own = all.deliveries.filter(({ order_id }) => order_id === entry.order_id);
    const accepted = all.dispatches.filter(
      ({ route_id, state }) => state === 'accepted' && own.some((delivery) => delivery.route_id === route_id),
    );
    const carried = created.filter(({ reference }) =>
      all.dispatches.some(
        ({ id, route_id }) => id === reference && own.some((each) => each.route_id === route_id),
      ),
    );
    const isDispatched = entry.status === 'dispatched';
    expect([entry.order_id, carried.map(({ reference }) => reference)]).toEqual([
      entry.order_id,
      accepted.map(({ id }) => id),
    ]);
    expect(accepted).toHaveLength(isDispatched ? 1 : 0);
    if (isDispatched) expect(order?.delivery_id).toBe(entry.delivery_id);
    for (const delivery of own) expectPaid(delivery, all);
  }
  expect(all.dispatches.every(({ state }) => state !== 'asking')).toBe(true);
}

interface Paid {
  quotes: { id: string; cost_of_delivery: number; service_fee: number }[];
  charges: { delivery_id: string; kind: string; amount: number }[];
}

/** A dispatched delivery is paid to the cent, once; a failed one is not paid. */
function expectPaid(
  { id, status, record }: { id: string; status: string; record: string },
  { quotes, charges }: Paid,
): void {
  const own = charges.filter(({ delivery_id }) => delivery_id === id);
  const kinds = own.map(({ kind }) => kind);
  expect(new Set(kinds).size).toBe(kinds.length);
  const sum = own.reduce((total, { amount }) => total + amount, 0);
  if (status === 'failed') expect(sum).toBe(0);
  if (!['delivery_created', 'scheduled', 'driver_assigned'].includes(status)) return;
  const { quote_id, tip } = JSON.parse(record);
  const quote = quotes.find((each) => each.id === quote_id);
  expect(sum).toBe((quote?.cost_of_delivery ?? 0) + (quote?.service_fee ?? 0) + (tip ?? 0));
}
