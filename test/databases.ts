import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { inject } from 'vitest';
import { openSqlite } from '../src/storage/sqlite.ts';
import { connectSqlite } from '../src/storage/sqlite-file.ts';
import type { Storage } from '../src/storage/storage.ts';
import { onEndOfFile } from './end-of-file.ts';
import { executeOn, postgresUrl, template } from './postgres.ts';

let made = 0;

/** An SQLite database in memory with the current schema and no rows, as the program makes it. */
let emptyInMemory: Promise<Uint8Array> | null = null;

async function makeInMemory(): Promise<Uint8Array> {
  const database = connectSqlite(':memory:', 0);
  const storage = await openSqlite(':memory:', () => database);
  const copy = database.serialize();
  await storage.close();
  return copy;
}

/** Opens a copy of it: to copy takes a tenth of the time of making its tables. */
export async function openInMemory(): Promise<Storage> {
  emptyInMemory ??= makeInMemory();
  const copy = await emptyInMemory;
  return openSqlite(':memory:', (...how) => {
    const database = connectSqlite(...how);
    database.deserialize(copy);
    return database;
  });
}

/** Writes it to a file in a folder. */
export async function fileIn(folder: string): Promise<string> {
  emptyInMemory ??= makeInMemory();
  const file = join(folder, 'waybill.db');
  writeFileSync(file, await emptyInMemory);
  return file;
}

/** Makes a PostgreSQL database with the current schema and no rows, and gives its URL. It ends with the test file. */
export function newDatabase(): Promise<string> {
  return copyOf(template);
}

/** The same without a table. */
export function emptyDatabase(): Promise<string> {
  return copyOf('template1');
}

/** Gives the location of a new database of each engine. */
export const engines = { sqlite: async () => ':memory:', postgres: newDatabase };

/**
 * Gives the URL of one database, without rows each time: removing them takes less time than making a database, and on
 * one connection, which knows the tables, less than on a new one each time.
 */
export function reusedDatabase(): () => Promise<string> {
  let opened: ReturnType<typeof connectedDatabase> | null = null;
  return async () => {
    opened ??= connectedDatabase();
    const { url, client } = await opened;
    await client.query(removeRows);
    return url;
  };
}

/** A new database and a connection to it, which ends with it. */
async function connectedDatabase(): Promise<{ url: string; client: pg.Client }> {
  const url = await newDatabase();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return { url, client };
}

/** Removes all rows in one statement without looking at foreign keys, and lets sequences begin again. */
const removeRows = `do $$ declare name text; begin
  set local session_replication_role = replica;
  for name in select tablename from pg_tables where schemaname = 'public' and tablename <> 'schema_version' loop
    execute format('delete from %I', name);
  end loop;
  for name in select sequencename from pg_sequences where schemaname = 'public' loop
    execute format('alter sequence %I restart', name);
  end loop;
end $$`;

async function copyOf(original: string): Promise<string> {
  made += 1;
  const name = `waybill_${process.pid}_${made}`;
  // Copying the files takes half the time of writing their pages to the log.
  await onServer(`create database ${name} template ${original} strategy file_copy`);
  onEndOfFile(() => onServer(`drop database ${name} with (force)`));
  return postgresUrl(inject('postgres_port'), name);
}

/** What the shared server says until it has started and made its template: it starts while the first tests run. */
const starting = ['ECONNREFUSED', '57P03', '3D000'];

async function onServer(statement: string, attempts = 300): Promise<void> {
  try {
    await executeOn(postgresUrl(inject('postgres_port'), 'postgres'), statement);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (attempts === 0 || !starting.includes(code)) throw error;
    await pause(100);
    await onServer(statement, attempts - 1);
  }
}
