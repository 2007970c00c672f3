import type { DatabaseCopy } from '../../service/backups.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Column } from '../kit/result/result.ts';
import { unavailable } from './administer.ts';
import type { Context } from './command.ts';
import { databaseOf, inMemory } from './database-flag.ts';

/** A copy of a database, and where it is. */
export interface Copied extends DatabaseCopy {
  file: string;
}

export const copyColumns: readonly Column<Copied>[] = [
  { field: 'file', header: 'File', kind: 'id', value: ({ file }) => file },
  { field: 'bytes', header: 'Bytes', kind: 'count', value: ({ bytes }) => bytes },
  { field: 'schema_version', header: 'Schema', kind: 'count', value: ({ schema_version }) => schema_version },
  { field: 'orders', header: 'Orders', kind: 'count', value: ({ orders }) => orders },
  { field: 'deliveries', header: 'Deliveries', kind: 'count', value: ({ deliveries }) => deliveries },
];

/** The database file of `--database`; UsageError if it is not a file. */
export function databaseFileOf({ host }: Context, given: string | undefined, command: string): string {
  const database = databaseOf(host, given);
  if (database !== inMemory && !database.includes('://')) return database;
  throw new UsageError(`\`waybill ${command}\` works on SQLite files.`, {
    hint: 'For PostgreSQL use pg_dump and pg_restore: see `waybill help operating`.',
  });
}

/** Loads the functions that copy databases, and reports their errors. */
export async function withCopies<T>(
  work: (copies: typeof import('../../service/backups.ts')) => Promise<T>,
): Promise<T> {
  try {
    return await work(await import('../../service/backups.ts'));
  } catch (error) {
    throw unavailable(error) ?? error;
  }
}
