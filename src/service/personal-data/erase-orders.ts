import type { ErasedPeople, PersonalEnd } from '../../domain/erasure.ts';
import { searchTextOf } from '../../domain/search-text.ts';
import { pendingOf } from '../../storage/batch-orders.ts';
import type { Connection } from '../../storage/database.ts';
import { deleteBesidesOrder, writeKeptOfOrder, writeQuotes, writeResponses } from '../../storage/erasure.ts';
import {
  findAddressQuotes,
  findOrdersOfPerson,
  findResponses,
  findStoredQuotes,
  type KeptOfOrder,
  ordersById,
  type PersonQuery,
  readKeptOfOrder,
} from '../../storage/personal-data.ts';
import { updateSearchDocument } from '../../storage/search-documents.ts';
import type { Storage } from '../../storage/storage.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { orderRecord } from '../orders/order-view.ts';
import type { RecordChange } from '../runtime/audit-trail.ts';
import type { Secrets } from '../runtime/secrets.ts';
import { eraseKept, eraseQuote, eraseResponse, erasureOf, recordsOf } from './erase-kept.ts';

export type { PersonQuery };

/** The result of erasing a person from an order. */
export interface ErasedOrder {
  order_id: string;
  delivery_ids: string[];
  /** `under_way` if nothing was erased because the order is not finished. */
  outcome: 'erased' | 'under_way';
}

/** Makes a new token for a tracking link, so that the link that people have stops working. */
type NewToken = () => Promise<string>;

export function tokensFrom(secrets: Secrets): NewToken {
  return () => secrets.base62(32);
}

/**
 * Erases a person from every finished order that the query finds, one order per transaction. A query by phone number
 * erases the ends with that number, a query by delivery its dropoff. Drivers stay. Each erased order is recorded.
 */
export async function eraseOrders(
  storage: Storage,
  query: PersonQuery,
  { newToken, record }: { newToken: NewToken; record: RecordChange },
): Promise<ErasedOrder[]> {
  const results: ErasedOrder[] = [];
  for (const order_id of await storage.read((db) => findOrdersOfPerson(db, query))) {
    const result = await storage.transaction(async (db): Promise<ErasedOrder | null> => {
      const kept = await readKeptOfOrder(db, order_id);
      if (kept === null) return null;
      const delivery_ids = kept.deliveries.map(({ id }) => id);
      if (!(await isFinished(db, kept))) return { order_id, delivery_ids, outcome: 'under_way' };
      const people = { ends: endsOf(kept, query), drivers: false };
      await eraseOrder(db, kept, people, newToken);
      await eraseUnowned(db, kept, people);
      await record(db, { scope: kept.order, record_id: order_id });
      return { order_id, delivery_ids, outcome: 'erased' };
    });
    if (result !== null) results.push(result);
  }
  return results;
}

/** Erases people from an order and everything that belongs to it. */
export async function eraseOrder(
  db: Connection,
  kept: KeptOfOrder,
  people: ErasedPeople,
  newToken: NewToken,
): Promise<void> {
  const { ends } = people;
  const others = await ordersById(db, otherOrderIds(kept));
  const rest = await eraseKept(kept, people, { others, newToken });
  await writeKeptOfOrder(db, kept, rest);
  await deleteBesidesOrder(db, kept, { pictures: ends.includes('dropoff') });
  const addresses = ends.map((end) => orderRecord(kept.order)[end].address);
  const quote_ids = kept.deliveries.map((row) => deliveryRecord(row).quote_id);
  const quotes = await findStoredQuotes(db, quote_ids);
  await writeQuotes(
    db,
    quotes.map((quote) => eraseQuote(quote, people, addresses)),
  );
  const { id, external_order_ref } = rest.order;
  const text = searchTextOf({ ...orderRecord(rest.order), id, external_order_ref });
  await updateSearchDocument(db, { order_id: id, text });
}

/**
 * Erases the person from rows that no column connects with the order, and that are found by their text: stored
 * responses, and quotes that were requested for an address before there was an order. Both are soon deleted by age.
 */
async function eraseUnowned(db: Connection, kept: KeptOfOrder, people: ErasedPeople): Promise<void> {
  const erasure = erasureOf(kept, people);
  const responses = await findResponses(db, kept);
  const others = await ordersById(db, otherOrderIds(kept));
  await writeResponses(
    db,
    responses.map((response) => eraseResponse(response, erasure, others)),
  );
  const { account_id } = kept.order;
  for (const end of people.ends) {
    const { address } = orderRecord(kept.order)[end];
    const quotes = await findAddressQuotes(db, { account_id, text: address.toLowerCase() });
    await writeQuotes(
      db,
      quotes.map((quote) => eraseQuote(quote, people, [address])),
    );
  }
}

/** Final statuses of orders. A dispatched order ends with its deliveries instead. */
const finished = ['unfulfilled', 'failed', 'canceled'];

/** Whether nothing more happens to an order by itself. Auto dispatch may try a failed one again. */
export async function isFinished(db: Connection, { order, deliveries }: KeptOfOrder): Promise<boolean> {
  if (deliveries.some(({ ended_at }) => ended_at === null)) return false;
  const isOver = order.status === 'dispatched' ? deliveries.length > 0 : finished.includes(order.status);
  return isOver && (await pendingOf(db, [order.id])).length === 0;
}

function otherOrderIds({ order, routes }: KeptOfOrder): string[] {
  const ids = routes.flatMap(({ order_ids }): string[] => JSON.parse(order_ids));
  return [...new Set(ids)].filter((id) => id !== order.id);
}

function endsOf(kept: KeptOfOrder, query: PersonQuery): PersonalEnd[] {
  if ('delivery_id' in query) return ['dropoff'];
  const ends: readonly PersonalEnd[] = ['pickup', 'dropoff'];
  return ends.filter((end) => recordsOf(kept).some((record) => record[end].phone === query.phone));
}
