import type { Answer } from '../../../client/answers.ts';
import type { Page } from '../../../contract/schema.ts';
import type { Invocation } from '../../kit/result/message.ts';
import { isIncomplete } from '../../session/listing.ts';

/** The kinds of problems, worst first. */
export const problemKinds = [
  'waiting',
  'off_duty',
  'locked',
  'failed',
  'canceled',
  'unfulfilled',
  'unsent',
  'returned',
  'stuck',
  'late',
  'disputed',
  'webhook',
  'provider',
] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** A record that needs attention. */
export interface Problem {
  kind: ProblemKind;
  /** The ID of the delivery, order or webhook endpoint, or the name of the provider. */
  id: string;
  external_order_ref: string | null;
  /** Follows the ID: `failed: the courier had an accident`. */
  what: string;
  /** An ISO time; null if the service does not say it. */
  since: string | null;
  /** The times of a late delivery, or of an order that is due, for people; null if they are not known. */
  timesText?(clock: (iso: string) => string): string | null;
  /** The IANA zone in which people read its time; null: their own. */
  zone: string | null;
  next: Invocation & { when: string };
}

/** The problems of one check. */
export interface Found {
  problems: Problem[];
  /** True if the service has more records than were read. */
  isCut: boolean;
}

/** The maximum number of records that a check reads. */
const max_read = 1000;

/** Reads records up to the limit. */
export async function firstRecords<T>(
  list: AsyncIterable<Answer<Page<T>>>,
): Promise<{ records: T[]; isCut: boolean }> {
  const records: T[] = [];
  for await (const answer of list) {
    records.push(...answer.data.data);
    if (records.length > max_read || isIncomplete(answer))
      return { records: records.slice(0, max_read), isCut: true };
  }
  return { records, isCut: false };
}

/** The limits of the checks, as ISO times. */
export interface Times {
  /** Deliveries that ended before this time are left out. */
  ended_after: string;
  /** Deliveries and orders that were created before this time are not read. */
  created_after: string;
  /** Active deliveries that have not changed since then are stuck. */
  unchanged_since: string;
}
