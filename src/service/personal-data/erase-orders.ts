/**
 * The people in orders: who is found by a query, their export, and their erasure (by age: `expire-orders.ts`). A person
 * stands in the rows that belong to an order, which are read together (`KeptOfOrder`) and written without the person, and
 * in rows that only name the person in their text: stored responses, and quotes from before the order.
 */
import {
  type ErasedPeople,
  type Erasure,
  erased,
  erasePerson,
  isErasedAt,
  type PersonalEnd,
} from '../../domain/erasure.ts';
import { isSameName } from '../../domain/references.ts';
import { createSearchText, deliveryWordsInSearch } from '../../domain/search-text.ts';
import { findPendingOrders } from '../../storage/batches.ts';
import type { Connection, OrderRow } from '../../storage/database.ts';
import { loadOrders } from '../../storage/orders.ts';
import {
  auditOfPerson,
  deleteBesidesOrder,
  eraseAuditAddresses,
  findAddressQuotes,
  findOrdersOfPerson,
  findResponses,
  type KeptOfOrder,
  readKeptOfOrder,
  type StoredQuote,
  type StoredResponse,
  writeKeptOfOrder,
  writeQuotes,
  writeResponses,
} from '../../storage/personal-data.ts';
import { deletePlacesOfAddresses, placesOfAddresses } from '../../storage/places.ts';
import { loadQuotes } from '../../storage/quotes.ts';
import { updateSearchDocument } from '../../storage/search.ts';
import type { Storage } from '../../storage/storage.ts';
import { type DeliveryRecord, deliveryRecord } from '../deliveries/delivery-view.ts';
import type { RecordChange } from '../http/audit.ts';
import { type OrderRecord, orderRecord } from '../orders/order.ts';
import { keptAddress } from '../places/find-places.ts';
import type { Secrets } from '../runtime/random.ts';

/**
 * Selects the orders of a person: by a phone number of an end, in digits, and the name beside it if several people share
 * the number, or by one of their deliveries. The name is compared after the orders are read: the storage does not know it.
 */
export type PersonQuery = { phone: string; name?: string } | { delivery_id: string };

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
        const found = isShown ? [] : await peopleIn(db, id, { phone });
        others.push(...found.map((each) => ({ ...each, outcome: 'stays' as const })));
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
  const record_ids = [kept.order.id, ...kept.deliveries.map((row) => row.id)];
  const actors = people.drivers ? (['recipient', 'driver'] as const) : (['recipient'] as const);
  if (ends.includes('dropoff')) await eraseAuditAddresses(db, { record_ids, actors });
  const addresses = ends.map((end) => orderRecord(kept.order)[end].address);
  await deletePlacesOfAddresses(db, addresses.map(keptAddress));
  const quote_ids = kept.deliveries.map((row) => deliveryRecord(row).quote_id);
  const quotes = await loadQuotes(db, quote_ids);
  const erased_quotes = quotes.map((quote) => eraseQuote(quote, people, addresses));
  await writeQuotes(db, erased_quotes);
  const { id, external_order_ref } = rest.order;
  const drivers = rest.deliveries.map((row) => deliveryWordsInSearch(deliveryRecord(row)));
  const text = createSearchText({ ...orderRecord(rest.order), id, external_order_ref }, drivers);
  await updateSearchDocument(db, { order_id: id, text });
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

/** Final statuses of orders. A dispatched order ends with its deliveries instead. */
const finished = ['unfulfilled', 'failed', 'canceled'];

/** Whether nothing more happens to an order by itself. Auto dispatch may try a failed one again. */
export async function isFinished(db: Connection, { order, deliveries }: KeptOfOrder): Promise<boolean> {
  if (deliveries.some(({ ended_at }) => ended_at === null)) return false;
  const isOver = order.status === 'dispatched' ? deliveries.length > 0 : finished.includes(order.status);
  return isOver && (await findPendingOrders(db, [order.id])).length === 0;
}

function otherOrderIds({ order, routes }: KeptOfOrder): string[] {
  const ids = routes.flatMap(({ order_ids }): string[] => JSON.parse(order_ids));
  return [...new Set(ids)].filter((id) => id !== order.id);
}

