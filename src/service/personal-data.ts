import { type Erasure, erased, erasePerson, type PersonalEnd } from '../domain/erasure.ts';
import { searchTextOf } from '../domain/search-text.ts';
import type { Connection, OrderRow } from '../storage/database.ts';
import {
  deleteNotesAndPictures,
  findOrdersOfPerson,
  findQuotesWithText,
  type KeptOfOrder,
  type PersonQuery,
  readKeptOfOrder,
  writeKeptOfOrder,
  writeQuoteRecord,
} from '../storage/personal-data.ts';
import { updateSearchDocument } from '../storage/search-documents.ts';
import type { Storage } from '../storage/storage.ts';
import { type DeliveryRecord, deliveryRecord } from './deliveries/delivery-view.ts';
import type { OrderRecord } from './orders/order-request.ts';
import { orderRecord } from './orders/order-view.ts';

export type { PersonQuery };

/** The result of erasing a person from an order. */
export interface ErasedOrder {
  order_id: string;
  delivery_ids: string[];
  /** `under_way` if nothing was erased because the order is not finished. */
  outcome: 'erased' | 'under_way';
}

/** Statuses of orders that nothing more happens to. */
const finished = ['unfulfilled', 'failed', 'canceled'];

/**
 * Erases a person from every finished order that the query finds, an order in each transaction. By phone number the
 * person is at the ends with that number, by delivery at its dropoff.
 */
export async function eraseOrders(
  storage: Storage,
  query: PersonQuery,
  newToken: () => Promise<string>,
): Promise<ErasedOrder[]> {
  const results: ErasedOrder[] = [];
  for (const order_id of await storage.read((db) => findOrdersOfPerson(db, query))) {
    const result = await storage.transaction(async (db): Promise<ErasedOrder | null> => {
      const kept = await readKeptOfOrder(db, order_id);
      if (kept === null) return null;
      const delivery_ids = kept.deliveries.map(({ id }) => id);
      if (!isFinished(kept)) return { order_id, delivery_ids, outcome: 'under_way' };
      const ends = endsOf(kept, query);
      const rest = await withNewTokens(eraseKept(kept, ends), newToken);
      await writeKeptOfOrder(db, rest);
      await deleteNotesAndPictures(db, kept, { pictures: ends.includes('dropoff') });
      await eraseQuotedAddresses(db, kept.order, ends);
      const { id, external_order_ref } = rest.order;
      const text = searchTextOf({ ...orderRecord(rest.order), id, external_order_ref });
      await updateSearchDocument(db, { order_id, text });
      return { order_id, delivery_ids, outcome: 'erased' };
    });
    if (result !== null) results.push(result);
  }
  return results;
}

/** Quotes of version 1 contain the addresses that they are for, in lower case. */
async function eraseQuotedAddresses(db: Connection, order: OrderRow, ends: PersonalEnd[]): Promise<void> {
  const { account_id } = order;
  for (const end of ends) {
    const text = orderRecord(order)[end].address.toLowerCase();
    const erasure: Erasure = { ids: new Set(), ends, texts: [text] };
    for (const { id, record } of await findQuotesWithText(db, { account_id, text })) {
      const rest = JSON.stringify(erasePerson(JSON.parse(record), erasure, true));
      await writeQuoteRecord(db, { id, record: rest });
    }
  }
}

/** Ends the tracking links, which show the address. */
async function withNewTokens(kept: KeptOfOrder, newToken: () => Promise<string>): Promise<KeptOfOrder> {
  const tokens = await Promise.all(kept.deliveries.map(newToken));
  const deliveries = kept.deliveries.map((row, index) => ({
    ...row,
    tracking_token: tokens[index] ?? row.tracking_token,
  }));
  return { ...kept, deliveries };
}

/** What is kept of a person, as it is stored, by order. */
export async function exportOrders(storage: Storage, query: PersonQuery): Promise<unknown[]> {
  const orders: unknown[] = [];
  for (const order_id of await storage.read((db) => findOrdersOfPerson(db, query))) {
    const kept = await storage.read((db) => readKeptOfOrder(db, order_id));
    if (kept === null) continue;
    orders.push({
      order: { ...kept.order, record: JSON.parse(kept.order.record) },
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

function isFinished({ order, deliveries }: KeptOfOrder): boolean {
  if (deliveries.some(({ ended_at }) => ended_at === null)) return false;
  return deliveries.length > 0 || finished.includes(order.status);
}

function endsOf({ order, deliveries }: KeptOfOrder, query: PersonQuery): PersonalEnd[] {
  if ('delivery_id' in query) return ['dropoff'];
  const ends: readonly PersonalEnd[] = ['pickup', 'dropoff'];
  const records: readonly Pick<OrderRecord, PersonalEnd>[] = [
    orderRecord(order),
    ...deliveries.map(deliveryRecord),
  ];
  return ends.filter((end) => records.some((record) => record[end].phone === query.phone));
}

function eraseKept(kept: KeptOfOrder, ends: PersonalEnd[]): KeptOfOrder {
  const { order, deliveries } = kept;
  const records: readonly (OrderRecord | DeliveryRecord)[] = [
    orderRecord(order),
    ...deliveries.map(deliveryRecord),
  ];
  const texts = records.flatMap((record) =>
    ends.flatMap((end) => [
      ...[record[end].name, record[end].address, record[end].notes],
      ...[record[end].phone, record[end].email ?? '', record[end].unit],
    ]),
  );
  const ids = new Set([order.id, ...deliveries.map(({ id }) => id)]);
  // Longer texts first: an address may contain a name.
  const erasure: Erasure = { ids, ends, texts: texts.sort((one, other) => other.length - one.length) };
  const own = (json: string) => JSON.stringify(erasePerson(JSON.parse(json), erasure, true));
  const shared = (json: string) => JSON.stringify(erasePerson(JSON.parse(json), erasure, false));
  const isAt = (end: PersonalEnd) => ends.includes(end);
  return {
    order: { ...order, record: own(order.record) },
    deliveries: deliveries.map((row) => ({
      ...row,
      record: own(row.record),
      pickup_phone: isAt('pickup') ? '' : row.pickup_phone,
      dropoff_phone: isAt('dropoff') ? '' : row.dropoff_phone,
    })),
    routes: kept.routes.map((row) => ({ ...row, stops: shared(row.stops) })),
    events: kept.events.map((row) => ({ ...row, data: shared(row.data) })),
    reports: kept.reports.map((row) => ({ ...row, record: own(row.record) })),
    disputes: kept.disputes.map((row) => ({ ...row, reason: erased, note: row.note === '' ? '' : erased })),
    notes: [],
    responses: kept.responses.map((row) => ({ ...row, body: row.body === null ? null : shared(row.body) })),
    failed_tasks: kept.failed_tasks.map((row) => ({ ...row, payload: own(row.payload) })),
  };
}
