import type { Flag } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import type { PreparedQuery } from './prepared-queries.ts';
import type { Storage } from './storage.ts';

/** A prepared query for the newest rows of an account and mode. */
export type NewestRows<Row> = PreparedQuery<Row, [account_id: string, test_mode: Flag, count: number]>;

/** The first page of a list without filters, the most frequent request; undefined for any other page. */
export async function firstPage<Row>(
  storage: Pick<Storage, 'all'>,
  newest: NewestRows<Row>,
  { account_id, test_mode, limit, ...others }: PageQuery,
): Promise<Page<Row> | undefined> {
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  const rows = await storage.all(newest, account_id, test_mode, limit + 1);
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}
