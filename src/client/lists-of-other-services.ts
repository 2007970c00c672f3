/**
 * Reads lists of services other than waybill's, which may ignore filters, limits and cursors. If the first page of
 * `status=failed` has other statuses, up to 20 pages of 100 are read and filtered here. The cursor of the answer says at
 * which record of which page the list goes on: `PAGE#7`.
 */
import type { Operation } from '../contract/operation.ts';
import type { Page } from '../contract/schema.ts';
import { activeStatuses, deliveryStatuses, isStatusNamed, statusGroups } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { isLate, lateBy, overdueBy } from '../domain/lateness.ts';
import { normalizeReference } from '../domain/references.ts';
import { foldedWords, phoneDigits, readSearchWords } from '../domain/search-text.ts';
import type { Answer } from './answers.ts';
import { Unsupported } from './errors.ts';
import { createCursorReader, cursorOf, type ListPosition } from './pages.ts';
import { deliveryWithin } from './platform-records.ts';

/** The maximum number of pages that are read to filter a list in the client. */
const max_pages = 20;
const page_limit = 100;

export type Query = Record<string, unknown>;

/** A page of a list, as the service sent it. */
export interface FetchedPage {
  /** The form of the operation that the page answers. */
  operation: Operation;
  answer: Answer<unknown>;
}

interface ListOfOtherService {
  query: Query;
  /** Where to start, and the page that was fetched for it. */
  start: ListPosition;
  first: FetchedPage;
  /** Fetches a page; the cursor of the query is that of a page. */
  fetch(query: Query): Promise<FetchedPage>;
  wallNow(): number;
}

/** An answer with the records read from a list, which may be incomplete. */
export interface ReadList {
  answer: Answer<Page<unknown>>;
  /** The filters that were applied here; empty if the service filtered. */
  filtered: readonly string[];
}

/** A page with its position in the list. */
interface ListedPage {
  fetched: FetchedPage;
  data: Page<unknown>;
  /** The cursor of the next page; null without one. */
  next: string | null;
  /** Null if the service does not say. */
  has_more: boolean | null;
}

/**
 * Reads a list of a service that may ignore the filters and the limit. If it ignores a filter, further pages are read,
 * up to a maximum, and filtered here. The cursor of the answer continues after them.
 */
export async function readListOfOtherService(list: ListOfOtherService): Promise<ReadList> {
  const filters = filtersOf(list.first.operation.id, list.query, list.wallNow());
  let { page, query } = await firstPage(list, filters);
  const mode = modeOf(filters, page);
  const collector = createCollector(list, filters, mode);
  const nextCursor = createCursorReader(list.start.page);
  let position = list.start;
  /** The records collected so far; `next` is the cursor at which the list goes on. */
  const listUpTo = (next: string | null): ReadList => {
    const more = { has_more: next !== null || page.has_more === true, next_cursor: next };
    const data: Page<unknown> = { ...page.data, data: collector.records, ...more };
    const coverage = {
      ...(next === null && isCut(page, query) ? { may_have_more: true } : {}),
      ...(mode !== 'filter_here' && collector.isEnough() ? {} : { searched: collector.searched() }),
    };
    const answer = { ...page.fetched.answer, data, ...coverage };
    return { answer, filtered: mode === 'filter_here' ? (filters?.names ?? []) : [] };
  };
  for (let count = 1; ; count += 1) {
    const full_at = collector.add(page.data.data, position.skip);
    if (full_at !== null) return listUpTo(cursorOf({ ...position, skip: full_at }));
    const next = page.next === null ? null : nextCursor({ data: { ...page.data, has_more: true } });
    if (next === null) return listUpTo(null);
    // The page may be smaller than the one for which the cursor was made.
    position = { page: next, skip: Math.max(0, position.skip - page.data.data.length) };
    if (collector.isEnough() || count === max_pages) return listUpTo(cursorOf(position));
    query = { ...query, limit: page_limit, cursor: next };
    page = listedPage(await list.fetch(query));
  }
}

