import type { OperationNodeSource } from 'kysely';
import type { Connection } from './database.ts';
import { canLockRows, chunks } from './rows.ts';

// A transaction that executes many tasks appends a row or two to the same tables in each. It collects them, and
// inserts those of each table with one statement at its end, or before it reads the table. PostgreSQL inserts the few
// rows of a request into all tables with one statement, and the events with another: a transaction that publishes an
// event must have written before (`event-order.ts`), and the order within one statement is not defined.

/** An insert that is not executed yet. */
interface Insert extends OperationNodeSource {
  execute: () => Promise<unknown>;
}

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

/** The rows that are collected for a table. */
interface CollectedTable {
  isLog: boolean;
  /** Takes the rows from the collection, as inserts. */
  take: (db: Connection) => { inserts: Insert[]; rows: number };
}

/** The transactions that collect. */
const collecting = new WeakSet<Connection>();
const tables: CollectedTable[] = [];

/** `isLog`: its rows are inserted after those of all other tables. */
export function appendedTable<Row>(
  insert: (db: Connection, rows: Row[]) => Insert,
  { isLog = false } = {},
): AppendedTable<Row> {
  const collected = new WeakMap<Connection, Row[]>();
  const insertsOf = (db: Connection, rows: readonly Row[]) => chunks(rows).map((some) => insert(db, some));
  const take: CollectedTable['take'] = (db) => {
    const rows = collected.get(db) ?? [];
    collected.delete(db);
    return { inserts: insertsOf(db, rows), rows: rows.length };
  };
  const flush = (db: Connection) => executeEach(take(db).inserts);
  const changeCollected: AppendedTable<Row>['changeCollected'] = (db, { columns, isMeant }) => {
    const all = collected.get(db) ?? [];
    const index = all.findIndex(isMeant);
    const row = all[index];
    if (row !== undefined) all[index] = { ...row, ...columns };
    return row !== undefined;
  };
  tables.push({ isLog, take });
  return {
    append: async (db, rows) => {
      if (!collecting.has(db)) return executeEach(insertsOf(db, rows));
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
  const taken = tables.map(({ isLog, take }) => ({ isLog, ...take(db) }));
  const [logs, others] = [taken.filter(({ isLog }) => isLog), taken.filter(({ isLog }) => !isLog)];
  const inserts = others.flatMap((each) => each.inserts);
  const rows = others.reduce((sum, each) => sum + each.rows, 0);
  if (canLockRows(db) && inserts.length > 1 && rows <= max_combined_rows) await executeAll(db, inserts);
  else await executeEach(inserts);
  await executeEach(logs.flatMap((each) => each.inserts));
}

/** Each has at most twenty columns: far below the 65,535 parameters of a statement. */
const max_combined_rows = 500;

/** Executes inserts as one statement. PostgreSQL only. */
async function executeAll(db: Connection, inserts: readonly Insert[]): Promise<void> {
  const { sql } = await import('kysely');
  const parts = inserts.map((insert, index) => sql`${sql.ref(`insert_${index}`)} as (${insert})`);
  await sql`with ${sql.join(parts)} select 1`.execute(db);
}

async function executeEach(inserts: readonly Insert[]): Promise<void> {
  for (const insert of inserts) await insert.execute();
}

/** Forgets what a part of a transaction that failed has collected: those that share a commit share the connection. */
export function discardCollected(db: Connection): void {
  collecting.delete(db);
  for (const { take } of tables) take(db);
}

/**
 * Runs a part of a transaction that collects the rows that it appends, and inserts them at its end. Within another such
 * part, the rows are inserted at the end of that one.
 */
export async function whileCollecting<T>(db: Connection, work: () => Promise<T>): Promise<T> {
  if (collecting.has(db)) return work();
  try {
    collectInserts(db);
    const result = await work();
    await insertCollected(db);
    return result;
  } finally {
    discardCollected(db);
  }
}
