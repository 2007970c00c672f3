/** Converts the queries of lists (limit, cursor, periods) for the storage, and their rows to a page of the API. */
import type { Page } from '../../contract/schema.ts';
import { minute_ms } from '../../domain/durations.ts';
import type { Prefix } from '../runtime/ids.ts';
import { parseInstant } from '../runtime/time.ts';
import { invalidField } from './answers.ts';

/** The rows of one page, and whether more follow. */
interface Rows<R> {
  rows: R[];
  has_more: boolean;
}

interface PageQuery {
  limit?: number;
  cursor?: string;
  created_after?: string;
  created_before?: string;
}

/** The storage query of a page. Throws `invalid_request` for an invalid cursor. */
export function pageRequest(query: PageQuery, prefix: Prefix) {
  return {
    limit: query.limit ?? 20,
    after_id: cursorId(query.cursor, prefix),
    created_after: parseInstant(query.created_after),
    created_before: parseInstant(query.created_before),
  };
}

/** A period that began at most so long ago counts as one to come: it began while its request was sent. */
const sending_ms = minute_ms;

/** The periods of a list of deliveries or orders; undefined without a bound. */
export function readListPeriods(
  query: {
    status?: unknown;
    due_after?: string;
    due_before?: string;
    delivered_after?: string;
    delivered_before?: string;
    ended_after?: string;
    ended_before?: string;
    charged_after?: string;
    charged_before?: string;
  },
  now: number,
) {
  const period = (after: string | undefined, before: string | undefined) =>
    after === undefined && before === undefined
      ? undefined
      : { after: parseInstant(after), before: parseInstant(before) };
  const due = period(query.due_after, query.due_before);
  return {
    due: due && { ...due, is_open: query.status === undefined && (due.after ?? 0) >= now - sending_ms },
    delivered: period(query.delivered_after, query.delivered_before),
    ended: period(query.ended_after, query.ended_before),
    charged: period(query.charged_after, query.charged_before),
  };
}

/** A page as returned by the API; the cursor is the last row's id in an opaque form. */
export function toPage<R extends { id: string }, T>(
  { rows, has_more }: Rows<R>,
  view: (row: R) => T,
): Page<T> {
  const last = rows.at(-1);
  const next_cursor = has_more && last !== undefined ? btoa(last.id).replaceAll('=', '') : null;
  return { object: 'list', data: rows.map(view), has_more, next_cursor };
}

function cursorId(cursor: string | undefined, prefix: Prefix): string | undefined {
  if (cursor === undefined) return undefined;
  const id = decoded(cursor);
  if (id.startsWith(`${prefix}_`) && /^[a-z]+_[0-9A-Z]{26}$/.test(id)) return id;
  const message = 'Invalid cursor: use the next_cursor of a page of this list.';
  throw invalidField('cursor', 'is not a next_cursor of this list', message);
}

function decoded(cursor: string): string {
  try {
    return atob(cursor);
  } catch {
    return '';
  }
}
