import type { WireResponse } from '../contract/wire.ts';
import { pathPrefix } from './addresses.ts';
import { type Fields, isFields } from './lenient.ts';

/** The next page that the response to a list names. */
export interface Paging {
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

const end: Paging = { next: null, has_more: false };

/**
 * Finds the next page in the fields of the contract, a `Link` header, or a field such as `next`. A URL is only used if
 * it is a page of the same list at the same host. Without either, a total shows whether there is one.
 */
export function pagingOf(received: Received): Paging {
  const { response, body, count } = received;
  const places = placesIn(body);
  const { has_more, next_cursor } = isFields(body) ? body : {};
  if (has_more === false) return end;
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
  return isSaid ? end : { next: null, has_more: null };
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
  const base = URL.parse(baseUrl);
  if (base === null || !/^(https?:|[/?.])/i.test(link)) return null;
  const prefix = pathPrefix(base);
  const url = URL.parse(link, base.origin + prefix + path);
  // A gateway may end TLS before the service, which then names itself with http.
  if (url === null || url.host !== base.host || !url.pathname.startsWith(prefix + path)) return null;
  return (url.pathname + url.search).slice(prefix.length).replace(/[{}]/g, encodeURIComponent);
}

const totalNames = ['total', 'total_count', 'totalCount', 'total_results'];

function numbersIn(places: readonly Fields[], names: readonly string[]): number[] {
  const values = places.flatMap((place) => names.map((name) => Number(place[name] ?? Number.NaN)));
  return values.filter(Number.isSafeInteger);
}
