/** What the errors of a PostgreSQL server and its network mean, and what an operator can do about them. */
import { StorageUnavailable, type UnavailableReason } from './storage.ts';

/** The role and the database of a connection, and the server as a URL names it. */
export interface PostgresTarget {
  user: string;
  database: string;
  address: string;
}

// The codes of the server: https://www.postgresql.org/docs/current/errcodes-appendix.html

/** Serialization failures and deadlocks. */
const conflictCodes = ['40001', '40P01'];
/**
 * The classes of faults that are not those of a statement: connection, authorization, catalog, rollback, resources, state
 * of objects, intervention by the operator (with time-outs), system, configuration file, internal.
 */
const unavailableClasses = ['08', '28', '3D', '40', '53', '55', '57', '58', 'F0', 'XX'];
const missingTable = '42P01';
/** A read-only transaction: of a standby, or of a server or session that was set to it. */
export const readOnlyCode = '25006';
const tooManyConnections = '53300';
/** Codes of other classes that mean the same: the database cannot be used as it is. */
const unavailableCodes = [
  readOnlyCode,
  missingTable,
  // Transactions that were idle, or took too long.
  ...['25P03', '25P04'],
  // No schema, missing rights, a table of another program, and what a standby or a pooler does not support.
  ...['3F000', '42501', '42P07', '0A000'],
];
const reasonsByCode = new Map<string, UnavailableReason>([
  [readOnlyCode, 'read_only'],
  ['53100', 'disk_full'],
  ['55P03', 'locked'],
]);
/** The codes of Node for network errors: `ECONNREFUSED`, `EAI_AGAIN`. */
const networkCode = /^(E[A-Z]{3,}|EAI_[A-Z]+)$/;
/** The messages of the driver about lost connections, and of kysely about a query after the storage was closed. */
const networkMessage =
  /connection (terminated|ended)|connection error|not queryable|timeout exceeded|driver has already been destroyed/i;
/** The messages of the driver about a server without TLS, a failed handshake, and a missing password. */
const tlsMessage = /does not support SSL|establishing an SSL connection|^SASL: /;
/** The codes of Node for TLS and certificates: `SELF_SIGNED_CERT_IN_CHAIN`. */
const tlsCode = /^(ERR_SSL|ERR_TLS|CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO)_/;

/** Whether an error is a conflict between transactions: a retry may succeed. */
export function isConflict(error: unknown): boolean {
  return conflictCodes.includes(codeOf(error));
}

/** Whether the server has no connection left, for anybody or for this role or database. */
export function isOutOfConnections(error: unknown): boolean {
  return codeOf(error) === tooManyConnections;
}

/** Whether a table does not exist. */
export function isMissingTable(error: unknown): boolean {
  return codeOf(error) === missingTable;
}

/** Converts server and connection errors to `StorageUnavailable`, with advice; returns all others unchanged. */
export function postgresError(error: unknown, target: PostgresTarget): unknown {
  if (!(error instanceof Error) || error instanceof StorageUnavailable) return error;
  const code = codeOf(error);
  const unavailable =
    unavailableClasses.includes(code.slice(0, 2)) ||
    unavailableCodes.includes(code) ||
    networkCode.test(code) ||
    networkMessage.test(error.message) ||
    tlsCode.test(code) ||
    tlsMessage.test(error.message);
  if (!unavailable) return error;
  const reason = reasonsByCode.get(code) ?? 'unreachable';
  // The errors of several addresses of one host come together, without a message.
  const message = error.message || `${code} ${target.address}`;
  const advice = adviceFor(code, message, target) ?? undefined;
  return new StorageUnavailable(message, { cause: error, reason, advice });
}

/** The error of a database whose encoding lacks letters that names and addresses have. */
export function unusableEncoding(encoding: string, { user, database }: PostgresTarget): StorageUnavailable {
  const message = `the database has the encoding ${encoding}, which lacks letters that names and addresses have`;
  const advice = `Make one with UTF8, and move what is in the old one with pg_dump and pg_restore: ${creation(`${database}_utf8`, user)}`;
  return new StorageUnavailable(message, { advice });
}

type Advice = (target: PostgresTarget, message: string) => string | null;

