import type { Page } from '../contract/schema.ts';
import type { Answer } from './answers.ts';
import type { Filters } from './filters.ts';
import { createCursorReader } from './pages.ts';

/** The maximum number of pages read to filter a list here. */
const max_pages = 20;
const page_limit = 100;

type Query = Record<string, unknown>;

/** A page of matching records, and how many records were searched. */
export interface Narrowed {
  answer: Answer<Page<unknown>>;
  /** Null if the service filtered them. */
  searched: number | null;
}

/**
 * Filters the records of a list. If the service ignores a filter, further pages are read, up to a limit, and filtered
 * here; the cursor of the response continues after them.
 */
export async function narrowList(
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
