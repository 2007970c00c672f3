/** Works on a database itself, without a key: accounts, schemas, copies and stored secrets. */
import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isPostgresUrl } from '../../domain/operator-settings.ts';
import type {
  AccountState,
  Administration,
  DatabaseCopy,
  ErasedDriver,
  ErasedOrder,
  IssuedKey,
  OldCount,
  PersonQuery,
  PreviewedDriver,
  PreviewedPerson,
  SchemaState,
} from '../../service/administration.ts';
import type { KeyUse, KeyUses, Rotation, SecretRotation } from '../../service/secret-rotation.ts';
import { connectionFlagNames, flagLabel, nameEnvVar } from '../kit/args/command-input.ts';
import { BadValue, type Flag, parsedTextFlag } from '../kit/args/flags.ts';
import { Failure, hintFrom, UsageError } from '../kit/errors/failure.ts';
import type { Host } from '../kit/host/host.ts';
import { invocation } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import { explainFileError, readErrorCode } from '../kit/system/files.ts';
import { findProfile, readProfiles } from '../settings/profiles.ts';
import { embeddedFile, fromHome, profilesFile, resolveLink } from '../settings/settings.ts';
import type { Context } from './command.ts';
import { findSecretKey } from './embedded-settings.ts';

export type {
  AccountState,
  ErasedDriver,
  ErasedOrder,
  IssuedKey,
  KeyUse,
  KeyUses,
  OldCount,
  PersonQuery,
  PreviewedDriver,
  PreviewedPerson,
  Rotation,
  SchemaState,
};

const databaseNeededText = 'This command works on a database: name it with --database.';

/** The hints for the flags of a connection, which are refused, as no service is called. */
export const databaseFlagHints: Readonly<Record<string, string>> = Object.fromEntries(
  connectionFlagNames.map((name) => [flagLabel(name), databaseNeededText]),
);

/**
 * The database that a command works on, which is named on stderr. Without `--database` it is that of the embedded
 * service. If the environment or the profile selects another service, or the environment has a key, it must be given:
 * that service is not reached, and no key allows or limits what is done here.
 */
export function chooseDatabase(context: Context, given: string | undefined): string {
  const { host, output } = context;
  const ignored = given === undefined ? ignoredSetting(host) : null;
  if (ignored !== null)
    throw new UsageError(`${databaseNeededText} ${ignored}`, {
      code: 'missing_input',
      missing: ['--database'],
      hint: `For the embedded service: --database ${embeddedFile(host)}`,
    });
  const database = databaseOf(host, given);
  const shown = withoutPassword(database);
  const line = output.json ? JSON.stringify({ type: 'context', database: shown }) : `Database: ${shown}`;
  context.note(line);
  return database;
}

/** Names a setting that selects another service or a key, neither of which applies to a database; null without one. */
function ignoredSetting(host: Host): string | null {
  const { environment } = host;
  const unreached = (url: string, origin: string) => `It does not reach ${url}, which ${origin} selects.`;
  const url = environment[nameEnvVar('baseUrl')];
  if (url) return unreached(withoutPassword(url), nameEnvVar('baseUrl'));
  const keyVariable = ['apiKey', 'apiKeyFile'].map(nameEnvVar).find((name) => environment[name]);
  const unlimited = (keySource: string) =>
    `It acts on the database of this machine without a key: that of ${keySource} does not limit it.`;
  if (keyVariable) return unlimited(keyVariable);
  const profiles = readProfiles(profilesFile(host));
  const name = environment[nameEnvVar('profile')] || profiles.current;
  const { base_url, key_permission: permission } = findProfile(profiles, name);
  if (base_url !== undefined) return unreached(base_url, `the profile ${name}`);
  return permission === undefined ? null : unlimited(`the profile ${name}, with ${permission} permission,`);
}

