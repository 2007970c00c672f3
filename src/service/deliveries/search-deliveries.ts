import type { Delivery } from '../../contract/deliveries.ts';
import type { Page as PageOf } from '../../contract/schema.ts';
import { matchedFields, type SearchWord } from '../../domain/search-text.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { listDeliveries } from '../../storage/deliveries.ts';
import type { DeliveryQuery } from '../../storage/delivery-filters.ts';
import type { Page } from '../../storage/paging.ts';
import type { Storage } from '../../storage/storage.ts';
import { pageOf } from '../http/paging.ts';
import { readSearch } from '../orders/search.ts';
import { deliveryRecord, deliveryView, type Viewpoint } from './delivery-view.ts';

const none: Page<DeliveryRow> = { rows: [], has_more: false };

/** One page of the deliveries that a search text finds, each with the fields that it matched. */
export async function pageOfFoundDeliveries(
  { storage, viewpoint }: { storage: Storage; viewpoint: Viewpoint },
  query: DeliveryQuery,
  text: string,
): Promise<PageOf<Delivery>> {
  const search = readSearch(text);
  const found = async (more: Partial<DeliveryQuery>, matched: (row: DeliveryRow) => string) => {
    const page = await storage.read((db) => listDeliveries(db, { ...query, ...more }));
    return pageOf(page, (row) => ({ ...deliveryView(row, viewpoint), matched: matched(row) }));
  };
  if (search.kind === 'token')
    return found({ found_by: { column: 'tracking_token', value: search.token } }, () => 'tracking link');
  if (search.kind === 'id') {
    const { noun, id } = search;
    if (noun === 'batch') return pageOf(none, (row) => deliveryView(row, viewpoint));
    if (noun === 'delivery') return found({ id_part: id.slice('dlv_'.length) }, () => 'delivery ID');
    return found({ found_by: { column: `${noun}_id`, value: id } }, () => `${noun} ID`);
  }
  const { words, id_part } = search;
  if (words.length === 0) return pageOf(none, (row) => deliveryView(row, viewpoint));
  const byWords = await found({ words }, (row) => matchedWords(row, words));
  if (byWords.data.length > 0 || id_part === null) return byWords;
  return found({ id_part }, ({ id }) =>
    id.endsWith(id_part) ? 'end of the delivery ID' : 'beginning of the delivery ID',
  );
}

/** An earlier delivery of an order that was edited since may lack the words. */
function matchedWords(row: DeliveryRow, words: readonly SearchWord[]): string {
  const { order_id: id, external_order_ref } = row;
  return matchedFields({ ...deliveryRecord(row), id, external_order_ref }, words) || 'order';
}
