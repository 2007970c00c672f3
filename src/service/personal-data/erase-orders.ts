/**
 * Erases people from orders, by query (`eraseOrders`) or by age (`expire-orders.ts`). The rows of an order are read together
 * (`KeptOfOrder`) and written without the person (`erased-rows.ts`). Other rows only name the person in their text: stored
 * responses, and quotes from before the order. `people-in-orders.ts` decides which ends of an order are the person.
 */
import type { ErasedPeople } from '../../domain/erasure.ts';
import { createSearchText, deliveryWordsInSearch, wordsInSearch } from '../../domain/search-text.ts';
import type { Connection, DeliveryRow } from '../../storage/database.ts';
import { loadOrders } from '../../storage/orders.ts';
import {
  deleteBesidesOrder,
  eraseAuditAddresses,
  eraseFromAnswers,
  findAddressQuotes,
  findOrdersOfPerson,
  findResponses,
  type KeptOfOrder,
  readKeptOfOrder,
  writeKeptOfOrder,
  writeQuotes,
  writeResponses,
} from '../../storage/personal-data.ts';
import { deletePlacesOfAddresses } from '../../storage/places.ts';
import { loadQuotes } from '../../storage/quotes.ts';
import { driverNumbers, updateSearchDocument } from '../../storage/search.ts';
import type { Storage } from '../../storage/storage.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { RecordChange } from '../http/audit.ts';
import { orderRecord } from '../orders/order.ts';
import { searchedOf } from '../orders/search.ts';
import { keptAddress } from '../places/find-places.ts';
import type { Secrets } from '../runtime/random.ts';
import { eraseKept, eraseQuote, eraseResponse, eraseText, erasureOf } from './erased-rows.ts';
import { endsOf, isFinished, type PersonQuery } from './people-in-orders.ts';

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
      const ends = endsOf(kept, query);
      if (ends.length === 0) return null;
      const delivery_ids = kept.deliveries.map(({ id }) => id);
      if (!(await isFinished(db, kept))) return { order_id, delivery_ids, outcome: 'under_way' };
      const people = { ends, drivers: false };
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
  const others = await loadOrders(db, otherOrderIds(kept));
  const rest = await eraseKept(kept, people, { others, newToken });
  await writeKeptOfOrder(db, kept, rest);
  await deleteBesidesOrder(db, kept, { pictures: ends.includes('dropoff') });
  const erasure = erasureOf(kept, people);
  await eraseFromAnswers(db, kept, (text) => eraseText(text, erasure));
  const record_ids = [kept.order.id, ...kept.deliveries.map((row) => row.id)];
  const actors = people.drivers ? (['recipient', 'driver'] as const) : (['recipient'] as const);
  if (ends.includes('dropoff')) await eraseAuditAddresses(db, { record_ids, actors });
  const addresses = ends.map((end) => orderRecord(kept.order)[end].address);
  await deletePlacesOfAddresses(db, addresses.map(keptAddress));
  const quote_ids = kept.deliveries.map((row) => deliveryRecord(row).quote_id);
  const quotes = await loadQuotes(db, quote_ids);
  const erased_quotes = quotes.map((quote) => eraseQuote(quote, people, addresses));
  await writeQuotes(db, erased_quotes);
  const { id } = rest.order;
  const drivers = people.drivers ? [] : await driverNumbers(db, id);
  const words = [...rest.deliveries.flatMap(wordsOfDelivery), ...drivers];
  const text = createSearchText(searchedOf(rest.order), words);
  await updateSearchDocument(db, { order_id: id, text });
}

/** The words of a delivery in the search, with its phone numbers, which may differ from those of its order. */
export function wordsOfDelivery({ pickup_phone, dropoff_phone, ...row }: DeliveryRow): string[] {
  const numbers = [pickup_phone, dropoff_phone].map((phone) => wordsInSearch(phone, 'phone'));
  return [deliveryWordsInSearch(deliveryRecord(row)), ...numbers];
}

/**
 * Erases the person from rows that no column connects with the order, and that are found by their text: stored
 * responses, and quotes that were requested for an address before there was an order. Both are soon deleted by age.
 */
async function eraseUnowned(db: Connection, kept: KeptOfOrder, people: ErasedPeople): Promise<void> {
  const erasure = erasureOf(kept, people);
  const responses = await findResponses(db, kept);
  const others = await loadOrders(db, otherOrderIds(kept));
  const erased_responses = responses.map((response) => eraseResponse(response, erasure, others));
  await writeResponses(db, erased_responses);
  const { account_id } = kept.order;
  for (const end of people.ends) {
    const { address } = orderRecord(kept.order)[end];
    const quotes = await findAddressQuotes(db, { account_id, text: address.toLowerCase() });
    const erased_quotes = quotes.map((quote) => eraseQuote(quote, people, [address]));
    await writeQuotes(db, erased_quotes);
  }
}

function otherOrderIds({ order, routes }: KeptOfOrder): string[] {
  const ids = routes.flatMap(({ order_ids }): string[] => JSON.parse(order_ids));
  return [...new Set(ids)].filter((id) => id !== order.id);
}
