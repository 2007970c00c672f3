import type { Operation, WireResponse } from '../contract/operation.ts';
import type { Page } from '../contract/schema.ts';
import { deliveryStatusesOf, statusGroups } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { isLate, lateBy } from '../domain/lateness.ts';
import { normalizeReference } from '../domain/references.ts';
import { foldedWords } from '../domain/search-text.ts';
import { pathPrefix, urlIn } from './addresses.ts';
import type { Answer } from './answers.ts';
import { createCursorReader, cursorOf, type ListPosition } from './pages.ts';
import { parsed } from './service-features.ts';

/** The maximum number of pages read to filter a list here. */
const max_pages = 20;
const page_limit = 100;

export type Query = Record<string, unknown>;

/** A page of a list, as the service sent it. */
export interface FetchedPage {
  /** The form of the operation that the page answers. */
  operation: Operation;
  answer: Answer<unknown>;
  response: WireResponse;
}

interface ListOfOtherService {
  query: Query;
  /** Where to start, and the page that was fetched for it. */
  start: ListPosition;
  first: FetchedPage;
  /** Fetches a page; the cursor of the query is that of a page. */
  fetch(query: Query): Promise<FetchedPage>;
  wallNow(): number;
  baseUrl: string | undefined;
}

/** The records read from a list, which may be incomplete. */
export interface ReadList {
  answer: Answer<Page<unknown>>;
  /** The filters that were applied here; empty if the service filtered. */
  filtered: readonly string[];
  /** The page that was read in part, and its cursor; null if whole pages were read. */
  rest: { page: FetchedPage; at: string | undefined } | null;
}

/** A page with its position in the list. */
interface ListedPage extends FetchedPage {
  answer: Answer<Page<unknown>>;
  paging: Paging;
}

/**
 * Reads a list of a service that may ignore the filters and the limit, and page it in its own way. If it ignores a
 * filter, further pages are read, up to a maximum, and filtered here. The cursor of the response continues after them.
 */
export async function readListOfOtherService(list: ListOfOtherService): Promise<ReadList> {
  const { start } = list;
  const filters = filtersOf(list.first.operation.id, list.query, list.wallNow());
  let { page, query } = await firstPage(list, filters);
  const ignored = filters === null || recordsOf(page).every(filters.matches) ? null : filters;
  const wanted = typeof query.limit === 'number' ? query.limit : ignored === null ? Infinity : page_limit;
  const nextCursor = createCursorReader(start.page);
  const found: unknown[] = [];
  let searched = 0;
  let { page: at, skip } = start;
  const upTo = (cursor: string | null, rest: ReadList['rest'] = null): ReadList => {
    const more = { has_more: cursor !== null || page.paging.has_more === true, next_cursor: cursor };
    const data: Page<unknown> = { ...page.answer.data, object: 'list', data: found, ...more };
    const covered = {
      ...(cursor === null && isCut(page, query) ? { may_have_more: true } : {}),
      ...(ignored === null ? {} : { searched }),
    };
    return { answer: { ...page.answer, data, ...covered }, filtered: ignored?.names ?? [], rest };
  };
  for (let count = 1; ; count += 1) {
    const records = recordsOf(page);
    for (const [index, record] of records.entries()) {
      if (index < skip) continue;
      const isMatch = ignored === null || ignored.matches(record);
      if (isMatch && found.length >= wanted) return upTo(cursorOf({ page: at, skip: index }), { page, at });
      if (isMatch) found.push(record);
      searched += 1;
    }
    const cursor = page.paging.next === null ? null : nextCursor(page.answer);
    const isSkipped = skip <= records.length;
    const isEnough = isSkipped && (ignored === null || found.length >= wanted);
    if (cursor === null || isEnough || count === max_pages) return upTo(cursor);
    skip = isSkipped ? 0 : skip - records.length;
    at = cursor;
    query = { ...query, limit: page_limit, cursor };
    page = listedPage(list, await list.fetch(query));
  }
}

const emptyPage: Page<unknown> = { object: 'list', data: [], has_more: false, next_cursor: null };

