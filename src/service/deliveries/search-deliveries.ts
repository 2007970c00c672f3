import { matchedFields, type SearchWord } from '../../domain/search-text.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { listDeliveries } from '../../storage/deliveries.ts';
import type { DeliveryQuery } from '../../storage/delivery-queries.ts';
import type { Page } from '../../storage/paging.ts';
import type { Storage } from '../../storage/storage.ts';
import { readSearch } from '../orders/search.ts';
import { deliveryRecord } from './delivery-view.ts';

/** A page of deliveries. */
export interface FoundPage {
  page: Page<DeliveryRow>;
  /** The fields of a delivery that the search matched; empty without a search. */
  matched(row: DeliveryRow): string;
}

const none: FoundPage = { page: { rows: [], has_more: false }, matched: () => '' };

/** One page of the deliveries that a search text finds. */
export async function searchDeliveries(
  storage: Storage,
  query: DeliveryQuery,
  text: string,
): Promise<FoundPage> {
  const search = readSearch(text);
  const found = async (more: Partial<DeliveryQuery>, matched: FoundPage['matched']): Promise<FoundPage> => ({
    page: await storage.read((db) => listDeliveries(db, { ...query, ...more })),
    matched,
  });
  if (search.kind === 'token')
    return found({ found_by: { column: 'tracking_token', value: search.token } }, () => 'tracking link');
  if (search.kind === 'id') {
    const { noun, id } = search;
    if (noun === 'batch') return none;
    if (noun === 'delivery') return found({ id_part: id.slice('dlv_'.length) }, () => 'delivery ID');
    return found({ found_by: { column: `${noun}_id`, value: id } }, () => `${noun} ID`);
  }
  const { words, id_part } = search;
  if (words.length === 0) return none;
  const byWords = await found({ words }, (row) => matchedWords(row, words));
  if (byWords.page.rows.length > 0 || id_part === null) return byWords;
  return found({ id_part }, ({ id }) =>
    id.endsWith(id_part) ? 'end of the delivery ID' : 'beginning of the delivery ID',
  );
}

/** An earlier delivery of an order that was edited since may lack the words. */
function matchedWords(row: DeliveryRow, words: readonly SearchWord[]): string {
  const { order_id: id, external_order_ref } = row;
  return matchedFields({ ...deliveryRecord(row), id, external_order_ref }, words) || 'order';
}