/**
 * How a list is read: `as_is` without a filter; `trust` if all records of the first page match the filters, as the
 * service seems to apply them; else `filter_here`.
 */
type Mode = 'as_is' | 'trust' | 'filter_here';

function modeOf(filters: Filters | null, { data: { data } }: ListedPage): Mode {
  if (filters === null) return 'as_is';
  return data.every(filters.matches) ? 'trust' : 'filter_here';
}

/** Collects the records of pages that match the filters, up to the limit of the query. */
function createCollector({ query }: ListOfOtherService, filters: Filters | null, mode: Mode) {
  const records: unknown[] = [];
  let searched = 0;
  // Without a limit a page of the service is taken whole, and a page that is filtered here has the usual size.
  const default_limit = mode === 'filter_here' ? page_limit : Infinity;
  const limit = typeof query.limit === 'number' ? query.limit : default_limit;
  return {
    records,
    /** Adds the records of a page from an index on; returns the index of the first one beyond the limit, or null. */
    add: (page: readonly unknown[], skip: number): number | null => {
      for (const [index, record] of page.entries()) {
        if (index < skip) continue;
        const isMatch = filters === null || filters.matches(record);
        if (isMatch && records.length >= limit) return index;
        if (isMatch) records.push(record);
        searched += 1;
      }
      return null;
    },
    isEnough: (): boolean => {
      if (mode === 'as_is') return true;
      // A service may filter after reading a page, so that a page without records is not the last one.
      return mode === 'trust' ? records.length > 0 : records.length >= limit;
    },
    /** How many records were looked at. */
    searched: () => searched,
  };
}

function listedPage(fetched: FetchedPage): ListedPage {
  const { data } = fetched.answer;
  const page: Partial<Page<unknown>> = isPage(data) ? data : {};
  const next = page.has_more === false ? null : page.next_cursor || null;
  const records = { data: page.data ?? [], has_more: next !== null, next_cursor: next };
  const has_more = next === null ? (page.has_more ?? null) : true;
  return { fetched, data: { ...page, object: 'list', ...records }, next, has_more };
}

/** A page of another service may lack `has_more`. */
function isPage(data: unknown): data is Partial<Page<unknown>> {
  return isFields(data) && Array.isArray(data.data);
}

/** The filters of a list call that can be applied to records. */
interface Filters {
  /** True if a record matches all filters. */
  matches(record: unknown): boolean;
  names: readonly string[];
}

/**
 * The page to start with, and the query that it answers. It is read again in two cases:
 *
 * - Without the filter of statuses, if nothing is found with it: the service may spell statuses in its own way, or not know
 *   their groups.
 * - With the largest limit, if a small page is filtered here and the service does not say how the list goes on.
 */
async function firstPage(
  { query, start, first: fetched, fetch }: ListOfOtherService,
  filters: Filters | null,
): Promise<{ page: ListedPage; query: Query }> {
  const page = listedPage(fetched);
  if (filters === null) return { page, query };
  const { status, ...others } = query;
  // A service does not know that statuses of its own are active.
  const isActive = activeStatuses.every((name) => String(status).split(',').includes(name));
  if (status !== undefined && (isActive || page.data.data.length === 0)) {
    const all = await fetch({ ...others, cursor: start.page }).then(listedPage, () => null);
    if (all !== null && (all.has_more === true || all.data.data.some(filters.matches)))
      return { page: all, query: others };
  }
  const isSmall = page.data.data.length === query.limit && query.limit < page_limit;
  if (!isSmall || page.has_more !== null || page.data.data.every(filters.matches)) return { page, query };
  const large = { ...query, limit: page_limit };
  return { page: listedPage(await fetch({ ...large, cursor: start.page })), query };
}

/** True if the service does not say whether it has more records, and the page looks like a full one. */
function isCut({ data: { data }, has_more }: ListedPage, { limit }: Query): boolean {
  return has_more === null && looksFull(data.length, limit);
}