function listedPage(
  { baseUrl }: ListOfOtherService,
  { operation, answer, response }: FetchedPage,
): ListedPage {
  const page = isPage(answer) ? answer : { ...answer, data: emptyPage };
  const { path } = operation;
  const body = parsed(response.body);
  const paging = pagingOf({ response, body, count: page.data.data.length, path, baseUrl });
  const more = { has_more: paging.next !== null, next_cursor: paging.next };
  return { answer: { ...page, data: { ...page.data, ...more } }, operation, response, paging };
}

function isPage(answer: Answer<unknown>): answer is Answer<Page<unknown>> {
  return isFields(answer.data) && Array.isArray(answer.data.data);
}

function recordsOf({ answer }: ListedPage): readonly unknown[] {
  return answer.data.data;
}

/**
 * The page to start with, and the query that it answers. A service that spells statuses in its own way does not find
 * those of a filter. A small page without a next one is asked for again as a large one, if it is filtered here.
 */
async function firstPage(
  list: ListOfOtherService,
  filters: Filters | null,
): Promise<{ page: ListedPage; query: Query }> {
  const { query, start, fetch } = list;
  const first = listedPage(list, list.first);
  if (filters === null) return { page: first, query };
  const { status, ...others } = query;
  const isEmpty = recordsOf(first).length === 0;
  if (status !== undefined && isEmpty) {
    const all = await fetch({ ...others, cursor: start.page }).catch(() => null);
    const page = all && listedPage(list, all);
    const mayMatch = page?.paging.has_more === true || page?.answer.data.data.some(filters.matches) === true;
    if (page !== null && mayMatch) return { page, query: others };
  }
  const isSmall = recordsOf(first).length === query.limit && query.limit < page_limit;
  if (!isSmall || first.paging.has_more !== null || recordsOf(first).every(filters.matches))
    return { page: first, query };
  const large = { ...query, limit: page_limit };
  return { page: listedPage(list, await fetch({ ...large, cursor: start.page })), query };
}

/** True if the service does not say whether it has more records, and the page looks like a full one. */
function isCut({ answer, paging }: ListedPage, { limit }: Query): boolean {
  const count = answer.data.data.length;
  return paging.has_more === null && count > 0 && (count === limit || isRound(count));
}

/** True for the sizes that pages have: 10, 20, 25, 50, 100. */
function isRound(count: number): boolean {
  return count % 10 === 0 || count % 25 === 0;
}

/** The filters of a list call that can be applied to records. */
interface Filters {
  /** True if a record matches all filters. */
  matches(record: unknown): boolean;
  names: readonly string[];
}

/** True if a record matches a filter value. A missing time always matches. */
type Test = (record: Fields, value: string) => boolean;

const same =
  (name: string): Test =>
  (record, value) =>
    String(record[name] ?? '') === value;

const sameRef: Test = ({ external_order_ref: ref }, value) =>
  normalizeReference(String(ref ?? '')) === normalizeReference(value);

const after =
  (name: string): Test =>
  (record, value) =>
    !(Date.parse(String(record[name])) < Date.parse(value));

const before =
  (name: string): Test =>
  (record, value) =>
    !(Date.parse(String(record[name])) > Date.parse(value));

const tests: Readonly<Record<string, Readonly<Record<string, Test>>>> = {
  ListDeliveries: {
    status: hasStatus,
    external_order_ref: sameRef,
    service: same('service'),
    store_id: same('store_id'),
    phone: (record, value) => texts(record, 'phone_number').some((phone) => digits(phone) === digits(value)),
    q: hasWords,
    unchanged_since: (record, value) =>
      isUnderWay(record) && record.status !== 'scheduled' && before('updated_at')(record, value),
    created_after: after('created_at'),
    created_before: before('created_at'),
  },
  ListOrders: {
    status: ({ status }, value) => value.split(',').some((each) => each === status),
    external_order_ref: sameRef,
    batch_id: same('batch_id'),
    q: hasWords,
    created_after: after('created_at'),
    created_before: before('created_at'),
  },
  ListRoutes: { status: same('status') },
  ListBatches: { status: same('status') },
  ListCharges: { delivery_id: same('delivery_id') },
};

