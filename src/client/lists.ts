import type { Operation } from '../contract/operation.ts';
import type { Answer } from './answers.ts';
import type { Notation } from './contract-notation.ts';
import { positionOf } from './list-positions.ts';
import type { FetchedPage, Query, ReadList } from './other-lists.ts';
import type { CallInput } from './requests.ts';

interface ListReader {
  fetchPage(operation: Operation, input: CallInput, query: Query): Promise<FetchedPage>;
  notation: Notation;
  wallNow(): number;
  baseUrl: string | undefined;
  /** Receives which filters were applied here. */
  onRead(list: ReadList): void;
}

/**
 * Reads lists. A service that reports its time implements the whole contract: it has filtered by its own clock and
 * search. Others may ignore filters, limits and cursors. A page that was read in part is kept for the next call, which
 * may continue in it.
 */
export function createListReader({ fetchPage, onRead, ...tools }: ListReader) {
  let kept: { key: string; page: FetchedPage } | null = null;
  return async (operation: Operation, input: CallInput): Promise<Answer<unknown>> => {
    const { query = {} } = input;
    const start = positionOf(query.cursor);
    const keyOf = (page: string | undefined) =>
      JSON.stringify([operation.id, { ...query, limit: null, cursor: page }]);
    const fetch = (asked: Query) => fetchPage(operation, input, asked);
    const rest = start.skip > 0 && kept?.key === keyOf(start.page) ? kept.page : null;
    const first = rest ?? (await fetch({ ...query, cursor: start.page }));
    if (first.answer.service_time !== null) return first.answer;
    const { readOtherList } = await import('./other-lists.ts');
    const read = await readOtherList({ query, start, first, fetch, ...tools });
    kept = read.rest === null ? null : { key: keyOf(read.rest.at), page: read.rest.page };
    onRead(read);
    return read.answer;
  };
}
