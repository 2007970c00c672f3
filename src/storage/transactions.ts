/**
 * Fewer statements: a transaction inserts the rows that it appends to a table together, and keeps rows that it has read
 * until it writes their table (`kept-rows.ts`). Functions that query the database need not know. An insert of `charges`:
 *
 * 1. `withState` gives the transaction a state, as a plugin of its query builder.
 * 2. `insertCharges(db, rows)`, made by `appendTo`, finds the state in `db` and leaves the rows there.
 * 3. The plugin marks every query of the transaction with the state: the connection sees compiled queries only.
 * 4. Before the connection executes one whose text names `charges`, it inserts the rows (`watchQueries`).
 * 5. What is left at the end of the transaction `withState` inserts.
 *
 * PostgreSQL inserts few rows of several tables with one statement, and events with another: a transaction that
 * publishes an event must have written before (`events.ts`), and the order within one statement is not defined.
 */
import type {
  CompiledQuery,
  DatabaseConnection,
  KyselyPlugin,
  OperationNodeSource,
  QueryId,
  QueryResult,
} from 'kysely';
import type { Connection } from './database.ts';
import { canLockRows, chunks } from './rows.ts';

/** Runs `work` in a transaction with a state of its own, and inserts at its end what it has appended. */
export async function withState<T>(db: Connection, work: (db: Connection) => Promise<T>): Promise<T> {
  const state = new TransactionState(db);
  const result = await work(db.withPlugin(state));
  await state.end();
  return result;
}

/** An insert that is not executed yet. */
interface Insert extends OperationNodeSource {
  compile: () => CompiledQuery;
}

export type InsertQuery<Row> = (db: Connection, rows: Row[]) => Insert & { execute: () => Promise<unknown> };

/** Appends rows to a table; a transaction inserts them later. */
export type Append<Row> = (db: Connection, rows: readonly Row[]) => Promise<void>;

/**
 * Returns the function that appends rows to a table. A transaction inserts them at its end, or before a query of the
 * table; those of a log after the rows of all other tables.
 */
export function appendTo<Row>(table: string, insert: InsertQuery<Row>, { isLog = false } = {}): Append<Row> {
  const rowsOf = new WeakMap<TransactionState, AppendedRows<Row>>();
  return async (db, rows) => {
    if (rows.length === 0) return;
    const state = findTransactionState(db);
    if (state === undefined) {
      for (const some of chunks(rows)) await insert(db, some).execute();
      return;
    }
    const appended = rowsOf.get(state) ?? new AppendedRows(table, isLog, insert);
    rowsOf.set(state, appended);
    appended.add(rows);
    state.append(appended);
  };
}

/** The rows that a transaction has appended to a table and not inserted yet. */
class AppendedRows<Row> {
  readonly table: string;
  /** Its rows are inserted after those of all other tables. */
  readonly isLog: boolean;
  readonly #insert: InsertQuery<Row>;
  #rows: Row[] = [];

  constructor(table: string, isLog: boolean, insert: InsertQuery<Row>) {
    this.table = table;
    this.isLog = isLog;
    this.#insert = insert;
  }

  add(rows: readonly Row[]): void {
    this.#rows.push(...rows);
  }

