/** Reads lists page by page: `pages` and `records` follow the cursors of a list, and fail if they go in circles. */
import type { Page } from '../contract/schema.ts';
import type { Answer } from './answers.ts';
import { brokenResponse } from './error-responses.ts';
import type { ApiError } from './errors.ts';

/** A list call of the client: `client.orders.list`. */
export type ListCall<T, Q> = (input: { query: Q }) => Promise<Answer<Page<T>>>;

/** The most consecutive pages without a record, which a service may send if it filters after reading a page. */
const max_empty_pages = 100;
/** Maximum pages of a list, with up to 100 records each. */
const max_pages = 1_000;

/** Yields the pages of a list from the given query on; only one is held in memory. */
export async function* pages<T, Q extends { cursor?: string | undefined }>(
  list: ListCall<T, Q>,
  query: Q,
): AsyncGenerator<Answer<Page<T>>> {
  const nextCursor = createCursorReader(query.cursor);
  let next = query;
  for (let count = 0; count < max_pages; count += 1) {
    const answer = await list({ query: next });
    yield answer;
    const cursor = nextCursor(answer);
    if (cursor === null) return;
    next = { ...query, cursor };
  }
  throw endlessList(`the list has no end within ${max_pages} pages`);
}

/** Yields the records of a list from the given query on; only one page is held in memory. */
export async function* records<T, Q extends { cursor?: string | undefined }>(
  list: ListCall<T, Q>,
  query: Q,
): AsyncGenerator<T> {
  for await (const { data } of pages(list, query)) yield* data.data;
}

/** All records of a list from the given query on. */
export async function allRecords<T, Q extends { cursor?: string | undefined }>(
  list: ListCall<T, Q>,
  query: Q,
): Promise<T[]> {
  const all: T[] = [];
  for await (const { data } of pages(list, query)) all.push(...data.data);
  return all;
}

/** Returns a function that reads the next cursor of each page; null at the end. Throws `ApiError` if they repeat. */
export function createCursorReader(
  first: string | undefined,
): (answer: Pick<Answer<Page<unknown>>, 'data'>) => string | null {
  const seen_cursors = new Set([first]);
  let empty_pages = 0;
  return ({ data: { data, has_more, next_cursor } }) => {
    if (!has_more) return null;
    if (next_cursor === null) throw endlessList('has_more is true, but next_cursor is null');
    if (seen_cursors.has(next_cursor)) throw endlessList(`next_cursor repeats (${next_cursor.slice(0, 60)})`);
    seen_cursors.add(next_cursor);
    empty_pages = data.length === 0 ? empty_pages + 1 : 0;
    if (empty_pages > max_empty_pages)
      throw endlessList(`the list has more than ${max_empty_pages} pages without records`);
    return next_cursor;
  };
}

function endlessList(what: string): ApiError {
  return brokenResponse(`is not valid: ${what}`, 200);
}

/**
 * A position in a list of a service that ignores limits: a page, and how many of its records come before the position. As
 * a cursor it is `PAGE#7`: the cursor of the page and the number.
 */
export interface ListPosition {
  /** The service's own cursor, or undefined for the first page. */
  page: string | undefined;
  skip: number;
}

/** Reads a cursor of `cursorOf`, or a cursor of the service. */
export function listPosition(cursor: unknown): ListPosition {
  const [, page = '', skip = '0'] = /^(.*?)(?:#(\d{1,9}))?$/s.exec(String(cursor ?? '')) ?? [];
  return { page: page === '' ? undefined : page, skip: Number(skip) };
}

export function cursorOf({ page = '', skip }: ListPosition): string {
  return skip === 0 ? page : `${page}#${skip}`;
}
