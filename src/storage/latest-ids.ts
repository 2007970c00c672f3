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
