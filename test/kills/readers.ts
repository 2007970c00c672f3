import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Reads a database by text, on a connection of its own: nothing of the program is between. */
export interface Reader {
  rows: <Row>(statement: string) => Promise<Row[]>;
}

/** Opens the file at the first question; it must be there by then. */
export function sqliteReader(file: string): Reader {
  let database: DatabaseSync | undefined;
  onTestFinished(() => database?.close());
  return {
    rows: async <Row>(statement: string) => {
      // One that does not write: it may not make the file either.
      if (database === undefined && existsSync(file)) {
        database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
      }
      if (database === undefined) throw new Error(`there is no ${file}`);
      return database.prepare(statement).all() as Row[];
    },
  };
}

const bigint = 20;

export function postgresReader(connectionString: string): Reader {
  const pool = new pg.Pool({
    connectionString,
    max: 2,
    // Whole numbers of 64 bits as numbers: all here are small enough.
    types: {
      getTypeParser: (type: number) =>
        type === bigint ? (text: string) => Number(text) : pg.types.getTypeParser(type),
    },
  });
  onTestFinished(() => pool.end());
  return { rows: async (statement) => (await pool.query(statement)).rows };
}
