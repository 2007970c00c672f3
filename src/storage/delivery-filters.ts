import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DeliveryStatus } from '../contract/vocabulary.ts';
import type { PageQuery } from './paging.ts';
import { type OneOrMore, statuses } from './rows.ts';

export interface DeliveryQuery extends PageQuery {
  status?: OneOrMore<DeliveryStatus> | undefined;
  external_order_ref?: string | undefined;
  service?: string | undefined;
  /** Of either end, as it is stored. */
  phone?: string | undefined;
  /** How a name or an address of either end begins, in capitals or not. */
  starts_with?: string | undefined;
  /** Only those initiated that have not ended and whose dropoff ETA is before this time. */
  late_at?: number | undefined;
  /** Only those initiated that have not ended and have not changed after this time. */
  unchanged_since?: number | undefined;
}

export type Condition = RawBuilder<SqlBool>;

/** One way of narrowing a list of deliveries: conditions of which a row meets one, each answered by an index. */
export type Filter = readonly Condition[];

/** The filters of a query: those whose index gives rows newest first, and those whose index does not. */
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
 * A filter as one condition on the rows that another has found. No index answers the last part of it, so that the
 * engine does not take this filter's index instead of the other's.
 */
export function testOf(filter: Filter): Condition {
  return sql`(${sql.join([...filter, sql`1 = 0`], sql` or `)})`;
}

/** The condition of both indexes; and nobody waits for what nobody has initiated. */
const isUnderWay = sql`ended_at is null and status <> 'request'`;

const searched = ['pickup_name', 'dropoff_name', 'pickup_place', 'dropoff_place'];

function is(name: string, value: string): Condition {
  return sql`${sql.ref(name)} = ${value}`;
}

/** By a range, which an index answers and in which no character has a meaning of its own. */
function startsWith(name: string, text: string): Condition {
  const column = sql.ref(name);
  const end = firstAfter(text);
  return end === null ? sql`${column} >= ${text}` : sql`(${column} >= ${text} and ${column} < ${end})`;
}

const lastCharacter = 0x10ffff;
const surrogates = { first: 0xd800, last: 0xdfff };

/** The least text that is greater than all that begin with this one, in the order of bytes; null: there is none. */
function firstAfter(text: string): string | null {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const place = characters.findLastIndex((character) => character < lastCharacter);
  if (place < 0) return null;
  const next = (characters[place] ?? 0) + 1;
  const isSurrogate = next >= surrogates.first && next <= surrogates.last;
  return String.fromCodePoint(...characters.slice(0, place), isSurrogate ? surrogates.last + 1 : next);
}