/** Reads the filters of a query; null without any. `late` is computed at `now`, in milliseconds since the epoch. */
function filtersOf(operation: string, query: Fields, now: number): Filters | null {
  const known: Readonly<Record<string, Test>> = {
    ...tests[operation],
    ...(operation === 'ListDeliveries' ? { late: latenessTest(now) } : {}),
  };
  const applied = Object.entries(query).flatMap(([name, value]) => {
    const test = known[name];
    return test === undefined || value === undefined || value === null ? [] : [{ name, test, value }];
  });
  if (applied.length === 0) return null;
  return {
    names: applied.map(({ name }) => name),
    matches: (record) => isFields(record) && applied.every(({ test, value }) => test(record, String(value))),
  };
}

/**
 * True if a delivery has one of the statuses or groups that commas separate. Another service may report a group as the
 * status.
 */
function hasStatus({ status }: Fields, value: string): boolean {
  const names = value.split(',');
  return [...deliveryStatusesOf(names), ...names].some((each) => each === status);
}

/** A service without promises is held to the agreed time, or else to the ETA. */
function latenessTest(now: number): Test {
  return (record, value) => {
    const [eta = ''] = texts(record, 'eta', 'dropoff');
    const [promised = eta] = texts(record, 'at', 'dropoff');
    const times = { promised_at: Date.parse(promised), dropoff_eta: Date.parse(eta) };
    return value !== 'true' || (isUnderWay(record) && isLate(lateBy(times, now)));
  };
}

function isUnderWay({ status }: Fields): boolean {
  const ended: readonly unknown[] = [
    ...['request', 'returned'],
    ...[...statusGroups.fulfilled, ...statusGroups.canceled],
    'failed',
  ];
  return !ended.includes(status);
}

/** The texts of pickup and dropoff with names such as `pickup_name` and `dropoff_name`. */
function texts(record: Fields, field: string, end: 'both' | 'dropoff' = 'both'): string[] {
  const dropoffs = Array.isArray(record.dropoffs) ? record.dropoffs.filter(isFields) : [record];
  const values = [
    ...(end === 'both' ? [record[`pickup_${field}`]] : []),
    ...dropoffs.map((dropoff) => dropoff[`dropoff_${field}`]),
  ];
  return values.filter((value) => typeof value === 'string');
}

/** Whether each word of a search is part of a text of the record, such as the end of a phone number. */
function hasWords(record: Fields, value: string): boolean {
  const names = ['name', 'address', 'unit', 'notes', 'phone_number'];
  const items = Array.isArray(record.items) ? record.items.filter(isFields).map(({ name }) => name) : [];
  const own = [record.id, record.order_id, record.external_order_ref, record.tracking_url, ...items];
  const fields = [...names.flatMap((field) => texts(record, field)), ...own, record.items_description];
  const parts = foldedWords(fields.filter((text) => typeof text === 'string').join(' '));
  const isPhone = /^\+?[\d\s().-]{7,}$/.test(value.trim());
  const words = isPhone ? [digits(value)] : foldedWords(value);
  return words.every((word) => parts.some((part) => hasWord(part, word)));
}

const min_end_length = 4;

/** Digits match the beginning or the end of a number; a single character matches a whole word. */
function hasWord(part: string, word: string): boolean {
  if (word.length < 2) return part === word && word !== '';
  if (!/^\d+$/.test(word)) return part.includes(word);
  return part.startsWith(word) || (word.length >= min_end_length && part.endsWith(word));
}

function digits(text: string): string {
  return text.replace(/\D/g, '');
}

/** The next page that the response to a list names. */
interface Paging {
  /** The cursor or the path of the next page; null without one. */
  next: string | null;
  /** Null if the response does not say. */
  has_more: boolean | null;
}

/** A page of a list, as it was received. */
interface Received {
  response: WireResponse;
  /** The parsed body. */
  body: unknown;
  count: number;
  /** The path of the list, such as `/v1/deliveries`. */
  path: string;
  baseUrl: string | undefined;
}

