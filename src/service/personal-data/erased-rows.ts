/**
 * Pure functions from the rows of an order to rows without the people of one or both of its ends. A stop that several orders
 * share is erased once all of them are.
 */
import {
  type ErasedPeople,
  type Erasure,
  erased,
  erasePerson,
  isErasedAt,
  type PersonalEnd,
} from '../../domain/erasure.ts';
import type { OrderRow } from '../../storage/database.ts';
import type { KeptOfOrder, StoredQuote, StoredResponse } from '../../storage/personal-data.ts';
import { orderRecord } from '../orders/order.ts';
import { recordsOf } from './people-in-orders.ts';

/** The texts to erase from the rows of an order. */
export function erasureOf(kept: KeptOfOrder, people: ErasedPeople): Erasure {
  const texts = recordsOf(kept).flatMap((record) =>
    people.ends.flatMap((end) => [
      ...[record[end].name, record[end].address, record[end].notes],
      // Couriers may write the street without the city.
      ...[record[end].address.replace(/,.*/s, ''), record[end].phone, record[end].email ?? ''],
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
export async function eraseKept(
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

export function eraseResponse(
  response: StoredResponse,
  erasure: Erasure,
  others: readonly OrderRow[],
): StoredResponse {
  return { ...response, body: erasedStops(response.body, erasure, others) };
}

/** Quotes of version 1 contain the addresses that they are for, in lower case. */
export function eraseQuote(
  quote: StoredQuote,
  people: ErasedPeople,
  addresses: readonly string[],
): StoredQuote {
  const texts = addresses.map((address) => address.toLowerCase());
  const erasure: Erasure = { ...people, ids: new Set(), texts };
  return { ...quote, record: erasedJson(quote.record, erasure, true) };
}

/** Erases the people of an order from a text. */
export function eraseText(text: string, erasure: Erasure): string {
  return String(erasePerson(text, erasure, true));
}

/** JSON without the people. Records of other orders in it stay, unless it is `isOwn` as a whole. */
export function erasedJson(json: string, erasure: Erasure, isOwn: boolean): string {
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
