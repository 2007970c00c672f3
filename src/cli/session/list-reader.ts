/** Reads a list of the API page by page: the records to show, the remaining ones, and their number. */
import type { Answer } from '../../client/answers.ts';
import { createCursorReader, type ListCall, pages } from '../../client/pages.ts';
import type { Page } from '../../contract/schema.ts';
import { Failure } from '../kit/errors/failure.ts';
import type { NextStep } from '../kit/result/message.ts';

const max_page_size = 100;
/** The most pages that are read to count a list. */
const max_counted_pages = 5;
/** The most records that are filtered together or sorted at once. */
export const max_sorted = 10_000;

/** The part of a query that every list with pages has. */
export interface PagedQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** Where a list is read from, and how its records are selected here. */
interface ListSource<T, Q> {
  list: ListCall<T, Q>;
  /** The filters of the service. */
  query: Q;
  /** Where the reading begins; undefined for the first record. */
  cursor: string | undefined;
  /** The filters that the service does not have; null without any. */
  keep: ((record: T) => boolean) | null;
  /** Filters and sorts all records together; null for a list that is shown as its pages arrive. */
  arrange: ((records: readonly T[]) => T[]) | null;
}

/** Reads a list page by page, keeps what meets all filters, and sorts it if an order is given. */
export class ListReader<T, Q extends PagedQuery> {
  /** The cursor of the next page; null before the first page of the list, and after the last one. */
  next: string | null;
  /** How many records were read. */
  count = 0;
  /** The records of the last page that were kept but not shown: a cursor cannot be inside a page. */
  unshown: readonly T[] = [];
  /** Whether a record was kept. */
  isFound = false;
  /** Whether the service has no cursor for records that may follow. */
  isCut = false;
  /** Whether there are more records than are sorted at once. */
  isPartSorted = false;
  readonly #source: ListSource<T, Q>;
  readonly #nextCursor: ReturnType<typeof createCursorReader>;

  constructor(source: ListSource<T, Q>) {
    this.#source = source;
    this.next = source.cursor ?? null;
    this.#nextCursor = createCursorReader(source.cursor);
  }

  /** The records up to the limit, as their pages arrive. */
  async *records(limit: number): AsyncGenerator<T> {
    const { arrange } = this.#source;
    let remaining = limit;
    do {
      const kept =
        arrange === null
          ? await this.#readPage(Math.min(max_page_size, remaining))
          : arrange(await this.#readAll());
      this.isFound ||= kept.length > 0;
      yield* kept.slice(0, remaining);
      this.unshown = kept.slice(remaining);
      remaining -= kept.length;
    } while (this.next !== null && remaining > 0);
  }

  /** What remains of a list of which some records are shown; null if that cannot be counted. */
  async readRest(): Promise<{ rest: readonly T[]; isWhole: boolean } | null> {
    const { list, query } = this.#source;
    const rest = [...this.unshown];
    let page_count = 0;
    const nextQuery = this.next && { ...query, limit: max_page_size, cursor: this.next };
    for await (const answer of nextQuery ? pages(list, nextQuery) : []) {
      const { data, has_more } = answer.data;
      rest.push(...this.#kept(data));
      page_count += 1;
      if (isCutShort(answer)) return null;
      if (page_count === max_counted_pages && has_more) return { rest, isWhole: false };
    }
    return { rest, isWhole: true };
  }

  /** All records from the cursor on, up to a maximum, as one page. */
  async #readAll(): Promise<T[]> {
    const all: T[] = [];
    const max_count = this.count + max_sorted;
    do all.push(...(await this.#readPage(max_page_size)));
    while (this.next !== null && this.count < max_count);
    this.isPartSorted ||= this.next !== null;
    return all;
  }

  async #readPage(size: number): Promise<readonly T[]> {
    const { list, query, keep } = this.#source;
    // A filter may keep few records of a page: small pages would need many requests.
    const limit = keep === null ? size : max_page_size;
    const answer = await list({ query: { ...query, limit, cursor: this.next ?? undefined } });
    const { data } = answer.data;
    this.isCut = isCutShort(answer);
    this.next = this.isCut ? null : this.#nextCursor(answer);
    this.count += answer.searched ?? data.length;
    return this.#kept(data);
  }

  #kept(records: readonly T[]): readonly T[] {
    const { keep } = this.#source;
    return keep === null ? records : records.filter(keep);
  }
}

/** True if a list may have more records and cannot be continued. */
export function isCutShort({ data, may_have_more = false }: Answer<Page<unknown>>): boolean {
  return may_have_more || (data.has_more && data.next_cursor === null);
}

/** The note on a list that may end before its last record, after this many. */
export function incompleteText(count: number): string {
  return `The list may be incomplete: the service gives no way to read more than these ${count} records.`;
}

/** How many records an incomplete search covered; null if it covered all. */
export function searchedPart(answer: Answer<Page<unknown>>): number | null {
  const { data, searched } = answer;
  const isPart = isCutShort(answer) || (searched !== undefined && data.has_more);
  return isPart ? (searched ?? data.data.length) : null;
}

/** Exit 6: nothing was found, but the service may have older records that could not be searched. */
export function searchIncomplete(what: string, count: number, next: readonly NextStep[]): Failure {
  const part = count === 1 ? 'in the latest record' : `among the latest ${count}`;
  return new Failure(6, 'search_incomplete', `${what} ${part}; this service may have more.`, {
    hint: 'Older records could not be searched. Use an ID.',
    next,
  });
}
