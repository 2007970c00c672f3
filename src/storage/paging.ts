/** Pages of lists, newest first. This file loads the query builder's SQL; lists import it on demand. */
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Connection, Flag, Scope } from './database.ts';

/** A page of a list, after the record `after_id`. */
export interface PageQuery extends Scope {
  limit: number;
  after_id?: string | undefined;
  /** Times in milliseconds, both exclusive. */
  created_after?: number | undefined;
  created_before?: number | undefined;
}

export interface Page<Row> {
  rows: Row[];
  has_more: boolean;
}

/** One page of the records that are kept, of the pages that `list` reads after a record. */
export async function pageOfKept<Row extends { id: string }>(
  list: (after_id: string | undefined) => Promise<Page<Row>>,
  { limit, after_id }: Pick<PageQuery, 'limit' | 'after_id'>,
  keep: (row: Row) => boolean,
): Promise<Page<Row>> {
  const rows: Row[] = [];
  let after = after_id;
  let has_more = true;
  while (has_more && rows.length <= limit) {
    const page = await list(after);
    rows.push(...page.rows.filter(keep));
    ({ has_more } = page);
    after = page.rows.at(-1)?.id;
  }
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

/** The id prefix of a table; the rest of an id starts with the time of creation. */
export type IdPrefix =
  | 'ord_'
  | 'rte_'
  | 'dlv_'
  | 'nte_'
  | 'chg_'
  | 'key_'
  | 'str_'
  | 'drv_'
  | 'bat_'
  | 'try_'
  | 'whe_'
  | 'aud_';

/**
 * The conditions for a page of a table. Ids are ordered by time, so a time is a position in the index on ids: a later
 * page costs the same as the first. If another index should find the rows, `id` and `account` are expressions without
 * an index.
 */
export function pageBounds(
  query: Omit<PageQuery, 'limit'>,
  prefix: IdPrefix,
  {
    id = sql`id`,
    account = sql`account_id`,
  }: { id?: RawBuilder<unknown>; account?: RawBuilder<unknown> } = {},
): RawBuilder<SqlBool> {
  const { account_id, test_mode, after_id, created_after, created_before } = query;
  const bounds = [sql`${account} = ${account_id} and test_mode = ${test_mode}`];
  if (after_id !== undefined) {
    bounds.push(sql`${id} < ${after_id}`);
  }
  if (created_after !== undefined) {
    bounds.push(sql`created_at >= ${created_after} and ${id} >= ${prefix + ulidTime(created_after)}`);
  }
  if (created_before !== undefined) {
    bounds.push(sql`created_at < ${created_before} and ${id} < ${prefix + ulidTime(created_before)}`);
  }
  return sql.join(bounds, sql` and `);
}

/**
 * Reads one page from one or several queries with disjoint rows, in one statement. A filter with several values
 * becomes one query per value, so that each follows an index and stops early.
 */
export async function readPage<Row>(
  db: Connection,
  limit: number,
  queries: readonly Expression<Row>[],
): Promise<Page<Row>> {
  const wanted = limit + 1;
  const parts = queries.map(
    (query) => sql`select * from (select * from ${query} as source order by id desc limit ${wanted}) as part`,
  );
  if (parts.length === 0) return { rows: [], has_more: false };
  const { rows } = await sql<Row>`select * from (${sql.join(parts, sql` union all `)}) as page
    order by id desc limit ${wanted}`.execute(db);
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The first ten characters of a ULID: 48 bits of milliseconds (https://github.com/ulid/spec). */
export function ulidTime(milliseconds: number): string {
  let rest = Math.min(Math.max(milliseconds, 0), 2 ** 48 - 1);
  let text = '';
  for (let place = 0; place < 10; place += 1) {
    text = crockford.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}

const tables = [
  ['orders', 'ord_'],
  ['routes', 'rte_'],
  ['deliveries', 'dlv_'],
  ['batches', 'bat_'],
  ['stores', 'str_'],
] as const satisfies readonly [string, IdPrefix][];

/** The latest id of each kind of record of a mode that requests create, within one millisecond. */
export async function latestIds(db: Connection, test_mode: Flag, at: number): Promise<string[]> {
  const row = await db
    .selectNoFrom(({ selectFrom }) =>
      tables.map(([table, prefix]) =>
        selectFrom(table)
          .select(({ fn }) => fn.max<string | null>('id').as('id'))
          .where('test_mode', '=', test_mode)
          .where('id', '>=', prefix + ulidTime(at))
          .where('id', '<', prefix + ulidTime(at + 1))
          .as(table),
      ),
    )
    .executeTakeFirstOrThrow();
  return Object.values(row).filter((id) => id !== null);
}
