import type { Connection } from './database.ts';
import { chunks } from './rows.ts';
import { findTransactionState, type Insert, type TransactionState } from './transactions.ts';

/** Appends rows to a table; a transaction inserts them later. */
export type Append<Row> = (db: Connection, rows: readonly Row[]) => Promise<void>;

export type InsertQuery<Row> = (db: Connection, rows: Row[]) => Insert & { execute: () => Promise<unknown> };

/** `isLog`: the rows are inserted after those of all other tables. */
export function appendTo<Row>(table: string, insert: InsertQuery<Row>, { isLog = false } = {}): Append<Row> {
  const appended = new WeakMap<TransactionState, Row[]>();
  return async (db, rows) => {
    const state = findTransactionState(db);
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
