import type { Page } from '../contract/schema.ts';
import type { Answer } from './answers.ts';
import type { Filters } from './filters.ts';
import { createCursorReader } from './pages.ts';

/** As many pages are read to find what a service does not filter. */
const max_pages = 20;
const page_limit = 100;

type Query = Record<string, unknown>;

/** A page of the records that a query asks for, and how many were looked through for them. */
export interface Narrowed {
  answer: Answer<Page<unknown>>;
  /** Null where the service filtered them. */
  searched: number | null;
}

/**
 * The records of a list that match its filters. A service that ignores a filter answers with others: then further pages
 * are read, up to a bound, and filtered here. The cursor of the answer goes on behind them.
 */
export async function narrowed(
  first: Answer<Page<unknown>>,
  query: Query,
  { matches }: Filters,
  list: (query: Query) => Promise<Answer<Page<unknown>>>,
): Promise<Narrowed> {
  if (first.data.data.every(matches)) return { answer: first, searched: null };
  const nextCursor = createCursorReader(typeof query.cursor === 'string' ? query.cursor : undefined);
  const wanted = typeof query.limit === 'number' ? query.limit : page_limit;
  const found: unknown[] = [];
  let searched = 0;
  let page = first;
  for (let count = 1; ; count += 1) {
    const { data } = page.data;
    searched += data.length;
    found.push(...data.filter(matches));
    const cursor = nextCursor(page);
    if (cursor === null || found.length >= wanted || count === max_pages) {
      const more = { has_more: cursor !== null, next_cursor: cursor };
      return { answer: { ...page, data: { object: 'list', data: found, ...more } }, searched };
    }
    page = await list({ ...query, limit: page_limit, cursor });
  }
}
