import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import type { PageQuery } from './paging.ts';
import { type OneOrMore, statuses } from './rows.ts';

export interface DeliveryQuery extends PageQuery {
  status?: OneOrMore<DeliveryStatus> | undefined;
  external_order_ref?: string | undefined;
  service?: string | undefined;
  /** Of pickup or dropoff, as stored. */
  phone?: string | undefined;
  /** Prefix of a name or address of pickup or dropoff, case-insensitive. */
  starts_with?: string | undefined;
  /** Only active deliveries with a dropoff ETA before this time. */
  late_at?: number | undefined;
  /** Only active deliveries without a change after this time. */
  unchanged_since?: number | undefined;
}

export type Condition = RawBuilder<SqlBool>;

/** A filter of the delivery list: alternative conditions, each answered by an index. */
export type Filter = readonly Condition[];

/** The filters of a query: those whose index returns rows newest first, and the others. */
export function filtersOf(query: DeliveryQuery): { inOrder: Filter[]; others: Filter[] } {
  const { external_order_ref, phone, service, status, starts_with, late_at, unchanged_since } = query;
  const given = <T>(value: T | undefined, make: (value: T) => Filter) =>
    value === undefined ? [] : [make(value)];
  return {
    inOrder: [
      ...given(external_order_ref, (value) => [is('external_order_ref', value)]),
      ...given(phone, (value) => [is('pickup_phone', value), is('dropoff_phone', value)]),
      ...given(service, (value) => [is('service', value)]),
      ...given(status, (value) => statuses(value).map((each) => is('status', each))),
    ],
    others: [
      ...given(starts_with?.toLowerCase() || undefined, (text) =>
        searched.map((name) => startsWith(name, text)),
      ),
      ...given(late_at, (at) => [sql`(${isUnderWay} and dropoff_eta < ${at})`]),
      ...given(unchanged_since, (at) => [sql`(${isUnderWay} and updated_at <= ${at})`]),
    ],
  };
}

/**
 * A filter as one condition on rows that another filter has found. Its last part cannot use an index, so that the
 * engine does not prefer this filter's index to the other's.
 */
export function testOf(filter: Filter): Condition {
  return sql`(${sql.join([...filter, sql`1 = 0`], sql` or `)})`;
}

/** The condition of both partial indexes: initiated and not ended. */
const isUnderWay = sql`ended_at is null and status <> 'request'`;

const searched = ['pickup_name', 'dropoff_name', 'pickup_place', 'dropoff_place'];

function is(name: string, value: string): Condition {
  return sql`${sql.ref(name)} = ${value}`;
}

/** As a range, which an index can answer and in which no character is special. */
function startsWith(name: string, text: string): Condition {
  const column = sql.ref(name);
  const end = firstAfter(text);
  return end === null ? sql`${column} >= ${text}` : sql`(${column} >= ${text} and ${column} < ${end})`;
}

const lastCharacter = 0x10ffff;
const surrogates = { first: 0xd800, last: 0xdfff };

/** The smallest text greater than every text with this prefix, in byte order; null if absent. */
function firstAfter(text: string): string | null {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const place = characters.findLastIndex((character) => character < lastCharacter);
  if (place < 0) return null;
  const next = (characters[place] ?? 0) + 1;
  const isSurrogate = next >= surrogates.first && next <= surrogates.last;
  return String.fromCodePoint(...characters.slice(0, place), isSurrogate ? surrogates.last + 1 : next);
}