/** What to do about an error code of the server; statements are for its superuser, or the owner of what they name. */
const adviceByCode: Readonly<Record<string, Advice>> = {
  '08P01': (_target, message) =>
    message.includes('startup parameter')
      ? 'In pgbouncer.ini: ignore_startup_parameters = statement_timeout,lock_timeout,idle_in_transaction_session_timeout'
      : null,
  '0A000': () => 'If it is a standby, name the primary server in the URL.',
  [readOnlyCode]: ({ database }) =>
    `If it is a standby, name the primary server in the URL; otherwise run: alter database ${quoted(database)} set default_transaction_read_only = off;`,
  '28000': ({ user }, message) => {
    if (message.includes('log in')) return `Run: alter role ${quoted(user)} login;`;
    if (message.includes('does not exist')) return `Run: create role ${quoted(user)} login password '...';`;
    return 'Add a line for it to pg_hba.conf of the server; a hostssl line wants sslmode=require in the URL.';
  },
  '28P01': ({ user }) =>
    `In the password of a URL, write / as %2F, ? as %3F, # as %23, @ as %40, : as %3A and % as %25. To set another one: alter role ${quoted(user)} password '...';`,
  '3D000': ({ user, database }) => `Run: ${creation(database, user)}`,
  '3F000': ({ user }) =>
    `The search_path of the role names no schema that it may use. Run: alter role ${quoted(user)} set search_path = public;`,
  '42501': ({ user, database }, message) => {
    const role = quoted(user);
    const [, kind, name = 'public'] = /(schema|table|sequence|database) "?([^\s"]+)/i.exec(message) ?? [];
    if (/owner/i.test(message))
      return `Run waybill migrate with the URL of the role that owns the tables, or as that role: grant ${role} to current_user; reassign owned by current_user to ${role};`;
    if (kind === 'database') return `Run: grant connect on database ${quoted(database)} to ${role};`;
    if (kind === 'table' || kind === 'sequence')
      return `In its schema run: grant select, insert, update, delete on all tables in schema public to ${role}; grant usage on all sequences in schema public to ${role};`;
    return `In the database ${database} run: grant usage, create on schema ${quoted(name)} to ${role};`;
  },
  [missingTable]: ({ database }) =>
    `The tables are not where search_path of the role looks, or the database ${database} was emptied: restore a backup, or restart the service to begin with an empty one.`,
  '42P07': ({ user }) =>
    `The database has tables of another program. Make one for waybill alone: ${creation('waybill', user)}`,
  '53100': () => 'Free room on the disk of the database server.',
  [tooManyConnections]: ({ user, database }, message) => {
    if (message.includes('role')) return `Run: alter role ${quoted(user)} connection limit 20;`;
    if (message.includes('for database'))
      return `Run: alter database ${quoted(database)} connection limit 20;`;
    return 'Raise max_connections of the server, or lower pool_size in the URLs of the processes that use it.';
  },
  '55000': ({ database }, message) =>
    message.includes('accepting connections')
      ? `Run: alter database ${quoted(database)} allow_connections true;`
      : null,
  '57P03': () => 'It will be soon: --wait-for-database 60s waits for it.',
  EAI_AGAIN: ({ address }) => `The name server did not answer for ${address}. Is the network up?`,
  ECONNREFUSED: ({ address }) => `Is the server running, and does it listen on ${address}?`,
  EHOSTUNREACH: ({ address }) => `No way to ${address} is known: check the network and the host in the URL.`,
  ENOENT: ({ address }) => `No server has its socket at ${address}: host= names the folder of the socket.`,
  ENOTFOUND: () => 'Check the host in the URL.',
  ERR_TLS_CERT_ALTNAME_INVALID: () => 'Write the host in the URL as the certificate names it.',
};

function adviceFor(code: string, message: string, target: PostgresTarget): string | null {
  if (message.includes('does not support SSL'))
    return 'Turn ssl on in postgresql.conf, or leave sslmode out of the URL if nobody else is on the way.';
  if (message.startsWith('SASL: ')) return 'Write the password into the URL, or into PGPASSWORD.';
  const advice = adviceByCode[code];
  if (advice !== undefined) return advice(target, message);
  if (tlsCode.test(code)) return 'NODE_EXTRA_CA_CERTS=FILE names the authority of the certificate.';
  return null;
}

function creation(database: string, owner: string): string {
  return `create database ${quoted(database)} owner ${quoted(owner)} encoding 'UTF8' template template0;`;
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}
