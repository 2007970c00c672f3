import type { Connection } from './database.ts';
import { canLockRows, chunks, type Locking } from './rows.ts';

// The steps of a transaction read the same few rows by id again and again. A transaction therefore keeps the rows that
// it has read: it reads each once, and those of many tasks with one statement for each table. Each function that writes
// such a table says so here, as the transaction's own writes make kept rows stale. Other transactions' writes do not: a
// serializable transaction does not see them, and a read committed one locks what it decides by. A lock reads the row
// again, as another transaction may have changed it since it was read.

/** The rows of one table, by id, as a transaction sees them. Outside of a transaction nothing is kept. */
export interface RowsById<Row> {
  /** Those of `ids` that exist, unordered. */
  read: (db: Connection, ids: readonly string[]) => Promise<Row[]>;
  readOne: (db: Connection, id: string) => Promise<Row | undefined>;
  /** Reads rows as they are now, and locks them until the transaction ends. Those that it has locked stay kept. */
  lock: (db: Connection, ids: readonly string[]) => Promise<Row[]>;
  /** Locks rows without waiting; returns the ids of those that another transaction has locked. */
  lockFree: (db: Connection, ids: readonly string[]) => Promise<string[]>;
  /** Whether the transaction has locked or inserted a row. */
  isLocked: (db: Connection, id: string) => boolean;
  /** Records that rows were inserted. */
  inserted: (db: Connection, rows: readonly Row[]) => void;
  /** Records rows that were read by other columns. */
  found: (db: Connection, rows: readonly Row[]) => void;
  /** Records rows that were read and locked by other columns. */
  locked: (db: Connection, rows: readonly Row[]) => void;
  /** Records that columns of a row were changed. */
  changed: (db: Connection, id: string, change: Partial<Row> | ((row: Row) => Partial<Row>)) => void;
  /** Records that any rows of the table were changed or deleted. */
  forget: (db: Connection) => void;
}

/** Every table whose rows transactions keep. */
const tables: Pick<RowsById<never>, 'forget'>[] = [];

/** Keeps the rows of a table that `query` reads by id, and may lock; `idOf` gives the id that it reads a row by. */
export function rowsById<Row>(
  idOf: (row: Row) => string,
  query: (db: Connection, ids: readonly string[], locking: Locking) => Promise<Row[]>,
): RowsById<Row> {
  /** Undefined for an id that does not exist. */
  const rowsOf = new WeakMap<Connection, Map<string, Row | undefined>>();
  const keptIn = (db: Connection) => {
    const kept = rowsOf.get(db) ?? new Map<string, Row | undefined>();
    if (db.isTransaction) rowsOf.set(db, kept);
    return kept;
  };
  /** The ids of the rows that only the transaction can change. */
  const lockedIn = new WeakMap<Connection, Set<string>>();
  const isLocked = (db: Connection, id: string) => lockedIn.get(db)?.has(id) === true;
  const markLocked = (db: Connection, ids: readonly string[]) => {
    const locked = lockedIn.get(db) ?? new Set();
    for (const id of ids) locked.add(id);
    if (db.isTransaction) lockedIn.set(db, locked);
  };
  const found = (db: Connection, rows: readonly Row[]) => {
    const kept = keptIn(db);
    for (const row of rows) kept.set(idOf(row), row);
  };
  const locked = (db: Connection, rows: readonly Row[]) => {
    found(db, rows);
    markLocked(db, rows.map(idOf));
  };
  const readOrLock = async (
    db: Connection,
    ids: readonly string[],
    locking: 'none' | 'all',
  ): Promise<Row[]> => {
    const kept = keptIn(db);
    // Two transactions that lock the same rows do so in the same order.
    const wanted = locking === 'none' ? [...new Set(ids)] : [...new Set(ids)].sort();
    const isStale = (id: string) => locking === 'all' && canLockRows(db) && !isLocked(db, id);
    const missing = wanted.filter((id) => !kept.has(id) || isStale(id));
    for (const some of chunks(missing)) {
      const rows = await query(db, some, locking);
      for (const id of some) kept.set(id, undefined);
      for (const row of rows) kept.set(idOf(row), row);
    }
    if (locking === 'all') markLocked(db, wanted);
    return wanted.flatMap((id) => kept.get(id) ?? []);
  };
  const lockFree = async (db: Connection, ids: readonly string[]): Promise<string[]> => {
    const wanted = [...new Set(ids)].filter((id) => !isLocked(db, id));
    const others: string[] = [];
    for (const some of canLockRows(db) ? chunks(wanted) : []) {
      locked(db, await query(db, some, 'free'));
      others.push(...some.filter((id) => !isLocked(db, id)));
    }
    // The others do not exist, or another transaction has locked them.
    return others.length === 0 ? [] : (await query(db, others, 'none')).map(idOf);
  };
  const forget = (db: Connection) => {
    rowsOf.delete(db);
  };
  tables.push({ forget });
  return {
    read: (db, ids) => readOrLock(db, ids, 'none'),
    readOne: async (db, id) => (await readOrLock(db, [id], 'none'))[0],
    lock: (db, ids) => readOrLock(db, ids, 'all'),
    lockFree,
    isLocked,
    inserted: locked,
    found,
    locked,
    changed: (db, id, change) => {
      const row = keptIn(db).get(id);
      if (row === undefined) return;
      found(db, [{ ...row, ...(typeof change === 'function' ? change(row) : change) }]);
    },
    forget,
  };
}

/** Records that rows of any table were changed or deleted, or that a part of the transaction was undone. */
export function forgetRows(db: Connection): void {
  for (const { forget } of tables) forget(db);
}
