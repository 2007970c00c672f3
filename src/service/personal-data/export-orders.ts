import { findOrdersOfPerson, type PersonQuery, readKeptOfOrder } from '../../storage/personal-data.ts';
import type { Storage } from '../../storage/storage.ts';

/** What is kept of a person, as it is stored, by order. */
export async function exportOrders(storage: Storage, query: PersonQuery): Promise<unknown[]> {
  const orders: unknown[] = [];
  for (const order_id of await storage.read((db) => findOrdersOfPerson(db, query))) {
    const kept = await storage.read((db) => readKeptOfOrder(db, order_id));
    if (kept === null) continue;
    const { order } = kept;
    orders.push({
      order: { ...order, record: JSON.parse(order.record) },
      deliveries: kept.deliveries.map(({ tracking_token: _, ...row }) => ({
        ...row,
        record: JSON.parse(row.record),
      })),
      events: kept.events.map(({ id, data }) => ({ id, data: JSON.parse(data) })),
      reports: kept.reports.map(({ record }) => JSON.parse(record)),
      disputes: kept.disputes,
      notes: kept.notes,
    });
  }
  return orders;
}
