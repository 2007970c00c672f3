import type { Operation } from '../contract/operation.ts';
import type { Page } from '../contract/schema.ts';
import type { WireResponse } from '../contract/wire.ts';
import type { Answer } from './answers.ts';
import type { Notation } from './contract-notation.ts';
import { parsed } from './features.ts';
import { type Filters, filtersOf } from './filters.ts';
import { isFields } from './lenient.ts';
import { type Paging, pagingOf } from './list-paging.ts';
import { cursorOf, type ListPosition } from './list-positions.ts';
import { createCursorReader } from './pages.ts';

/** The maximum number of pages read to filter a list here. */
const max_pages = 20;
const page_limit = 100;

export type Query = Record<string, unknown>;

/** A page of a list, as the service sent it. */
export interface FetchedPage {
  /** The form of the operation that the page answers. */
  operation: Operation;
  answer: Answer<unknown>;
  response: WireResponse;
}

interface OtherList {
  query: Query;
  /** Where to start, and the page that was fetched for it. */
  start: ListPosition;
  first: FetchedPage;
  /** Fetches a page; the cursor of the query is that of a page. */
  fetch(query: Query): Promise<FetchedPage>;
  wallNow(): number;
  notation: Notation;
  baseUrl: string | undefined;
}

/** The records read from a list, which may be incomplete. */
export interface ReadList {
  answer: Answer<Page<unknown>>;
  /** The filters that were applied here; empty if the service filtered. */
  filtered: readonly string[];
  /** The page that was read in part, and its cursor; null if whole pages were read. */
  rest: { page: FetchedPage; at: string | undefined } | null;
}

/** A page with its position in the list. */
interface ListedPage extends FetchedPage {
  answer: Answer<Page<unknown>>;
  paging: Paging;
}

/**
 * Reads a list of a service that may ignore the filters and the limit, and page it in its own way. If it ignores a
 * filter, further pages are read, up to a maximum, and filtered here. The cursor of the response continues after them.
 */
export async function readOtherList(list: OtherList): Promise<ReadList> {
  const { start } = list;
  const filters = filtersOf(list.first.operation.id, list.query, list.wallNow());
  let { page, query } = await firstPage(list, filters);
  const ignored = filters === null || recordsOf(page).every(filters.matches) ? null : filters;
  const wanted = typeof query.limit === 'number' ? query.limit : ignored === null ? Infinity : page_limit;
  const nextCursor = createCursorReader(start.page);
  const found: unknown[] = [];
  let searched = 0;
  let { page: at, skip } = start;
  const upTo = (cursor: string | null, rest: ReadList['rest'] = null): ReadList => {
    const more = { has_more: cursor !== null || page.paging.has_more === true, next_cursor: cursor };
    const data: Page<unknown> = { ...page.answer.data, object: 'list', data: found, ...more };
    const covered = {
      ...(cursor === null && isCut(page, query) ? { may_have_more: true } : {}),
      ...(ignored === null ? {} : { searched }),
    };
    return { answer: { ...page.answer, data, ...covered }, filtered: ignored?.names ?? [], rest };
  };
  for (let count = 1; ; count += 1) {
    const records = recordsOf(page);
    for (const [index, record] of records.entries()) {
      if (index < skip) continue;
      const isMatch = ignored === null || ignored.matches(record);
      if (isMatch && found.length >= wanted) return upTo(cursorOf({ page: at, skip: index }), { page, at });
      if (isMatch) found.push(record);
      searched += 1;
    }
    const cursor = page.paging.next === null ? null : nextCursor(page.answer);
    const isSkipped = skip <= records.length;
    const isEnough = isSkipped && (ignored === null || found.length >= wanted);
    if (cursor === null || isEnough || count === max_pages) return upTo(cursor);
    skip = isSkipped ? 0 : skip - records.length;
    at = cursor;
    query = { ...query, limit: page_limit, cursor };
    page = listedPage(list, await list.fetch(query));
  }
}

const emptyPage: Page<unknown> = { object: 'list', data: [], has_more: false, next_cursor: null };

function listedPage({ baseUrl }: OtherList, { operation, answer, response }: FetchedPage): ListedPage {
  const page = isPage(answer) ? answer : { ...answer, data: emptyPage };
  const { path } = operation;
  const body = parsed(response.body);
  const paging = pagingOf({ response, body, count: page.data.data.length, path, baseUrl });
  const more = { has_more: paging.next !== null, next_cursor: paging.next };
  return { answer: { ...page, data: { ...page.data, ...more } }, operation, response, paging };
}

function isPage(answer: Answer<unknown>): answer is Answer<Page<unknown>> {
  return isFields(answer.data) && Array.isArray(answer.data.data);
}

function recordsOf({ answer }: ListedPage): readonly unknown[] {
  return answer.data.data;
}

/**
 * The page to start with, and the query that it answers. A service that spells statuses in its own way does not find
 * those of a filter. A small page without a next one is asked for again as a large one, if it is filtered here.
 */
async function firstPage(
  list: OtherList,
  filters: Filters | null,
): Promise<{ page: ListedPage; query: Query }> {
  const { query, start, fetch, notation } = list;
  const first = listedPage(list, list.first);
  if (filters === null) return { page: first, query };
  const { status, ...others } = query;
  const isEmpty = recordsOf(first).length === 0;
  if (status !== undefined && isEmpty) {
    const all = await fetch({ ...others, cursor: start.page }).catch(() => null);
    const page = all && listedPage(list, all);
    const isUnknown = notation.hasOtherStatuses || page?.answer.data.data.some(filters.matches) === true;
    if (page !== null && isUnknown) return { page, query: others };
  }
  const isSmall = recordsOf(first).length === query.limit && query.limit < page_limit;
  if (!isSmall || first.paging.has_more !== null || recordsOf(first).every(filters.matches))
    return { page: first, query };
  const large = { ...query, limit: page_limit };
  return { page: listedPage(list, await fetch({ ...large, cursor: start.page })), query };
}

/** True if the service does not say whether it has more records, and the page looks like a full one. */
function isCut({ answer, paging }: ListedPage, { limit }: Query): boolean {
  const count = answer.data.data.length;
  return paging.has_more === null && count > 0 && (count === limit || isRound(count));
}

/** True for the sizes that pages have: 10, 20, 25, 50, 100. */
function isRound(count: number): boolean {
  return count % 10 === 0 || count % 25 === 0;
}
