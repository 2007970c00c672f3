/** Builds the texts by which a search finds an order, and searches orders by them. */
import type { Order } from '../../contract/orders.ts';
import type { Page as PageOf } from '../../contract/schema.ts';
import {
  createSearchText,
  hasEmail,
  isEmailSearch,
  matchedFields,
  readSearch,
  type Searched,
  type SearchWord,
  searchedOfDelivery,
} from '../../domain/search-text.ts';
import type { Connection, OrderRow } from '../../storage/database.ts';
import { deliveriesOfOrders } from '../../storage/deliveries.ts';
import { insertOrders, listOrders, type OrderQuery } from '../../storage/orders.ts';
import { type Page, pageOfKept } from '../../storage/paging.ts';
import { insertSearchDocuments } from '../../storage/search.ts';
import type { Storage } from '../../storage/storage.ts';
import { toPage } from '../http/paging.ts';
import { orderRecord, orderView } from './order.ts';

/** Inserts new orders with the texts by which they are searched. */
export async function insertSearchableOrders(db: Connection, orders: readonly OrderRow[]): Promise<void> {
  await insertOrders(db, orders);
  const documents = orders.map((order) => {
    const { id: order_id, account_id, test_mode } = order;
    return { order_id, account_id, test_mode, text: createSearchText(searchedOf(order)) };
  });
  await insertSearchDocuments(db, documents);
}

export function searchedOf(order: OrderRow): Searched {
  const { id, external_order_ref } = order;
  return { ...orderRecord(order), id, external_order_ref };
}

const none: Page<OrderRow> = { rows: [], has_more: false };

/** One page of the orders that a search text finds, each with the fields that it matched. */
export async function pageOfFoundOrders(
  storage: Storage,
  query: OrderQuery,
  text: string,
): Promise<PageOf<Order>> {
  const search = readSearch(text);
  const list = (more: Partial<OrderQuery>) => storage.read((db) => listOrders(db, { ...query, ...more }));
  const listMatched = async (more: Partial<OrderQuery>, matched: (row: OrderRow) => string) =>
    toPage(await list(more), (row) => ({ ...orderView(row), matched: matched(row) }));
  // A tracking link belongs to a delivery: `deliveries list` finds it.
  if (search.kind === 'token') return toPage(none, orderView);
  if (search.kind === 'id') {
    const { noun, id } = search;
    const matched = () => `${noun} ID`;
    if (noun === 'order') return listMatched({ id_start: id }, matched);
    return listMatched({ [`${noun}_id`]: id }, matched);
  }
  const { words, id_part } = search;
  if (words.length === 0) return toPage(none, orderView);
  if (isEmailSearch(text)) {
    const page = await pageOfKept(
      (after_id) => storage.read((db) => listOrders(db, { ...query, words, after_id })),
      query,
      (row) => hasEmail(orderRecord(row), text),
    );
    return toPage(page, (row) => ({ ...orderView(row), matched: 'e-mail' }));
  }
  const page = await list({ words });
  const matched = await matchedByWords(storage, page.rows, words);
  const byWords = toPage(page, (row) => ({
    ...orderView(row),
    matched: matched.get(row.id) || 'its history',
  }));
  if (byWords.data.length > 0 || id_part === null) return byWords;
  return listMatched({ id_start: `ord_${id_part}` }, () => 'beginning of the order ID');
}

/** The fields of each order that matched. If a word is in no field of the order, a delivery with more matches counts instead. */
async function matchedByWords(
  storage: Storage,
  rows: readonly OrderRow[],
  words: readonly SearchWord[],
): Promise<ReadonlyMap<string, string>> {
  const isOwn = (row: OrderRow) => words.every((word) => matchedFields(searchedOf(row), [word]) !== '');
  const lacking = rows.filter((row) => !isOwn(row)).map(({ id }) => id);
  const tries = lacking.length === 0 ? [] : await storage.read((db) => deliveriesOfOrders(db, lacking));
  const deliveries = Map.groupBy(tries, ({ order_id }) => order_id);
  return new Map(
    rows.map((row) => {
      const own = searchedOf(row);
      const ofTries = (deliveries.get(row.id) ?? []).map(({ record }) => ({
        ...own,
        ...searchedOfDelivery(JSON.parse(record)),
      }));
      const found = [own, ...ofTries].map((each) => matchedFields(each, words));
      return [row.id, found.reduce((best, each) => (each.length > best.length ? each : best))];
    }),
  );
}