const lastPage: Paging = { next: null, has_more: false };

/**
 * Finds the next page in the fields of the contract, a `Link` header, or a field such as `next`. A URL is only used if
 * it is a page of the same list at the same host. Without either, a total shows whether there is one.
 */
function pagingOf(received: Received): Paging {
  const { response, body, count } = received;
  const places = placesIn(body);
  const { has_more, next_cursor } = isFields(body) ? body : {};
  if (has_more === false) return lastPage;
  if (isText(next_cursor)) return { next: String(next_cursor), has_more: true };
  const links = response.headers.link ?? '';
  const nexts = [linkTo('next', links), ...places.map(nextIn)].filter(isText);
  const paths = nexts.map((next) => pathOf(String(next), received)).filter((path) => path !== null);
  if (nexts.length > 0 || has_more === true) return { next: paths[0] ?? null, has_more: true };
  const totals = numbersIn(places, totalNames);
  const header = Number(response.headers['x-total-count'] ?? Number.NaN);
  // `count` may also be the number of records of the page.
  const counts = [...totals, ...numbersIn(places, ['count']), header];
  if (counts.some((total) => total > count)) return { next: null, has_more: true };
  const isPaged = ['first', 'last', 'prev'].some((relation) => linkTo(relation, links) !== null);
  const isSaid = isPaged || places.some(hasNext) || totals.includes(count) || header === count;
  return isSaid ? lastPage : { next: null, has_more: null };
}

/** The fields of a body in which services describe its pages. */
const containers = ['links', '_links', 'meta', 'paging', 'pagination', 'page_info'];

function placesIn(body: unknown): Fields[] {
  if (!isFields(body)) return [];
  const inner = containers.flatMap((name) => (isFields(body[name]) ? [body[name]] : []));
  return [body, ...inner, ...inner.flatMap((each) => (isFields(each.links) ? [each.links] : []))];
}

const nextNames = ['next', 'next_url', 'next_page_url', 'next_link', 'nextLink', 'next_cursor', 'next_page'];

function hasNext(place: Fields): boolean {
  return nextNames.some((name) => Object.hasOwn(place, name));
}

/** A URL, or what else the service has for the next page. */
function nextIn(place: Fields): unknown {
  const found = nextNames.map((name) => place[name]).find((value) => isText(value) || isFields(value));
  return isFields(found) ? found.href : found;
}

function isText(value: unknown): value is string | number {
  return (typeof value === 'string' && value !== '') || typeof value === 'number';
}

/** The target of a relation in a `Link` header (RFC 8288); null without it. */
function linkTo(relation: string, header: string): string | null {
  const isRelation = new RegExp(`;\\s*rel\\s*=\\s*("[^"]*\\b${relation}\\b[^"]*"|${relation}\\b)`, 'i');
  for (const [, target = '', parameters = ''] of header.matchAll(/<([^>]*)>((?:"[^"]*"|[^,"])*)/g))
    if (isRelation.test(parameters)) return target;
  return null;
}

/** The path of a page below the base URL; null for another host, another list, and what is no URL. */
function pathOf(link: string, { path, baseUrl = 'http://service' }: Received): string | null {
  const base = urlIn(baseUrl);
  if (base === null || !/^(https?:|[/?.])/i.test(link)) return null;
  const prefix = pathPrefix(base);
  const url = urlIn(link, base.origin + prefix + path);
  // A gateway may end TLS before the service, which then names itself with http.
  if (url === null || url.host !== base.host || !url.pathname.startsWith(prefix + path)) return null;
  return (url.pathname + url.search).slice(prefix.length).replace(/[{}]/g, encodeURIComponent);
}

const totalNames = ['total', 'total_count', 'totalCount', 'total_results'];

function numbersIn(places: readonly Fields[], names: readonly string[]): number[] {
  const values = places.flatMap((place) => names.map((name) => Number(place[name] ?? Number.NaN)));
  return values.filter(Number.isSafeInteger);
}
