import type { Connection } from './database.ts';
import { chunks } from './rows.ts';

// The steps of a transaction read the same few rows by id again and again. A transaction therefore keeps the rows that
// it has read: it reads each once, and those of many tasks with one statement for each table. Each function that writes
// such a table says so here, as the transaction's own writes make kept rows stale. Other transactions' writes do not: a
// serializable transaction does not see them, and a read committed one locks what it decides by before it reads it.

/** The rows of one table, by id, as a transaction sees them. Outside of a transaction nothing is kept. */
export interface RowsById<Row> {
  /** Those of `ids` that exist, unordered. */
  read: (db: Connection, ids: readonly string[]) => Promise<Row[]>;
  readOne: (db: Connection, id: string) => Promise<Row | undefined>;
  /** Reads rows like `read`, and locks those that the transaction has not read before until it ends. */
  lock: (db: Connection, ids: readonly string[]) => Promise<Row[]>;
  /** Records that rows were inserted. */
  inserted: (db: Connection, rows: readonly Row[]) => void;
  /** Records that columns of a row were changed. */
  changed: (db: Connection, id: string, change: Partial<Row> | ((row: Row) => Partial<Row>)) => void;
  /** Records that any rows of the table were changed or deleted. */
  forget: (db: Connection) => void;
}

/** Every table whose rows transactions keep. */
const tables: Pick<RowsById<never>, 'forget'>[] = [];

/**
 * Keeps the rows of a table that `query` reads by id, and locks if it is told to; `idOf` gives the id that it reads a row
 * by.
 */
export function rowsById<Row>(
  idOf: (row: Row) => string,
  query: (db: Connection, ids: readonly string[], isLocking: boolean) => Promise<Row[]>,
): RowsById<Row> {
  /** Undefined for an id that does not exist. */
  const rowsOf = new WeakMap<Connection, Map<string, Row | undefined>>();
  const keptIn = (db: Connection) => {
    const kept = rowsOf.get(db) ?? new Map<string, Row | undefined>();
    if (db.isTransaction) rowsOf.set(db, kept);
    return kept;
  };
  const inserted = (db: Connection, rows: readonly Row[]) => {
    const kept = keptIn(db);
    for (const row of rows) kept.set(idOf(row), row);
  };
  const readOrLock = async (db: Connection, ids: readonly string[], isLocking: boolean): Promise<Row[]> => {
    const kept = keptIn(db);
    const wanted = [...new Set(ids)];
    const missing = wanted.filter((id) => !kept.has(id));
    for (const some of chunks(missing)) {
      const found = await query(db, some, isLocking);
      for (const id of some) kept.set(id, undefined);
      for (const row of found) kept.set(idOf(row), row);
    }
    return wanted.flatMap((id) => kept.get(id) ?? []);
  };
  const forget = (db: Connection) => {
    rowsOf.delete(db);
  };
  tables.push({ forget });
  return {
    read: (db, ids) => readOrLock(db, ids, false),
    readOne: async (db, id) => (await readOrLock(db, [id], false))[0],
    lock: (db, ids) => readOrLock(db, ids, true),
    inserted,
    changed: (db, id, change) => {
      const row = keptIn(db).get(id);
      if (row === undefined) return;
      inserted(db, [{ ...row, ...(typeof change === 'function' ? change(row) : change) }]);
    },
    forget,
  };
}

/** Records that rows of any table were changed or deleted, or that a part of the transaction was undone. */
export function forgetRows(db: Connection): void {
  for (const { forget } of tables) forget(db);
}