/** Whether a page has as many records as was asked for, or one of the sizes that pages have: 10, 20, 25, 50, 100. */
export function looksFull(count: number, limit: unknown): boolean {
  return count > 0 && (count === limit || count % 10 === 0 || count % 25 === 0);
}

/** True if a record matches the value of a filter. */
type Test = (record: Fields, value: string, now: number) => boolean;

/** True if the field is one of the values that commas separate. */
const isOneOf =
  (name: string): Test =>
  (record, value) =>
    value.split(',').includes(String(record[name] ?? ''));

const msOf = (time: unknown) => Date.parse(String(time));

/** True unless the time of a field is before the value; also for a missing time. */
const notBefore =
  (name: string): Test =>
  (record, value) =>
    !(msOf(record[name]) < msOf(value));

/** True unless the time of a field is after the value; also for a missing time. */
const notAfter =
  (name: string): Test =>
  (record, value) =>
    !(msOf(record[name]) > msOf(value));

type TimeOf = (record: Fields) => unknown;

/** True if a time is before the value; false for a missing time. */
const isBefore =
  (time: TimeOf): Test =>
  (record, value) =>
    msOf(time(record)) < msOf(value);

/** True if a time is after the value; false for a missing time. */
const isAfter =
  (time: TimeOf): Test =>
  (record, value) =>
    msOf(time(record)) > msOf(value);

/** The filters that deliveries and orders have in common. */
const common: Readonly<Record<string, Test>> = {
  external_order_ref: ({ external_order_ref: ref }, value) =>
    normalizeReference(String(ref ?? '')) === normalizeReference(value),
  q: hasWords,
  created_after: notBefore('created_at'),
  created_before: notAfter('created_at'),
};

/** The promised time. A service without promises is held to the agreed time, or else to the ETA. */
const promised = (record: Fields) => texts(record, 'at', 'dropoff')[0] ?? texts(record, 'eta', 'dropoff')[0];

const historyOf = ({ status_history: history }: Fields) =>
  Array.isArray(history) ? history.filter(isFields) : [];

const arrived = (record: Fields) =>
  historyOf(record).find(({ status }) => status === 'delivered')?.created_at;

/** When a delivery came to its end; undefined while it is under way. */
const ended = (record: Fields) => {
  if (isUnderWay(record) || record.status === 'request') return undefined;
  const end = historyOf(record).findLast(({ status }) => status === record.status);
  return end && (arrived(record) ?? end.created_at);
};

/** When an order is due: as its delivery is promised, or else at its own time. */
const dueTime = (order: Fields) =>
  promised(deliveryWithin(order) ?? order) ?? promised(order) ?? order.pickup_at;

/** The same time of the delivery within an order. */
const ofDelivery =
  (time: TimeOf): TimeOf =>
  (order) =>
    time(deliveryWithin(order) ?? {});

/** Parameters of a list that are not filters. */
const noFilters = ['limit', 'cursor', 'expand'];

/** The filters of each list, by the id of its operation and the name of the parameter. */
const tests: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  ListDeliveries: {
    ...common,
    status: hasStatus,
    service: isOneOf('service'),
    store_id: isOneOf('store_id'),
    phone: (record, value) =>
      texts(record, 'phone_number').some((phone) => phoneDigits(phone) === phoneDigits(value)),
    unchanged_since: (record, value, now) =>
      isUnderWay(record) && record.status !== 'scheduled' && notAfter('updated_at')(record, value, now),
    overdue: (record, value, now) => isUnderWay(record) && silentFor(record, now) >= Number(value) * 1000,
    due_after: isAfter(promised),
    due_before: isBefore(promised),
    delivered_after: isAfter(arrived),
    delivered_before: isBefore(arrived),
    ended_after: isAfter(ended),
    ended_before: isBefore(ended),
    was_late: (record, value, now) => value !== 'true' || wasLate(record, now),
    driver_name: ({ courier_name }, value) => hasWords({ id: courier_name }, value),
    late: (record, value, now) => value !== 'true' || (isUnderWay(record) && isExpectedLate(record, now)),
  },
  ListOrders: {
    ...common,
    status: isOneOf('status'),
    store_id: isOneOf('pickup_store_id'),
    batch_id: isOneOf('batch_id'),
    due_after: isAfter(dueTime),
    due_before: isBefore(dueTime),
    delivered_after: isAfter(ofDelivery(arrived)),
    delivered_before: isBefore(ofDelivery(arrived)),
    ended_after: isAfter(ofDelivery(ended)),
    ended_before: isBefore(ofDelivery(ended)),
  },
  ListRoutes: { status: isOneOf('status') },
};

