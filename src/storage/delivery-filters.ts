import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { DeliveryQuery } from './deliveries.ts';
import { statuses } from './rows.ts';

export type Condition = RawBuilder<SqlBool>;

/** One way of narrowing a list of deliveries. */
export interface Filter {
  /** Conditions of which a row must meet one. Each is answered by an index. */
  arms: readonly Condition[];
  /** The same as one condition, for which no index is used: the filter that leads has that to itself. */
  test: Condition;
}

type Column = RawBuilder<unknown>;
type Match = (column: Column) => Condition;

/** The filters of a query; those whose index gives the rows of an arm newest first, and those whose does not. */
export function filtersOf(query: DeliveryQuery): { inOrder: Filter[]; others: Filter[] } {
  const { external_order_ref, phone, service, status, starts_with, late_at, unchanged_since } = query;
  const given = <T>(value: T | undefined, make: (value: T) => Filter) =>
    value === undefined ? [] : [make(value)];
  return {
    inOrder: [
      ...given(external_order_ref, (value) => textFilter(['external_order_ref'], [is(value)])),
      ...given(phone, (value) => textFilter(['pickup_phone', 'dropoff_phone'], [is(value)])),
      ...given(service, (value) => textFilter(['service'], [is(value)])),
      ...given(status, (value) => textFilter(['status'], statuses(value).map(is))),
    ],
    others: [
      ...given(starts_with || undefined, (text) => textFilter(searched, [startsWith(text.toLowerCase())])),
      ...given(late_at, (at) => openFilter('dropoff_eta', (column) => sql`${column} < ${at}`)),
      ...given(unchanged_since, (at) => openFilter('updated_at', (column) => sql`${column} <= ${at}`)),
    ],
  };
}

const searched = ['pickup_name', 'dropoff_name', 'pickup_place', 'dropoff_place'];

/** Any of the columns meets any of the matches. */
function textFilter(columns: readonly string[], matches: readonly Match[]): Filter {
  const arms = (columnOf: (name: string) => Column) =>
    columns.flatMap((name) => matches.map((match) => match(columnOf(name))));
  // What is calculated stands in no index.
  const tests = arms((name) => sql`(${sql.ref(name)} || '')`);
  return { arms: arms((name) => sql.ref(name)), test: sql`(${sql.join([...tests, never], sql` or `)})` };
}

const never = sql<SqlBool>`1 = 0`;

/** Of what has not ended, for which there are indexes of their own. */
function openFilter(name: string, match: Match): Filter {
  return {
    arms: [sql`ended_at is null and ${match(sql.ref(name))}`],
    test: sql`(ended_at + 0) is null and ${match(sql`(${sql.ref(name)} + 0)`)}`,
  };
}

function is(value: string): Match {
  return (column) => sql`${column} = ${value}`;
}

/** By a range, which an index answers and in which no character has a meaning of its own. */
function startsWith(text: string): Match {
  const end = firstAfter(text);
  if (end === null) return (column) => sql`${column} >= ${text}`;
  return (column) => sql`${column} >= ${text} and ${column} < ${end}`;
}

const lastCharacter = 0x10ffff;
const surrogates = { first: 0xd800, last: 0xdfff };

/** The least text that is greater than all that begin with this one, in the order of bytes; null: there is none. */
export function firstAfter(text: string): string | null {
  const characters = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const place = characters.findLastIndex((character) => character < lastCharacter);
  if (place < 0) return null;
  const next = (characters[place] ?? 0) + 1;
  const isSurrogate = next >= surrogates.first && next <= surrogates.last;
  return String.fromCodePoint(...characters.slice(0, place), isSurrogate ? surrogates.last + 1 : next);
}
