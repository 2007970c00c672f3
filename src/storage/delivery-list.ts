import { type RawBuilder, sql } from 'kysely';
import type { SearchWord } from '../domain/search-text.ts';
import type { Connection, DeliveryRow } from './database.ts';
import { type Condition, type DeliveryQuery, type Filter, filtersOf, testOf } from './delivery-filters.ts';
import { type Page, pageBounds } from './paging.ts';
import { containsWords, pageOfMatches } from './search.ts';

/** Up to this many rows a filter counts as narrow: reading and sorting all of them is fast. */
const narrow = 1_000;

type Ids = RawBuilder<{ id: string }>;

/**
 * Reads one page of deliveries, newest first. One filter leads with its index; the others are tested on the rows that
 * it finds. The engines lack the statistics to choose the leader, so it is chosen here.
 */
export async function pageOfDeliveries(db: Connection, query: DeliveryQuery): Promise<Page<DeliveryRow>> {
  const { direct, inOrder, others } = filtersOf(query);
  const filters = [...direct, ...inOrder, ...others];
  const { words } = query;
  const leader = direct[0] ?? (await leaderOf(db, query, filters));
  if (words !== undefined && leader === undefined) return pageByWords(db, { ...query, words }, filters);
  const isInOrder = leader === undefined || !others.includes(leader);
  const wanted = query.limit + 1;
  const order = isInOrder ? sql`id` : calculated;
  const rest = filters.filter((filter) => filter !== leader).map(testOf);
  const account = direct.length === 0 ? sql`account_id` : calculatedAccount;
  const bounds = [
    pageBounds(query, 'dlv_', { id: order, account }),
    ...rest,
    ...(words === undefined ? [] : [orderContains(words)]),
  ];
  const parts = (leader ?? [sql`1 = 1`]).map((each) => newest([...bounds, each], order, wanted));
  // A filter with no accepted values.
  if (parts.length === 0) return { rows: [], has_more: false };
  const { rows } = await sql<DeliveryRow>`
    with found as (${sql.join(parts, sql` union `)})
    select * from deliveries where id in (select id from found order by id desc limit ${wanted})
    order by id desc`.execute(db);
  return { rows: rows.slice(0, query.limit), has_more: rows.length > query.limit };
}

/** A page in the sequence of the orders, as the index of their words returns it. */
async function pageByWords(
  db: Connection,
  query: DeliveryQuery & { words: readonly SearchWord[] },
  filters: readonly Filter[],
): Promise<Page<DeliveryRow>> {
  const calculatedBoth = { id: calculated, account: calculatedAccount };
  const bounds = pageBounds({ ...query, after_id: undefined }, 'dlv_', calculatedBoth);
  const conditions = [bounds, ...filters.map(testOf)];
  return pageOfMatches(db, { page: query, words: query.words, table: 'deliveries', conditions });
}

function orderContains(words: readonly SearchWord[]): Condition {
  return sql`exists (select 1 from search_documents
    where search_documents.order_id = deliveries.order_id and ${containsWords(words)})`;
}

function idsWhere(conditions: readonly Condition[]): Ids {
  return sql`select id from deliveries where ${sql.join(conditions, sql` and `)}`;
}

/**
 * The id as an expression without an index, for filters whose rows must be read and sorted: otherwise an engine may
 * walk through the whole table to get them in order.
 */
const calculated = sql`(id || '')`;

/** The account likewise, for an index that is not of one account. */
const calculatedAccount = sql`(account_id || '')`;

/** The newest rows of an index; if it returns them in order, only the first are read. */
function newest(conditions: readonly Condition[], order: RawBuilder<unknown>, count: number): Ids {
  return sql`select id from (${idsWhere(conditions)} order by ${order} desc limit ${count}) as part`;
}

/**
 * The filter with the fewest rows; of those that are not narrow, the first. If words are searched, only a narrow one
 * leads: otherwise the index of the words does.
 */
async function leaderOf(
  db: Connection,
  { account_id, test_mode, words }: DeliveryQuery,
  filters: readonly Filter[],
): Promise<Filter | undefined> {
  const hasWords = words !== undefined;
  if (filters.length === 0 || (filters.length === 1 && !hasWords)) return filters[0];
  const scope: Condition = sql`account_id = ${account_id} and test_mode = ${test_mode}`;
  const some = (condition: Condition) =>
    sql`(select count(*) from (${idsWhere([scope, condition])} limit ${narrow}) as part)`;
  const counts = filters.map((filter, place) => {
    const sum = sql.join([sql`0`, ...filter.map(some)], sql` + `);
    return sql`select ${sql.lit(place)} as place, ${sum} as found`;
  });
  const { rows } = await sql<{ place: number; found: number }>`${sql.join(counts, sql` union all `)}`.execute(
    db,
  );
  const [first] = rows.toSorted(
    (a, b) => Math.min(a.found, narrow) - Math.min(b.found, narrow) || a.place - b.place,
  );
  if (first === undefined || (hasWords && first.found >= narrow)) return undefined;
  return filters[first.place];
}