/** Reads the filters of a query; null without any. */
function filtersOf(operation: string, query: Fields, now: number): Filters | null {
  const testsOfList = tests[operation] ?? {};
  const applied = Object.entries(query).flatMap(([name, value]) => {
    const test = testsOfList[name];
    if (value === undefined || value === null || noFilters.includes(name)) return [];
    if (test !== undefined) return [{ name, test, value }];
    throw new Unsupported(`This service has no filter ${name}.`, { code: 'not_supported', status: 400 });
  });
  if (applied.length === 0) return null;
  return {
    names: applied.map(({ name }) => name),
    matches: (record) =>
      isFields(record) && applied.every(({ test, value }) => test(record, String(value), now)),
  };
}

/** True if a delivery has one of the statuses or groups that commas separate; a group may be the status itself. */
function hasStatus({ status }: Fields, value: string): boolean {
  return isStatusNamed(String(status), value.split(','));
}

function isExpectedLate(record: Fields, now: number): boolean {
  if (record.status === 'enroute_to_return') return false;
  const [eta] = texts(record, 'eta', 'dropoff');
  return isLate(lateBy({ promised_at: msOf(promised(record)), dropoff_eta: msOf(eta) }, now));
}

function wasLate(record: Fields, now: number): boolean {
  if (isUnderWay(record)) return isExpectedLate(record, now);
  return isLate(msOf(arrived(record)) - msOf(promised(record)));
}

/** How far its next report is overdue, in milliseconds. A status of its own counts as one before the pickup. */
function silentFor(record: Fields, now: number): number {
  const status = deliveryStatuses.find((each) => each === record.status) ?? 'delivery_created';
  const [dropoff_eta = ''] = texts(record, 'eta', 'dropoff');
  const times = { updated_at: String(record.updated_at), pickup_eta: String(record.pickup_eta) };
  return overdueBy({ status, ...times, dropoffs: [{ dropoff_eta }] }, now);
}

function isUnderWay({ status }: Fields): boolean {
  const { fulfilled, canceled } = statusGroups;
  const others: readonly unknown[] = ['request', ...fulfilled, ...canceled, 'failed', 'returned'];
  return !others.includes(status);
}

/** The texts of a field of the pickup and the dropoffs: of `pickup_name` and `dropoff_name` for `name`. */
function texts(record: Fields, field: string, end: 'both' | 'dropoff' = 'both'): string[] {
  const dropoffs = Array.isArray(record.dropoffs) ? record.dropoffs.filter(isFields) : [record];
  const values = [
    ...(end === 'both' ? [record[`pickup_${field}`]] : []),
    ...dropoffs.map((dropoff) => dropoff[`dropoff_${field}`]),
  ];
  return values.filter((value) => typeof value === 'string');
}

/** Whether each word of a search is in a text of the record, as in the search of waybill's own service. */
function hasWords(record: Fields, value: string): boolean {
  const names = ['name', 'address', 'unit', 'notes', 'phone_number'];
  const items = Array.isArray(record.items) ? record.items.filter(isFields).map(({ name }) => name) : [];
  const ids = [record.id, record.order_id, record.external_order_ref, record.tracking_url];
  const fields = [
    ...names.flatMap((field) => texts(record, field)),
    ...ids,
    ...items,
    record.items_description,
  ];
  const text = ` ${foldedWords(fields.filter((each) => typeof each === 'string').join(' ')).join(' ')} `;
  return readSearchWords(value).every(({ patterns }) => patterns.some((pattern) => text.includes(pattern)));
}
