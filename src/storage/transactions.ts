import type {
  CompiledQuery,
  DatabaseConnection,
  KyselyPlugin,
  OperationNodeSource,
  QueryId,
  QueryResult,
} from 'kysely';
import type { Connection } from './database.ts';
import { canLockRows, chunks, type Locking } from './rows.ts';

// The steps of a transaction read the same few rows again and again, append some, and change them. A transaction
// therefore keeps the rows that it has read or appended: it reads each once, and those of many tasks with one statement
// for each table. After a query that writes a table it forgets the rows of that table, but for a change or a deletion that
// returns its rows. Other transactions' writes make no kept row wrong: a serializable transaction does not see them, and a
// read committed one locks what it decides by. A lock reads the row again, as another transaction may have changed it since
// it was read; and what was found, or missing, before a lock is looked up again after it, as whoever held the lock may have
// added rows. Outside of a transaction nothing is kept.

/** Appends rows to a table; a transaction inserts them later. */
type Append<Row> = (db: Connection, rows: readonly Row[]) => Promise<void>;

type AppendOne<Row> = (db: Connection, row: Row) => Promise<void>;

type InsertQuery<Row> = (db: Connection, rows: Row[]) => Insert & { execute: () => Promise<unknown> };

/** `isLog`: the rows are inserted after those of all other tables. */
export function appendTo<Row>(table: string, insert: InsertQuery<Row>, { isLog = false } = {}): Append<Row> {
  const appended = new WeakMap<TransactionState, Row[]>();
  return async (db, rows) => {
    const state = stateOf(db);
    if (state === undefined) {
      for (const some of chunks(rows)) await insert(db, some).execute();
      return;
    }
    const all = appended.get(state);
    if (all !== undefined) {
      all.push(...rows);
      return;
    }
    const first = [...rows];
    appended.set(state, first);
    const take = (inside: Connection) => {
      appended.delete(state);
      return { inserts: chunks(first).map((some) => insert(inside, some)), rows: first.length };
    };
    state.append({ table, isLog, take });
  };
}

/** Reads, and may lock, the rows in which a column has one of some values. */
type RowsQuery<Row> = (db: Connection, values: readonly string[], locking: Locking) => Promise<Row[]>;

interface ReturningQuery<Row> {
  returningAll: () => { compile: () => CompiledQuery<Row> };
}

/** The rows of one table. */
interface KeptRows<Row> {
  byKey: (query: RowsQuery<Row>) => RowsBy<Row>;
  /** By another column; the rows are in the order of their keys. */
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
  /** Reads rows as they are now, and locks them until the transaction ends. Those that it has locked stay kept. */
  lock: (db: Connection, values: readonly string[]) => Promise<Row[]>;
  /** Locks rows without waiting; returns the keys of those that another transaction has locked. Only by key. */
  lockFree: (db: Connection, keys: readonly string[]) => Promise<string[]>;
}

/** `keyOf` is unique in the table. */
export function keptRows<Row>(table: string, keyOf: (row: Row) => string): KeptRows<Row> {
  const states = new WeakMap<TransactionState, Kept<Row>>();
  const keptIn = (db: Connection): Kept<Row> => {
    const state = stateOf(db);
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
      const others: string[] = [];
      for (const some of canLockRows(db) ? chunks([...new Set(keys)].filter(isFree)) : []) {
        kept.keepLocked(await query(db, some, 'free'));
        others.push(...some.filter(isFree));
      }
      // The others do not exist, or another transaction has locked them.
      return others.length === 0 ? [] : (await query(db, others, 'none')).map(kept.keyOf);
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
    const state = stateOf(db);
    if (state === undefined) return ask(db, question);
    let kept = states.get(state);
    if (kept === undefined) {
      const answers = new Map<string, Answer>();
      for (const table of tables) state.keep({ table, forget: () => answers.clear() });
      states.set(state, answers);
      kept = answers;
    }
    const key = JSON.stringify(question);
    const answer = kept.get(key) ?? (await ask(db, question));
    kept.set(key, answer);
    return answer;
  };
}

// A transaction inserts the rows that it appends to a table together: at its end, or before a query of that table. It
// keeps rows that it has read until it writes their table. The functions that query the database
// do nothing for it: the connection reads in the text of each query which tables it concerns, before it executes it.
//
// PostgreSQL inserts few rows of several tables with one statement, and events with another: a transaction that
// publishes an event must have written before (`events.ts`), and the order within one statement is not defined.

/** An insert that is not executed yet. */
interface Insert extends OperationNodeSource {
  compile: () => CompiledQuery;
}

/** A table to which a transaction has appended rows that are not inserted yet. */
interface Appended {
  table: string;
  /** Its rows are inserted after those of all other tables. */
  isLog: boolean;
  /** Takes the rows, as inserts. */
  take: (db: Connection) => { inserts: Insert[]; rows: number };
}

/** What a transaction keeps of a table. */
interface KeptInState {
  table: string;
  /** Called after each query that may write the table. */
  forget: () => void;
  /** Called after each query that may have waited for a lock. */
  lookUpAgain?: () => void;
}

