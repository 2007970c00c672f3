import type { Connection } from './database.ts';
import { chunks } from './rows.ts';

// A transaction that executes many tasks appends a row or two to the same tables in each. It collects them, and
// inserts those of each table with one statement at its end, or before it reads the table.

/** A table to which transactions append rows. */
interface AppendedTable<Row> {
  /** Inserts rows, at once unless the transaction collects. */
  append: (db: Connection, rows: readonly Row[]) => Promise<void>;
  /**
   * Changes a row: one that the transaction has collected is inserted with the change, another is updated by a
   * statement. False if there is no such row.
   */
  change: (db: Connection, change: RowChange<Row>) => Promise<boolean>;
  /** Changes a collected row, which is then inserted with the change; false if no collected row is meant. */
  changeCollected: (db: Connection, change: Omit<RowChange<Row>, 'update'>) => boolean;
  /** Inserts the collected rows, so that a query finds them. */
  flush: (db: Connection) => Promise<void>;
}

/** A change of one row, for each place where the row may be. */
interface RowChange<Row> {
  columns: Partial<Row>;
  /** Whether a collected row is the one to change. */
  isMeant: (row: Row) => boolean;
  /** Updates the same row in the table. */
  update: () => Promise<{ numUpdatedRows: bigint }>;
}

/** The transactions that collect. */
const collecting = new WeakSet<Connection>();
const tables: (Pick<AppendedTable<never>, 'flush'> & { discard: (db: Connection) => void })[] = [];

export function appendedTable<Row>(
  insert: (db: Connection, rows: Row[]) => Promise<unknown>,
): AppendedTable<Row> {
  const collected = new WeakMap<Connection, Row[]>();
  const insertAll = async (db: Connection, rows: readonly Row[]) => {
    for (const some of chunks(rows)) await insert(db, some);
  };
  const flush = async (db: Connection) => {
    const rows = collected.get(db) ?? [];
    collected.delete(db);
    await insertAll(db, rows);
  };
  const changeCollected: AppendedTable<Row>['changeCollected'] = (db, { columns, isMeant }) => {
    const all = collected.get(db) ?? [];
    const index = all.findIndex(isMeant);
    const row = all[index];
    if (row !== undefined) all[index] = { ...row, ...columns };
    return row !== undefined;
  };
  tables.push({ flush, discard: (db) => collected.delete(db) });
  return {
    append: async (db, rows) => {
      if (!collecting.has(db)) return insertAll(db, rows);
      const all = collected.get(db) ?? [];
      all.push(...rows);
      collected.set(db, all);
    },
    change: async (db, { update, ...change }) => {
      if (changeCollected(db, change)) return true;
      await flush(db);
      return (await update()).numUpdatedRows > 0n;
    },
    changeCollected,
    flush,
  };
}

/** From now on, the transaction collects the rows that it appends. */
export function collectInserts(db: Connection): void {
  collecting.add(db);
}

/** Inserts what the transaction has collected; from now on, it inserts rows at once. */
export async function insertCollected(db: Connection): Promise<void> {
  collecting.delete(db);
  for (const { flush } of tables) await flush(db);
}

/** Forgets what a part of a transaction that failed has collected: those that share a commit share the connection. */
export function discardCollected(db: Connection): void {
  collecting.delete(db);
  for (const { discard } of tables) discard(db);
}

/** Runs a part of a transaction that collects the rows that it appends, and inserts them at its end. */
export async function whileCollecting<T>(db: Connection, work: () => Promise<T>): Promise<T> {
  try {
    collectInserts(db);
    const result = await work();
    await insertCollected(db);
    return result;
  } finally {
    discardCollected(db);
  }
}
