/**
 * Finds the people in orders by a query: which ends of an order they are, whether the order is finished, what an erasure
 * would erase (`previewErasure`), and what is stored about them (`exportOrders`). Changes nothing.
 */
import type { PersonalEnd } from '../../domain/erasure.ts';
import { isSameName } from '../../domain/references.ts';
import { findPendingOrders } from '../../storage/batches.ts';
import type { Connection } from '../../storage/database.ts';
import {
  auditOfPerson,
  findOrdersOfPerson,
  type KeptOfOrder,
  readKeptOfOrder,
} from '../../storage/personal-data.ts';
import { placesOfAddresses } from '../../storage/places.ts';
import type { Storage } from '../../storage/storage.ts';
import { type DeliveryRecord, deliveryRecord } from '../deliveries/delivery-view.ts';
import { type OrderRecord, orderRecord } from '../orders/order.ts';
import { keptAddress } from '../places/find-places.ts';

/**
 * Selects the orders of a person: by a phone number of an end, in digits, and the name beside it if several people share
 * the number, or by one of their deliveries. The name is compared after the orders are read: the storage does not know it.
 */
export type PersonQuery = { phone: string; name?: string } | { delivery_id: string };

/** A person in an order that an erasure concerns, or who only has the same phone number. */
export interface PreviewedPerson {
  order_id: string;
  external_order_ref: string;
  delivery_ids: string[];
  end: PersonalEnd;
  name: string;
  /** `stays` if the query does not select the order: it only has the same phone number. */
  outcome: 'would_be_erased' | 'under_way' | 'stays';
}

type PersonOfOrder = PreviewedPerson & { phone: string };

/** Whom an erasure would erase from which orders, and who else has the same phone number. Changes nothing. */
export async function previewErasure(storage: Storage, query: PersonQuery): Promise<PreviewedPerson[]> {
  return storage.read(async (db) => {
    const selected = await findOrdersOfPerson(db, query);
    const people: PersonOfOrder[] = [];
    for (const id of selected) people.push(...(await peopleIn(db, id, query)));
    const isNamed = !('phone' in query) || query.name !== undefined;
    const phones = isNamed ? people.map(({ phone }) => phone).filter((phone) => phone !== '') : [];
    const others: PersonOfOrder[] = [];
    for (const phone of new Set(phones)) {
      for (const id of await findOrdersOfPerson(db, { phone })) {
        const isShown = people.some(({ order_id }) => order_id === id);
        const sharing = isShown ? [] : await peopleIn(db, id, { phone });
        others.push(...sharing.map((each) => ({ ...each, outcome: 'stays' as const })));
      }
    }
    return [...people, ...others].map(({ phone: _, ...person }) => person);
  });
}

async function peopleIn(db: Connection, order_id: string, query: PersonQuery): Promise<PersonOfOrder[]> {
  const kept = await readKeptOfOrder(db, order_id);
  if (kept === null) return [];
  const outcome = (await isFinished(db, kept)) ? 'would_be_erased' : 'under_way';
  const delivery_ids = kept.deliveries.map(({ id }) => id);
  const { external_order_ref } = kept.order;
  return endsOf(kept, query).map((end) => {
    const { name, phone } = orderRecord(kept.order)[end];
    return { order_id, external_order_ref, delivery_ids, end, name, outcome, phone };
  });
}

/** Final statuses of orders. A dispatched order ends with its deliveries instead. */
const finished = ['unfulfilled', 'failed', 'canceled'];

/** Whether nothing more happens to an order by itself. Auto dispatch may try a failed one again. */
export async function isFinished(db: Connection, { order, deliveries }: KeptOfOrder): Promise<boolean> {
  if (deliveries.some(({ ended_at }) => ended_at === null)) return false;
  const isOver = order.status === 'dispatched' ? deliveries.length > 0 : finished.includes(order.status);
  return isOver && (await findPendingOrders(db, [order.id])).length === 0;
}

/** The ends of an order that a query selects. */
export function endsOf(kept: KeptOfOrder, query: PersonQuery): PersonalEnd[] {
  if ('delivery_id' in query) return ['dropoff'];
  const ends: readonly PersonalEnd[] = ['pickup', 'dropoff'];
  const { phone, name } = query;
  return ends.filter((end) =>
    recordsOf(kept).some(
      (record) => record[end].phone === phone && (name === undefined || isSameName(record[end].name, name)),
    ),
  );
}

/** An order's record, and those of its deliveries: each has both ends. */
export function recordsOf({ order, deliveries }: KeptOfOrder): (OrderRecord | DeliveryRecord)[] {
  return [orderRecord(order), ...deliveries.map(deliveryRecord)];
}

/** The stored data of a person, by order. */
export async function exportOrders(storage: Storage, query: PersonQuery): Promise<unknown[]> {
  const orders: unknown[] = [];
  for (const order_id of await storage.read((db) => findOrdersOfPerson(db, query))) {
    const kept = await storage.read((db) => readKeptOfOrder(db, order_id));
    if (kept === null || endsOf(kept, query).length === 0) continue;
    const { order } = kept;
    const { pickup, dropoff } = orderRecord(order);
    const addresses = [pickup, dropoff].map(({ address }) => keptAddress(address));
    const places = await storage.read((db) => placesOfAddresses(db, addresses));
    const record_ids = [order.id, ...kept.deliveries.map(({ id }) => id)];
    const audit = await storage.read((db) => auditOfPerson(db, { record_ids, actors: ['recipient'] }));
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
      audit,
      places: places.map(({ found, ...row }) => ({ ...row, found: JSON.parse(found) })),
    });
  }
  return orders;
}
