/** Work on a database itself, without a key: accounts, schemas, copies and stored secrets. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type {
  AccountState,
  Administration,
  DatabaseCopy,
  ErasedOrder,
  IssuedKey,
  PersonQuery,
  SchemaState,
} from '../../service/administration.ts';
import type { KeyUse, KeyUses, Rotation, SecretRotation } from '../../service/secret-rotation.ts';
import { BadValue, type Flag, parsedTextFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { invocation } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import { codeOf, reasonOf } from '../kit/system/files.ts';
import { embeddedFile, resolveLink } from '../settings/settings.ts';
import type { Context } from './command.ts';
import { secretKeyOf } from './connect.ts';

export type { AccountState, ErasedOrder, IssuedKey, KeyUse, KeyUses, PersonQuery, Rotation, SchemaState };

/** Works on the database itself, without a key, and closes it at the end. It must exist, unless `creates` is set. */
export async function administer<T>(
  { host }: Context,
  given: string | undefined,
  work: (administration: Administration) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  const database = creates ? databaseOf(host, given) : existingDatabase(host, given);
  const { openAdministration } = await import('../../service/administration.ts');
  const administration = await openAdministration(database, await loginName()).catch((error: unknown) => {
    throw unavailableDatabase(error) ?? error;
  });
  try {
    return await work(administration);
  } catch (error) {
    throw unavailableDatabase(error) ?? error;
  } finally {
    await administration.close();
  }
}

/** The login of the person or program that runs this; a container may run it under a number without a name. */
async function loginName(): Promise<string> {
  const { userInfo } = await import('node:os');
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.()}`;
  }
}

/** The schema of a database, which is not changed. */
export async function readSchema({ host }: Context, database: string | undefined): Promise<SchemaState> {
  const { readSchemaState } = await import('../../service/administration.ts');
  return readSchemaState(databaseOf(host, database)).catch((error: unknown) => {
    throw unavailableDatabase(error) ?? error;
  });
}

/** Migrates a database; opening it does. */
export async function migrateSchema(context: Context, database: string | undefined): Promise<SchemaState> {
  await administer(context, database, async () => {}, { creates: true });
  return readSchema(context, database);
}

/** The failure of a database that cannot be opened, read or written; null for any other error. */
function unavailableDatabase(error: unknown): Failure | null {
  if (!(error instanceof Error) || error.name !== 'StorageUnavailable') return null;
  const subject = 'subject' in error ? error.subject : 'the database';
  return new Failure(7, 'storage_unavailable', `Cannot use ${subject}: ${error.message}.`, {
    cause: error,
  });
}

/** An account that must exist in the database of `--database`. */
export function existing<T>(found: T | null, id: string, database: string | undefined): T {
  if (found !== null) return found;
  throw new Failure(5, 'record_not_found', `There is no account ${id} in this database.`, {
    next: [{ ...invocation('admin accounts', ['list'], sameDatabase(database)), when: 'list the accounts' }],
  });
}

/** The value of an argument that an action needs. */
export function needed(value: string | undefined, action: string, name: string): string {
  if (value !== undefined) return value;
  throw new UsageError(`\`waybill ${action}\` needs ${name}.`);
}

/**
 * Issues keys and shows them, or writes them to a new file that only its owner can read. The file is created first, so
 * that no key is issued that cannot be kept.
 */
export async function keepKeys<T>(
  { host }: Context,
  file: string | undefined,
  issue: () => Promise<T>,
  keysOf: (issued: T) => readonly IssuedKey[],
): Promise<T> {
  if (file === undefined) return issue();
  const { open, unlink } = await import('node:fs/promises');
  const path = resolve(host.folder, file);
  const created = await open(path, 'wx', 0o600).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') {
      throw new UsageError(`Cannot create the file of --key-out: there is no folder ${dirname(path)}.`, {
        hint: 'Create the folder, or name a file in another one.',
      });
    }
    throw new UsageError(`Cannot create the file of --key-out: ${reasonOf(error)}.`, {
      hint: 'Name a file that does not exist yet.',
    });
  });
  try {
    const issued = await issue();
    await created.writeFile(`${JSON.stringify(keysOf(issued), null, 2)}\n`);
    return issued;
  } catch (error) {
    await unlink(path);
    throw error;
  } finally {
    await created.close();
  }
}

/** A copy of a database, and where it is. */
export interface Copied extends DatabaseCopy {
  file: string;
}

export const copyColumns: readonly Column<Copied>[] = [
  { field: 'file', header: 'File', kind: 'id' },
  { field: 'bytes', header: 'Bytes', kind: 'count' },
  { field: 'schema_version', header: 'Schema', kind: 'count' },
  { field: 'orders', header: 'Orders', kind: 'count' },
  { field: 'deliveries', header: 'Deliveries', kind: 'count' },
];

