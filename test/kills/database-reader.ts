import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { onTestFinished } from 'vitest';

/** Reads a database with SQL on a separate connection, without code of the program. */
export interface Reader {
  rows: <Row>(statement: string) => Promise<Row[]>;
  /** The SQL of a field within a JSON column. */
  json: (column: string, name: string) => string;
}

/** Opens the file on the first query; it must exist by then. */
export function sqliteReader(file: string): Reader {
  let database: DatabaseSync | undefined;
  onTestFinished(() => database?.close());
  return {
    rows: async <Row>(statement: string) => {
      // Read-only, so that it cannot create the file.
      if (database === undefined && existsSync(file)) {
        database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
      }
      if (database === undefined) throw new Error(`there is no ${file}`);
      return database.prepare(statement).all() as Row[];
    },
    json: (column, name) => `(${column} ->> '${name}')`,
  };
}

const bigint = 20;

export function postgresReader(connectionString: string): Reader {
  const pool = new pg.Pool({
    connectionString,
    max: 2,
    // 64-bit integers as numbers: all of them are small enough here.
    types: {
      getTypeParser: (type: number) =>
        type === bigint ? (text: string) => Number(text) : pg.types.getTypeParser(type),
    },
  });
  // The server may end the connections before the pool has.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  onTestFinished(() => pool.end());
  return {
    rows: async (statement) => (await pool.query(statement)).rows,
    json: (column, name) => `(${column}::json ->> '${name}')`,
  };
}