function endsOf(kept: KeptOfOrder, query: PersonQuery): PersonalEnd[] {
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
function recordsOf({ order, deliveries }: KeptOfOrder): (OrderRecord | DeliveryRecord)[] {
  return [orderRecord(order), ...deliveries.map(deliveryRecord)];
}

/** The texts to erase from the rows of an order. */
function erasureOf(kept: KeptOfOrder, people: ErasedPeople): Erasure {
  const texts = recordsOf(kept).flatMap((record) =>
    people.ends.flatMap((end) => [
      ...[record[end].name, record[end].address, record[end].notes],
      ...[record[end].phone, record[end].email ?? ''],
    ]),
  );
  const ids = new Set([kept.order.id, ...kept.deliveries.map(({ id }) => id)]);
  // Longer texts first: an address may contain a name.
  return { ...people, ids, texts: texts.sort((one, other) => other.length - one.length) };
}

/**
 * Returns the rows of an order without the people. `others` are the other orders of its routes: a stop that they share
 * is erased once all of them are. The tracking links get new tokens, as their pages show the address.
 */
async function eraseKept(
  kept: KeptOfOrder,
  people: ErasedPeople,
  { others, newToken }: { others: readonly OrderRow[]; newToken: () => Promise<string> },
): Promise<KeptOfOrder> {
  const erasure = erasureOf(kept, people);
  const tokens = await Promise.all(kept.deliveries.map(newToken));
  const own = (json: string) => erasedJson(json, erasure, true);
  const shared = (json: string) => erasedJson(json, erasure, false);
  const isAt = (end: PersonalEnd) => people.ends.includes(end);
  return {
    order: { ...kept.order, record: own(kept.order.record) },
    deliveries: kept.deliveries.map((row, index) => ({
      ...row,
      record: own(row.record),
      pickup_phone: isAt('pickup') ? '' : row.pickup_phone,
      dropoff_phone: isAt('dropoff') ? '' : row.dropoff_phone,
      tracking_token: tokens[index] ?? row.tracking_token,
    })),
    routes: kept.routes.map((row) => ({ ...row, stops: erasedStops(row.stops, erasure, others) })),
    plans: kept.plans.map((row) => ({ ...row, plan: withoutOrder(row.plan, kept.order.id) })),
    events: kept.events.map((row) => ({ ...row, data: shared(row.data) })),
    reports: kept.reports.map((row) => ({ ...row, record: own(row.record) })),
    disputes: kept.disputes.map((row) => ({ ...row, reason: erased, note: row.note === '' ? '' : erased })),
    notes: [],
    failed_tasks: kept.failed_tasks.map((row) => ({ ...row, payload: own(row.payload) })),
  };
}

function eraseResponse(
  response: StoredResponse,
  erasure: Erasure,
  others: readonly OrderRow[],
): StoredResponse {
  return { ...response, body: erasedStops(response.body, erasure, others) };
}

/** Quotes of version 1 contain the addresses that they are for, in lower case. */
function eraseQuote(quote: StoredQuote, people: ErasedPeople, addresses: readonly string[]): StoredQuote {
  const texts = addresses.map((address) => address.toLowerCase());
  const erasure: Erasure = { ...people, ids: new Set(), texts };
  return { ...quote, record: erasedJson(quote.record, erasure, true) };
}

function erasedJson(json: string, erasure: Erasure, isOwn: boolean): string {
  return JSON.stringify(erasePerson(JSON.parse(json), erasure, isOwn));
}

/** Erases a record that includes stops: a stop is erased if all its orders are. */
function erasedStops(json: string, erasure: Erasure, others: readonly OrderRow[]): string {
  return erasure.ends.reduce((rest, end) => {
    const gone = others.filter((order) => isErasedAt(orderRecord(order), end));
    const ids = new Set([...erasure.ids, ...gone.map(({ id }) => id)]);
    return erasedJson(rest, { ...erasure, ids, ends: [end] }, false);
  }, json);
}

/** A driver's plan without the stops of an ended order, which stay in it until the next route. */
function withoutOrder(plan: string, order_id: string): string {
  const stops: readonly { order_ids: readonly string[] }[] = JSON.parse(plan);
  const remaining = stops.flatMap((stop) => {
    const order_ids = stop.order_ids.filter((id) => id !== order_id);
    return order_ids.length === 0 ? [] : [{ ...stop, order_ids }];
  });
  return JSON.stringify(remaining);
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