/** The fields of such a copy in JSON. */
export const copyFields = {
  file: 'string',
  bytes: 'integer',
  schema_version: 'integer',
  orders: 'integer',
  deliveries: 'integer',
} as const;

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
  work: (copies: typeof import('../../service/administration.ts')) => Promise<T>,
): Promise<T> {
  try {
    return await work(await import('../../service/administration.ts'));
  } catch (error) {
    throw unavailableDatabase(error) ?? error;
  }
}

/** A database that exists as long as the process. */
export const inMemory = ':memory:';

/** `--database`: a file, `:memory:` or a URL of PostgreSQL. */
export function databaseFlag(): Flag<string | undefined> {
  return parsedTextFlag(readDatabase, {
    summary: 'SQLite file, :memory:, or postgres://...',
    placeholder: 'DATABASE',
  });
}

/** The location of a database; without a flag that of the embedded service. */
export function databaseOf(
  host: Pick<Host, 'folder'> & Parameters<typeof embeddedFile>[0],
  given: string | undefined,
): string {
  if (given === undefined) return embeddedFile(host);
  return isPostgres(given) || given === inMemory ? given : resolveLink(resolve(host.folder, given));
}

/** The location of a database that must exist: opening a file would create it, under a mistyped name as well. */
function existingDatabase(host: Parameters<typeof databaseOf>[0], given: string | undefined): string {
  const database = databaseOf(host, given);
  if (database === inMemory || isPostgres(database) || existsSync(database)) return database;
  throw new Failure(7, 'storage_unavailable', `Cannot use the database: there is no file ${database}.`);
}

/** The flag of a suggested command on the same database; a URL is not repeated, because it may have a password. */
export function sameDatabase(given: string | undefined): { database: string | undefined } {
  return { database: given?.includes('://') ? 'DATABASE' : given };
}

/** True for a URL of PostgreSQL. */
function isPostgres(database: string): boolean {
  return /^postgres(ql)?:\/\//.test(database);
}

/** The message does not repeat the URL, which may contain a password. A single letter is a Windows drive. */
function readDatabase(given: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):(?:\/\/|$)/i.exec(given)?.[1];
  const wrong = given === '' ? 'nothing' : scheme === undefined || isPostgres(given) ? null : `${scheme}:`;
  if (wrong === null) return given;
  throw new BadValue(`must be a file, :memory:, or postgres://..., not ${wrong}`);
}

interface SecretFlags {
  database: string | undefined;
  secretKeyFile?: string | undefined;
}

/** Works on the database itself, which must exist, without an API key, and closes it at the end. */
export async function withSecrets<T>(
  { host }: Pick<Context, 'host'>,
  flags: SecretFlags,
  work: (secrets: SecretRotation) => Promise<T>,
): Promise<T> {
  const { openSecretRotation } = await import('../../service/secret-rotation.ts');
  const database = existingDatabase(host, flags.database);
  const secrets = await openSecretRotation(database, secretKeyOf(host, flags.secretKeyFile)).catch(
    (error: unknown) => {
      throw unavailableDatabase(error) ?? error;
    },
  );
  try {
    return await work(secrets);
  } catch (error) {
    throw keyFailure(error) ?? unavailableDatabase(error) ?? error;
  } finally {
    await secrets.close();
  }
}

/** The failure of a key that is missing or is not one; null for any other error. */
function keyFailure(error: unknown): Failure | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'secret_key_missing')) return null;
  return new Failure(6, 'secret_key_missing', error.message, {
    hint: 'Name the key with WAYBILL_SECRET_KEY, or its file with --secret-key-file.',
    cause: error,
  });
}

/**
 * Which keys are missing that stored secrets are encrypted with: without them no webhook can be signed and no courier
 * asked. Null if none is.
 */
export async function missingKeysText(
  context: Pick<Context, 'host'>,
  flags: SecretFlags,
): Promise<string | null> {
  const { file, keys } = await withSecrets(context, flags, (secrets) => secrets.uses());
  const missing = keys.filter(({ state }) => state === 'missing');
  if (missing.length === 0) return null;
  const count = missing.reduce((sum, { secrets }) => sum + secrets, 0);
  const what = count === 1 ? 'One stored secret is' : `${count} stored secrets are`;
  const names = missing.map(({ key }) => key).join(' and ');
  const place = file === null ? 'WAYBILL_SECRET_KEY' : `the key file ${file}`;
  return `${what} encrypted with the key ${names}, which is not in ${place}. Webhooks and couriers that need it fail until it is put back.`;
}
