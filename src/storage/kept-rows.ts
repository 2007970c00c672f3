/**
 * The steps of a transaction read the same few rows again and again, append some, and change them. A transaction
 * therefore keeps the rows that it has read or appended, and reads those of many tasks with one statement:
 *
 *     const byId = keptRows<OrderRow>('orders', ({ id }) => id).byKey(selectOrders);
 *     await byId.read(db, ['ord_1', 'ord_2']);   // one query
 *     await byId.readOne(db, 'ord_2');             // none
 *
 * - After a query that writes a table it forgets the rows of that table. `change` and `remove` return theirs instead.
 * - Other transactions' writes make no kept row wrong: a serializable transaction does not see them, and a read committed
 *   one locks what it decides by.
 * - A lock reads the row again, as another transaction may have changed it since it was read. What was found, or missing,
 *   before a lock is looked up again after it, as whoever held the lock may have added rows.
 *
 * Outside of a transaction nothing is kept.
 */
import type { CompiledQuery } from 'kysely';
import type { Connection } from './database.ts';
import { canLockRows, chunks, type Locking } from './rows.ts';
import {
  type Append,
  appendTo,
  executeReturning,
  findTransactionState,
  type InsertQuery,
  type TransactionState,
} from './transactions.ts';

type AppendOne<Row> = (db: Connection, row: Row) => Promise<void>;

/** Reads, and may lock, the rows in which a column has one of some values. */
type RowsQuery<Row> = (db: Connection, values: readonly string[], locking: Locking) => Promise<Row[]>;

interface ReturningQuery<Row> {
  returningAll: () => { compile: () => CompiledQuery<Row> };
}

/** The rows of one table. */
interface KeptRows<Row> {
  /** Reads rows by their keys. */
  byKey: (query: RowsQuery<Row>) => RowsBy<Row>;
  /** Reads rows by another column, in the order of their keys. */
  by: (columnOf: (row: Row) => string, query: RowsQuery<Row>) => RowsBy<Row>;
  /** Appends rows, which no other transaction can change. */
  appendBy: <New extends Row = Row>(insert: InsertQuery<New>) => Append<New>;
  appendOneBy: <New extends Row = Row>(insert: InsertQuery<New>) => AppendOne<New>;
  /** Changes rows of the table, and returns them. */
  change: (db: Connection, query: ReturningQuery<Row>) => Promise<Row[]>;
  /** Deletes rows of the table, and returns them. */
  remove: (db: Connection, query: ReturningQuery<Row>) => Promise<Row[]>;
  /** Keeps rows that were read and locked by other columns. */
  keepLocked: (db: Connection, rows: readonly Row[]) => void;
  /** Whether the transaction has locked or appended a row. */
  isLocked: (db: Connection, key: string) => boolean;
}

/** Reads rows by the values of one column. */
interface RowsBy<Row> {
  read: (db: Connection, values: readonly string[]) => Promise<Row[]>;
  readOne: (db: Connection, value: string) => Promise<Row | undefined>;
  /** Reads rows as they are now. */
  readAgain: (db: Connection, values: readonly string[]) => Promise<Row[]>;
  /** Locks rows until the transaction ends, and reads those as they are now that it had not locked before. */
  lock: (db: Connection, values: readonly string[]) => Promise<Row[]>;
  /** Locks rows by their keys without waiting; returns the keys of those that another transaction has locked. */
  lockFree: (db: Connection, keys: readonly string[]) => Promise<string[]>;
}

/** The rows of a table, which transactions keep by a key that is unique in it. */
export function keptRows<Row>(table: string, keyOf: (row: Row) => string): KeptRows<Row> {
  const states = new WeakMap<TransactionState, Kept<Row>>();
  const keptIn = (db: Connection): Kept<Row> => {
    const state = findTransactionState(db);
    const known = state && states.get(state);
    if (known !== undefined) return known;
    const kept = new Kept(keyOf);
    if (state === undefined) return kept;
    states.set(state, kept);
    state.keep({ table, forget: () => kept.forget(), lookUpAgain: () => kept.lookUpAgain() });
    return kept;
  };
  const appendBy = <New extends Row>(insert: InsertQuery<New>): Append<New> => {
    const append = appendTo(table, insert);
    return async (db, rows) => {
      await append(db, rows);
      keptIn(db).keepLocked(rows);
    };
  };
  return {
    byKey: (query) => rowsBy(keptIn, query, keyOf),
    by: (columnOf, query) => rowsBy(keptIn, query, columnOf),
    appendBy,
    appendOneBy: (insert) => {
      const append = appendBy(insert);
      return (db, row) => append(db, [row]);
    },
    change: async (db, query) => {
      const rows = await executeReturning(db, query.returningAll());
      keptIn(db).keep(rows);
      return rows;
    },
    remove: async (db, query) => {
      const rows = await executeReturning(db, query.returningAll());
      for (const row of rows) keptIn(db).rows.delete(keyOf(row));
      return rows;
    },
    keepLocked: (db, rows) => keptIn(db).keepLocked(rows),
    isLocked: (db, key) => keptIn(db).locked.has(key),
  };
}

