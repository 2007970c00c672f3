/**
 * Reads a list of the API page by page: what is shown of it, what is left, and how many there are in all (`ListReader`).
 * Also decides which lists cannot be read to their end (`isCutShort`), and how that is said.
 */
import type { Answer } from '../../client/answers.ts';
import { createCursorReader, type ListCall, pages } from '../../client/pages.ts';
import type { Page } from '../../contract/schema.ts';
import { Failure } from '../kit/errors/failure.ts';
import type { NextStep } from '../kit/result/message.ts';

const max_page_size = 100;
/** A longer list is not counted. */
const max_counted_pages = 5;
/** The most records that are filtered together or sorted at once. */
export const max_sorted = 10_000;

/** The part of a query that every list with pages has. */
export interface PagedQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

/** What a list is read from, and how its records are selected here. */
interface ListSource<T, Q> {
  list: ListCall<T, Q>;
  /** The filters of the service. */
  query: Q;
  /** Where the reading begins; undefined: with the first record. */
  cursor: string | undefined;
  /** The filters that the service does not have; null without any. */
  keep: ((record: T) => boolean) | null;
  /** Filters and sorts all records together; null for a list that is shown as its pages arrive. */
  arrange: ((records: readonly T[]) => T[]) | null;
}

/** Reads a list page by page, keeps what meets all filters, and sorts it if an order is given. */
export class ListReader<T, Q extends PagedQuery> {
  /** The cursor of the next page; null before the first of all, and after the last. */
  next: string | null;
  /** How many records were read. */
  count = 0;
  /** What was kept and is not shown, as no cursor is inside of a page. */
  unshown: readonly T[] = [];
  /** Whether a record was shown. */
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
    let left = limit;
    do {
      const kept =
        arrange === null
          ? await this.#readPage(Math.min(max_page_size, left))
          : arrange(await this.#readAll());
      this.isFound ||= kept.length > 0;
      yield* kept.slice(0, left);
      this.unshown = kept.slice(left);
      left -= kept.length;
    } while (this.next !== null && left > 0);
  }

  /** What remains of a list of which some records are shown; null if that cannot be counted. */
  async readRest(): Promise<{ rest: readonly T[]; isWhole: boolean } | null> {
    const { list, query } = this.#source;
    const rest = [...this.unshown];
    let left = max_counted_pages;
    const following = this.next && { ...query, limit: max_page_size, cursor: this.next };
    for await (const answer of following ? pages(list, following) : []) {
      const { data, has_more } = answer.data;
      rest.push(...this.#kept(data));
      if (isCutShort(answer)) return null;
      if (--left === 0 && has_more) return { rest, isWhole: false };
    }
    return { rest, isWhole: true };
  }

  /** All records from the cursor on, up to a maximum, as one page. */
  async #readAll(): Promise<T[]> {
    const found: T[] = [];
    const end = this.count + max_sorted;
    do found.push(...(await this.#readPage(max_page_size)));
    while (this.next !== null && this.count < end);
    this.isPartSorted ||= this.next !== null;
    return found;
  }

  async #readPage(size: number): Promise<readonly T[]> {
    const { list, query, keep } = this.#source;
    // Of a whole page few may be kept: a small one would need many requests.
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
  return new Failure(
    6,
    'search_incomplete',
    `${what} ${count === 1 ? 'in the latest record' : `among the latest ${count}`}; this service may have more.`,
    {
      hint: 'Older records could not be searched. Use an ID.',
      next,
    },
  );
}
