import { setTimeout as pause } from 'node:timers/promises';
import { inject } from 'vitest';
import { onEndOfFile } from './end-of-file.ts';
import { executeOn, postgresUrl, template } from './postgres.ts';

let made = 0;

/** Makes a PostgreSQL database with the current schema and no rows, and gives its URL. It ends with the test file. */
export function newDatabase(): Promise<string> {
  return copyOf(template);
}

/** The same without a table. */
export function emptyDatabase(): Promise<string> {
  return copyOf('template1');
}

async function copyOf(original: string): Promise<string> {
  made += 1;
  const name = `waybill_${process.pid}_${made}`;
  await onServer(`create database ${name} template ${original}`);
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
