import type { Answer } from '../../client/answers.ts';
import type { Page } from '../../contract/schema.ts';
import { Failure } from '../kit/errors/failure.ts';
import type { NextStep } from '../kit/result/invocation.ts';

/** The note on a list that may end before its last record, after this many. */
export function incompleteText(count: number): string {
  return `The list may be incomplete: the service gives no way to read more than these ${count} records.`;
}

/** True if a list may have more records and cannot be continued. */
export function isIncomplete({ data, may_have_more = false }: Answer<Page<unknown>>): boolean {
  return may_have_more || (data.has_more && data.next_cursor === null);
}

/** How many records an incomplete search covered; null if it covered all. */
export function searchedPart(answer: Answer<Page<unknown>>): number | null {
  const { data, searched } = answer;
  const isPart = isIncomplete(answer) || (searched !== undefined && data.has_more);
  return isPart ? (searched ?? data.data.length) : null;
}

/** Exit 6: nothing was found, but the service may have older records that could not be searched. */
export function searchIncomplete(what: string, count: number, next: readonly NextStep[]): Failure {
  return new Failure(
    6,
    'search_incomplete',
    `${what} among the latest ${count}; this service may have more.`,
    {
      hint: 'Older records could not be searched. Use an ID.',
      next,
    },
  );
}
