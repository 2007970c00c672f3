import type { Order } from '../../contract/orders.ts';
import type { Page as PageOf } from '../../contract/schema.ts';
import { matchedFields, type SearchWord } from '../../domain/search-text.ts';
import type { OrderRow } from '../../storage/database.ts';
import { listOrders, type OrderQuery } from '../../storage/orders.ts';
import type { Page } from '../../storage/paging.ts';
import type { Storage } from '../../storage/storage.ts';
import { pageOf } from '../http/paging.ts';
import { orderView } from './order-view.ts';
import { readSearch, searchedOf } from './search.ts';

const none: Page<OrderRow> = { rows: [], has_more: false };

/** One page of the orders that a search text finds, each with the fields that it matched. */
export async function pageOfFoundOrders(
  storage: Storage,
  query: OrderQuery,
  text: string,
): Promise<PageOf<Order>> {
  const search = readSearch(text);
  const list = (more: Partial<OrderQuery>) => storage.read((db) => listOrders(db, { ...query, ...more }));
  const found = async (more: Partial<OrderQuery>, matched: (row: OrderRow) => string) =>
    pageOf(await list(more), (row) => ({ ...orderView(row), matched: matched(row) }));
  if (search.kind === 'token') return pageOf(none, orderView);
  if (search.kind === 'id') {
    const { noun, id } = search;
    const matched = () => `${noun} ID`;
    if (noun === 'order') return found({ id_start: id }, matched);
    return found({ [`${noun}_id`]: id }, matched);
  }
  const { words, id_part } = search;
  if (words.length === 0) return pageOf(none, orderView);
  const byWords = await found({ words }, (row) => matchedWords(row, words));
  if (byWords.data.length > 0 || id_part === null) return byWords;
  return found({ id_start: `ord_${id_part}` }, () => 'beginning of the order ID');
}

function matchedWords(row: OrderRow, words: readonly SearchWord[]): string {
  return matchedFields(searchedOf(row), words);
}
