/**
 * Which deliveries a search text or the name of a driver finds, and which fields matched. A text is a tracking link, an ID,
 * or words; words that find nothing may be a part of an ID, or else of a tracking link.
 */
import {
  hasEmail,
  isEmailSearch,
  matchedFields,
  readSearch,
  readSearchWords,
  type SearchWord,
  searchedOfDelivery,
  wordsInSearch,
} from '../../domain/search-text.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { listDeliveries } from '../../storage/deliveries.ts';
import type { DeliveryQuery } from '../../storage/delivery-queries.ts';
import { type Page, pageOfKept } from '../../storage/paging.ts';
import type { Storage } from '../../storage/storage.ts';
import { deliveryRecord } from './delivery-view.ts';

export interface FoundPage {
  page: Page<DeliveryRow>;
  /** The fields of a delivery that the search matched; empty without a search. `notes` are its internal notes. */
  matched(row: DeliveryRow, notes: readonly string[]): string;
}

const none: FoundPage = { page: { rows: [], has_more: false }, matched: () => '' };

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
  const { words, id_part, token_part } = search;
  if (words.length === 0) return none;
  if (isEmailSearch(text)) {
    const keep = (row: DeliveryRow) => hasEmail(deliveryRecord(row), text);
    return { page: await keptByWords(storage, query, { words, keep }), matched: () => 'e-mail' };
  }
  const byWords = await found({ words }, (row, notes) => matchedWords(row, words, notes));
  if (byWords.page.rows.length > 0) return byWords;
  const byId = id_part && (await found({ id_part }, ({ id }) => partOf('delivery ID', id.endsWith(id_part))));
  if (byId && byId.page.rows.length > 0) return byId;
  if (token_part === null) return byId || byWords;
  return found({ token_part }, ({ tracking_token }) =>
    partOf('tracking link', tracking_token.endsWith(token_part)),
  );
}

function partOf(name: string, isEnd: boolean): string {
  return `${isEnd ? 'end' : 'beginning'} of the ${name}`;
}

/**
 * One page of the deliveries whose driver has these words in the name: the record says who drives. The index of words also
 * finds those whose order once had such a driver, and a note or a recipient of that name.
 */
export async function deliveriesByDriverName(
  storage: Storage,
  query: DeliveryQuery,
  { driver, q = '' }: { driver: string; q: string | undefined },
): Promise<FoundPage> {
  const named = readSearchWords(driver);
  if (named.length === 0) return none;
  const search = q === '' ? undefined : readSearch(q);
  const words = [...named, ...(search?.kind === 'words' ? search.words : [])];
  const page = await keptByWords(storage, query, { words, keep: (row) => isDrivenBy(row, named) });
  return { page, matched: (row, notes) => matchedWords(row, words, notes) };
}

/** One page of the deliveries that words find and whose record is kept: the index of words finds too many. */
function keptByWords(
  storage: Storage,
  query: DeliveryQuery,
  { words, keep }: { words: readonly SearchWord[]; keep: (row: DeliveryRow) => boolean },
): Promise<Page<DeliveryRow>> {
  const list = (after_id: string | undefined) =>
    storage.read((db) => listDeliveries(db, { ...query, words, after_id }));
  return pageOfKept(list, query, keep);
}

function isDrivenBy(row: DeliveryRow, named: readonly SearchWord[]): boolean {
  const name = ` ${wordsInSearch(deliveryRecord(row).driver?.name ?? '')}`;
  return named.every(({ patterns }) => patterns.some((pattern) => name.includes(pattern)));
}

/** The words may be those of an earlier driver, of an old note, or of an order that was edited since. */
function matchedWords(row: DeliveryRow, words: readonly SearchWord[], notes: readonly string[]): string {
  const { order_id: id, external_order_ref } = row;
  const record = deliveryRecord(row);
  const searched = { ...record, ...searchedOfDelivery(record), notes, id, external_order_ref };
  return matchedFields(searched, words) || 'its history';
}