/** The tasks of a transaction besides its queries. As a plugin of its query builder it is found for each query. */
class TransactionState implements KyselyPlugin {
  /** The transaction without this plugin. */
  readonly #db: Connection;
  /** In the order of the first rows. */
  #appended: Appended[] = [];
  readonly #kept: KeptInState[] = [];

  constructor(db: Connection) {
    this.#db = db;
  }

  transformQuery: KyselyPlugin['transformQuery'] = ({ node, queryId }) => {
    stateOfQuery.set(queryId, this);
    return node;
  };

  transformResult: KyselyPlugin['transformResult'] = async ({ result }) => result;

  /** Has rows inserted later. */
  append(appended: Appended): void {
    this.#appended.push(appended);
  }

  keep(kept: KeptInState): void {
    this.#kept.push(kept);
  }

  /** Inserts the appended rows of the tables in a query. */
  async beforeQuery(text: string, execute: Execute): Promise<void> {
    const meant = this.#appended.filter(({ table }) => isTableIn(text, table));
    if (meant.length === 0) return;
    const isLogMeant = meant.some(({ isLog }) => isLog);
    // PostgreSQL inserts the rows of other tables with the same statement.
    const others = canLockRows(this.#db) ? this.#appended.filter(({ isLog }) => !isLog) : meant;
    await this.#insert(isLogMeant ? this.#appended : others, execute);
  }

  /** Inserts all appended rows. */
  async end(): Promise<void> {
    await this.#insert(this.#appended, (query) => this.#db.executeQuery(query));
  }

  afterLock(): void {
    for (const { lookUpAgain } of this.#kept) lookUpAgain?.();
  }

  afterQuery(text: string): void {
    if (text.startsWith('select')) return;
    for (const { table, forget } of this.#kept) if (isTableIn(text, table)) forget();
  }

  async #insert(some: readonly Appended[], execute: Execute): Promise<void> {
    this.#appended = this.#appended.filter((each) => !some.includes(each));
    const others = some.filter(({ isLog }) => !isLog).map(({ take }) => take(this.#db));
    const logs = some.filter(({ isLog }) => isLog).flatMap(({ take }) => take(this.#db).inserts);
    const inserts = others.flatMap((each) => each.inserts);
    const rows = others.reduce((sum, each) => sum + each.rows, 0);
    if (canLockRows(this.#db) && inserts.length > 1 && rows <= max_combined_rows)
      await execute(await combined(this.#db, inserts));
    else for (const insert of inserts) await execute(insert.compile());
    for (const insert of logs) await execute(insert.compile());
  }
}

type Execute = (query: CompiledQuery) => Promise<unknown>;

/** Each has at most twenty columns: far below the 65,535 parameters of a statement. */
const max_combined_rows = 500;

/** Several inserts as one statement. PostgreSQL only. */
async function combined(db: Connection, inserts: readonly Insert[]): Promise<CompiledQuery> {
  const { sql } = await import('kysely');
  const parts = inserts.map((insert, index) => sql`${sql.ref(`insert_${index}`)} as (${insert})`);
  return sql`with ${sql.join(parts)} select 1`.compile(db);
}

const stateOfQuery = new WeakMap<QueryId, TransactionState>();

/** Queries that change rows, and return them. */
const returningQueries = new WeakSet<QueryId>();

/** The state of a transaction; undefined outside of a transaction. */
function stateOf(db: Connection): TransactionState | undefined {
  return db.getExecutor().plugins.find((plugin) => plugin instanceof TransactionState);
}

/** Runs `work` in a transaction with a state of its own, and inserts at its end what it has appended. */
export async function withState<T>(db: Connection, work: (db: Connection) => Promise<T>): Promise<T> {
  const state = new TransactionState(db);
  const result = await work(db.withPlugin(state));
  await state.end();
  return result;
}

/** Makes a connection insert appended rows before a query that may read them, and forget rows that a query writes. */
export function watchQueries(connection: DatabaseConnection): DatabaseConnection {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const state = stateOfQuery.get(query.queryId);
    await state?.beforeQuery(query.sql, execute);
    const result = await execute<Row>(query);
    if (locks.test(query.sql)) state?.afterLock();
    if (!returningQueries.has(query.queryId)) state?.afterQuery(query.sql);
    return result;
  };
  return connection;
}

/**
 * Executes a query that changes rows of one table and returns them: the transaction keeps its other rows, and the caller
 * keeps these.
 */
export async function executeReturning<Row>(
  db: Connection,
  query: { compile: () => CompiledQuery<Row> },
): Promise<Row[]> {
  const compiled = query.compile();
  returningQueries.add(compiled.queryId);
  return (await db.executeQuery(compiled)).rows;
}

/** The text of a query that waits for the locks of other transactions. */
const locks = /for (?:no key )?update(?! skip locked)|advisory_xact_lock/;

/** Whether a table is read or written by the text of a query. */
function isTableIn(text: string, table: string): boolean {
  // Most texts do not name the table, which is found out faster.
  if (!text.includes(table)) return false;
  let pattern = patterns.get(table);
  if (pattern === undefined) {
    pattern = new RegExp(`(from|join|into|update|,)\\s+"?${table}`, 'i');
    patterns.set(table, pattern);
  }
  return pattern.test(text);
}

const patterns = new Map<string, RegExp>();