  /** Takes the rows away, as inserts that the caller executes. */
  take(db: Connection): { inserts: Insert[]; row_count: number } {
    const rows = this.#rows;
    this.#rows = [];
    return { inserts: chunks(rows).map((some) => this.#insert(db, some)), row_count: rows.length };
  }
}

/** The state of a transaction; undefined outside of a transaction. */
export function findTransactionState(db: Connection): TransactionState | undefined {
  return db.getExecutor().plugins.find((plugin) => plugin instanceof TransactionState);
}

type Appended = Pick<AppendedRows<unknown>, 'table' | 'isLog' | 'take'>;
type Execute = (query: CompiledQuery) => Promise<unknown>;

/** What a transaction keeps of a table. */
interface KeptInState {
  table: string;
  /** Called after each query that may write the table. */
  forget: () => void;
  /** Called after each query that may have waited for a lock. */
  lookUpAgain?: () => void;
}

/** The tasks of a transaction besides its queries. As a plugin of its query builder it is found for each query. */
export class TransactionState implements KyselyPlugin {
  /** The transaction without this plugin. */
  readonly #db: Connection;
  /** What has rows that are not inserted yet, in the order of the first rows. */
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
    if (!this.#appended.includes(appended)) this.#appended.push(appended);
  }

  keep(kept: KeptInState): void {
    this.#kept.push(kept);
  }

  /** Inserts the appended rows of the tables in a query. */
  async beforeQuery(text: string, execute: Execute): Promise<void> {
    const concerned = this.#appended.filter(({ table }) => isTableIn(text, table));
    if (concerned.length === 0) return;
    const isLogConcerned = concerned.some(({ isLog }) => isLog);
    // PostgreSQL inserts the rows of the other tables with the same statement.
    const ordinary = canLockRows(this.#db) ? this.#appended.filter(({ isLog }) => !isLog) : concerned;
    await this.#insert(isLogConcerned ? this.#appended : ordinary, execute);
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

  /** Inserts the rows of some tables; those of logs last. */
  async #insert(some: readonly Appended[], execute: Execute): Promise<void> {
    this.#appended = this.#appended.filter((each) => !some.includes(each));
    const ordinary = some.filter(({ isLog }) => !isLog).map((each) => each.take(this.#db));
    const logs = some.filter(({ isLog }) => isLog).flatMap((each) => each.take(this.#db).inserts);
    const inserts = ordinary.flatMap((each) => each.inserts);
    const row_count = ordinary.reduce((sum, each) => sum + each.row_count, 0);
    if (canLockRows(this.#db) && inserts.length > 1 && row_count <= max_combined_rows)
      await execute(await combined(this.#db, inserts));
    else for (const insert of inserts) await execute(insert.compile());
    for (const insert of logs) await execute(insert.compile());
  }
}

/** A row has at most twenty columns: this many are far below the 65,535 parameters of a statement. */
const max_combined_rows = 500;

/** `with insert_0 as (insert ...), insert_1 as (insert ...) select 1`: several inserts as one. PostgreSQL only. */
async function combined(db: Connection, inserts: readonly Insert[]): Promise<CompiledQuery> {
  const { sql } = await import('kysely');
  const parts = inserts.map((insert, index) => sql`${sql.ref(`insert_${index}`)} as (${insert})`);
  return sql`with ${sql.join(parts)} select 1`.compile(db);
}

/** Which transaction a compiled query belongs to. */
const stateOfQuery = new WeakMap<QueryId, TransactionState>();

/** Queries that change rows, and return them. */
const returningQueries = new WeakSet<QueryId>();

/** Makes a connection insert appended rows before a query that may read them, and forget rows that a query writes. */
export function watchQueries(connection: DatabaseConnection): DatabaseConnection {
  const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection);
  connection.executeQuery = async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const state = stateOfQuery.get(query.queryId);
    await state?.beforeQuery(query.sql, execute);
    const result = await execute<Row>(query);
    if (waitsForLocks.test(query.sql)) state?.afterLock();
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

/** In the text of a query: it may wait for the locks of other transactions. */
const waitsForLocks = /for (?:no key )?update(?! skip locked)|advisory_xact_lock/;

const tablePatterns = new Map<string, RegExp>();

/**
 * Whether the text of a query may read or write a table: its name, or a longer one, stands after `from`, `join`, `into`,
 * `update` or a comma, as in `from "orders"`, `insert into orders` and `from routes, orders`. True for too many texts
 * costs a statement; false for one that concerns the table would let it miss rows.
 */
function isTableIn(text: string, table: string): boolean {
  // Most texts do not have the name at all, which is found out faster.
  if (!text.includes(table)) return false;
  const pattern = tablePatterns.get(table) ?? new RegExp(`(from|join|into|update|,)\\s+"?${table}`, 'i');
  tablePatterns.set(table, pattern);
  return pattern.test(text);
}