/** Works on the database itself, without a key, and closes it at the end. It must exist, unless `creates` is set. */
export async function administer<T>(
  database: string,
  work: (administration: Administration) => Promise<T>,
  { creates = false } = {},
): Promise<T> {
  if (!creates) requireDatabase(database);
  const { openAdministration } = await import('../../service/administration.ts');
  const administration = await openAdministration(database, await loginName()).catch(throwUnavailable);
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
export async function readSchema(database: string): Promise<SchemaState> {
  const { readSchemaState } = await import('../../service/administration.ts');
  return readSchemaState(database).catch(throwUnavailable);
}

/** Migrates a database, which opening it does. */
export async function migrateSchema(database: string): Promise<SchemaState> {
  await administer(database, async () => {}, { creates: true });
  return readSchema(database);
}

/** Throws the failure of a database in place of its error, and any other error as it is. */
function throwUnavailable(error: unknown): never {
  throw unavailableDatabase(error) ?? error;
}

/** The failure of a database that cannot be opened, read or written; null for any other error. */
export function unavailableDatabase(error: unknown): Failure | null {
  if (!(error instanceof Error) || error.name !== 'StorageUnavailable') return null;
  const subject = 'subject' in error ? error.subject : 'the database';
  return new Failure(7, 'storage_unavailable', `Cannot use ${subject}: ${error.message}.`, {
    ...hintFrom(error),
    cause: error,
  });
}

/** Throws unless an account exists in the database of `--database`. */
export function requireAccount<T>(account: T | null, id: string, database: string | undefined): T {
  if (account !== null) return account;
  throw new Failure(5, 'record_not_found', `There is no account ${id} in this database.`, {
    next: [{ ...invocation('admin accounts', ['list'], sameDatabase(database)), when: 'list the accounts' }],
  });
}

/** Throws unless an action has the argument that it needs. */
export function requireArgument(value: string | undefined, action: string, name: string): string {
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
    if (readErrorCode(error) === 'ENOENT') {
      throw new UsageError(`Cannot create the file of --key-out: there is no folder ${dirname(path)}.`, {
        hint: 'Create the folder, or name a file in another one.',
      });
    }
    throw new UsageError(`Cannot create the file of --key-out: ${explainFileError(error)}.`, {
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
export function chooseDatabaseFile(context: Context, given: string | undefined, command: string): string {
  const database = chooseDatabase(context, given);
  if (database !== inMemory && !database.includes('://')) return database;
  throw new UsageError(`\`waybill ${command}\` works on SQLite files.`, {
    hint: 'For PostgreSQL use pg_dump and pg_restore: see `waybill help operating`.',
  });
}

/** Loads the functions that copy databases, and turns their errors into failures. */
export async function withCopies<T>(
  work: (copies: typeof import('../../service/administration.ts')) => Promise<T>,
): Promise<T> {
  return import('../../service/administration.ts').then(work).catch(throwUnavailable);
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
  if (isPostgresUrl(given) || given === inMemory) return given;
  return resolveLink(resolve(host.folder, fromHome(given, host.home)));
}

/** Throws unless a database exists: opening a file would create it, under a mistyped name as well. */
function requireDatabase(database: string): void {
  if (database === inMemory || isPostgresUrl(database) || existsSync(database)) return;
  throw new Failure(7, 'storage_unavailable', `Cannot use the database: there is no file ${database}.`);
}

/** The flag of a suggested command on the same database; a URL is not repeated, because it may have a password. */
export function sameDatabase(given: string | undefined): { database: string | undefined } {
  return { database: given?.includes('://') ? 'DATABASE' : given };
}

/** Removes the password from a database URL, also one with a `#` or `?` in it that is not encoded. */
export function withoutPassword(database: string): string {
  return database
    .replace(/^([a-z]+:\/\/[^:/@]*):(?:[^?#]*|[^/]*)@/i, '$1:***@')
    .replace(/([?&]\w*password=)[^&#]*/gi, '$1***');
}

/** The message does not repeat the URL, which may contain a password. A single letter is a Windows drive. */
function readDatabase(given: string): string {
  const scheme = /^[a-z][a-z0-9+.:-]+:(?=\/\/|$)/i.exec(given)?.[0];
  // Settings of libpq, and a URL without one of its slashes, would become files with a password in their names.
  const mistyped = /^(?:host|dbname|user|password|service)=|^postgres(?:ql)?:/i.exec(given)?.[0];
  const refused = given === '' ? 'nothing' : (scheme ?? mistyped);
  if (isPostgresUrl(given) || refused === undefined) return given;
  throw new BadValue(`must be a file, :memory:, or postgres://..., not ${refused}`);
}

/** A database, and the file of the key that encrypts its secrets. */
interface SecretLocation {
  database: string;
  secretKeyFile?: string | undefined;
}

/** Works on the stored secrets of a database, which must exist, without an API key, and closes it at the end. */
export async function withSecrets<T>(
  { host }: Pick<Context, 'host'>,
  { database, secretKeyFile }: SecretLocation,
  work: (secrets: SecretRotation) => Promise<T>,
): Promise<T> {
  const { openSecretRotation } = await import('../../service/secret-rotation.ts');
  requireDatabase(database);
  const secrets = await openSecretRotation(database, findSecretKey(host, secretKeyFile)).catch(
    throwUnavailable,
  );
  try {
    return await work(secrets);
  } catch (error) {
    throw keyFailure(error) ?? unavailableDatabase(error) ?? error;
  } finally {
    await secrets.close();
  }
}

/** The failure of a key that is missing or invalid; null for any other error. */
function keyFailure(error: unknown): Failure | null {
  if (!(error instanceof Error && 'code' in error && error.code === 'secret_key_missing')) return null;
  return new Failure(6, 'secret_key_missing', error.message, {
    hint: 'Name the key with WAYBILL_SECRET_KEY, or its file with --secret-key-file.',
    cause: error,
  });
}

/** Names the missing keys of stored secrets, without which webhooks and couriers fail; null if none is missing. */
export async function missingKeysText(
  context: Pick<Context, 'host'>,
  location: SecretLocation,
): Promise<string | null> {
  const { file, keys } = await withSecrets(context, location, (secrets) => secrets.uses());
  const missing = keys.filter(({ state }) => state === 'missing');
  if (missing.length === 0) return null;
  const count = missing.reduce((sum, { secrets }) => sum + secrets, 0);
  const what = count === 1 ? 'One stored secret is' : `${count} stored secrets are`;
  const names = missing.map(({ key }) => key).join(' and ');
  const source = file === null ? 'WAYBILL_SECRET_KEY' : `the key file ${file}`;
  return `${what} encrypted with the key ${names}, which is not in ${source}. Webhooks and couriers that need it fail until it is put back.`;
}
