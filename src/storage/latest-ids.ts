import type { Connection, Flag } from './database.ts';
import { type IdPrefix, ulidTime } from './paging.ts';

const tables = [
  ['orders', 'ord_'],
  ['routes', 'rte_'],
  ['deliveries', 'dlv_'],
  ['batches', 'bat_'],
  ['stores', 'str_'],
] as const satisfies readonly [string, IdPrefix][];

/** The latest id of each kind of record of a mode that requests create, within one millisecond. */
export async function latestIds(db: Connection, test_mode: Flag, at: number): Promise<string[]> {
  const ids: string[] = [];
  for (const [table, prefix] of tables) {
    const row = await db
      .selectFrom(table)
      .select(({ fn }) => fn.max<string | null>('id').as('id'))
      .where('test_mode', '=', test_mode)
      .where('id', '>=', prefix + ulidTime(at))
      .where('id', '<', prefix + ulidTime(at + 1))
      .executeTakeFirst();
    if (typeof row?.id === 'string') ids.push(row.id);
  }
  return ids;
}