function rowsBy<Row>(
  keptIn: (db: Connection) => Kept<Row>,
  query: RowsQuery<Row>,
  columnOf: (row: Row) => string,
): RowsBy<Row> {
  /** Replaces what is kept of the rows with some values. */
  const load = async (db: Connection, values: readonly string[], locking: 'none' | 'all' = 'none') => {
    const kept = keptIn(db);
    for (const some of chunks(values)) {
      const rows = await query(db, some, locking);
      for (const row of kept.find(columnOf, some)) kept.rows.delete(kept.keyOf(row));
      kept.keep(rows);
      addTo(kept.readBy, query, some);
    }
    return kept;
  };
  const read = async (db: Connection, values: readonly string[]): Promise<Row[]> => {
    const wanted = [...new Set(values)];
    const before = keptIn(db);
    const kept = await load(
      db,
      wanted.filter((value) => !before.isRead(query, value)),
    );
    return kept.find(columnOf, wanted);
  };
  return {
    read,
    readOne: async (db, value) => (await read(db, [value]))[0],
    readAgain: async (db, values) => (await load(db, [...new Set(values)])).find(columnOf, values),
    lock: async (db, values) => {
      // Two transactions that lock the same rows do so in the same order.
      const wanted = [...new Set(values)].sort();
      const before = keptIn(db);
      const isCurrent = (value: string) => before.isLocked(query, value) || !canLockRows(db);
      const missing = wanted.filter((value) => !before.isRead(query, value) || !isCurrent(value));
      const kept = await load(db, missing, 'all');
      addTo(kept.lockedBy, query, wanted);
      const rows = kept.find(columnOf, wanted);
      kept.keepLocked(rows);
      return rows;
    },
    lockFree: async (db, keys) => {
      const kept = keptIn(db);
      const isFree = (key: string) => !kept.isLocked(query, key);
      // The keys of rows that do not exist, or that another transaction has locked.
      const missed: string[] = [];
      for (const some of canLockRows(db) ? chunks([...new Set(keys)].filter(isFree)) : []) {
        kept.keepLocked(await query(db, some, 'free'));
        missed.push(...some.filter(isFree));
      }
      return missed.length === 0 ? [] : (await query(db, missed, 'none')).map(kept.keyOf);
    },
  };
}

/** The rows of a table that one transaction keeps. */
class Kept<Row> {
  readonly keyOf: (row: Row) => string;
  /** By key. */
  readonly rows = new Map<string, Row>();
  /** The keys of the rows that only the transaction can change. */
  readonly locked = new Set<string>();
  /** For each query the values whose rows are all kept, and those whose rows are all locked. */
  readonly readBy = new Map<RowsQuery<Row>, Set<string>>();
  readonly lockedBy = new Map<RowsQuery<Row>, Set<string>>();

  constructor(keyOf: (row: Row) => string) {
    this.keyOf = keyOf;
  }

  keep(rows: readonly Row[]): void {
    for (const row of rows) this.rows.set(this.keyOf(row), row);
  }

  keepLocked(rows: readonly Row[]): void {
    this.keep(rows);
    for (const row of rows) this.locked.add(this.keyOf(row));
  }

  forget(): void {
    this.rows.clear();
    this.readBy.clear();
  }

  /** Forgets which look-ups found all rows, but for those that have locked them. */
  lookUpAgain(): void {
    for (const [query, values] of this.readBy) {
      const locked = this.lockedBy.get(query);
      for (const value of values) if (locked?.has(value) !== true) values.delete(value);
    }
  }

  /** The kept rows in which a column has one of some values; by another column in the order of their keys. */
  find(columnOf: (row: Row) => string, values: readonly string[]): Row[] {
    if (columnOf === this.keyOf) return values.flatMap((value) => this.rows.get(value) ?? []);
    const wanted = new Set(values);
    const rows = [...this.rows.values()].filter((row) => wanted.has(columnOf(row)));
    return rows.sort((one, other) => (this.keyOf(one) < this.keyOf(other) ? -1 : 1));
  }

  /** Whether all rows that a query finds by a value are kept. No value of another column is a key. */
  isRead(query: RowsQuery<Row>, value: string): boolean {
    return this.readBy.get(query)?.has(value) === true || this.rows.has(value);
  }

  /** Whether all rows that a query finds by a value are locked. */
  isLocked(query: RowsQuery<Row>, value: string): boolean {
    return this.lockedBy.get(query)?.has(value) === true || this.locked.has(value);
  }
}

function addTo<Key>(sets: Map<Key, Set<string>>, key: Key, values: readonly string[]): void {
  const all = sets.get(key) ?? new Set();
  for (const value of values) all.add(value);
  sets.set(key, all);
}

/** An answer to a question that a transaction keeps until it writes one of some tables. */
export function keptAnswer<Question, Answer>(
  tables: readonly string[],
  ask: (db: Connection, question: Question) => Promise<Answer>,
): (db: Connection, question: Question) => Promise<Answer> {
  const states = new WeakMap<TransactionState, Map<string, Answer>>();
  return async (db, question) => {
    const state = findTransactionState(db);
    if (state === undefined) return ask(db, question);
    const answers = states.get(state) ?? new Map<string, Answer>();
    if (!states.has(state)) for (const table of tables) state.keep({ table, forget: () => answers.clear() });
    states.set(state, answers);
    const key = JSON.stringify(question);
    const answer = answers.get(key) ?? (await ask(db, question));
    answers.set(key, answer);
    return answer;
  };
}
