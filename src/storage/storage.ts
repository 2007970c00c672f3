/**
 * What a storage is, for both engines: transactions, reads, prepared queries, why it is unavailable, and its version.
 */
import type { Compilable } from 'kysely';
import type { Connection, Flag } from './database.ts';
import type { Page, PageQuery } from './paging.ts';

/** Counts since the storage was opened. */
export interface StorageStatistics {
  /** Committed transactions. */
  transactions: number;
  /** Commits: on SQLite transactions that wait at the same time share one. */
  commits: number;
  /** Transactions that were repeated after a conflict. */
  retries: number;
  /** The connections of the pool by state; empty on SQLite. */
  connections: Readonly<Record<string, number>>;
  /** How often the server has refused a connection because it has no more; 0 on SQLite. */
  refused_connections: number;
  /** How often a lock of another process on a database file was waited for. */
  lock_waits: number;
  /** How long such a lock has been waited for now; 0 without one, and on PostgreSQL. */
  lock_wait_ms: number;
}

/**
 * What a transaction on PostgreSQL may see of others. `serializable`, the default, is as if it ran alone, and is repeated
 * after a conflict with another one. `read committed` has hardly any conflicts, but each statement sees what others have
 * committed until then: only for a transaction that locks what it decides by before it reads it. Both lock a delivery
 * before they change it or publish its events. On SQLite transactions run one after the other.
 */
export type Isolation = 'serializable' | 'read committed';

/** An open database. Failures of its engine are thrown as `StorageUnavailable`. */
export interface Storage {
  readonly engine: 'sqlite' | 'postgres';
  first<Row, Parameters extends readonly QueryValue[]>(
    lookup: PreparedQuery<Row, Parameters>,
    ...parameters: Parameters
  ): Promise<Row | undefined>;
  all<Row, Parameters extends readonly QueryValue[]>(
    lookup: PreparedQuery<Row, Parameters>,
    ...parameters: Parameters
  ): Promise<Row[]>;
  /** Runs statements that only read: they do not wait for transactions, and see those that are committed. */
  read<T>(work: (db: Connection) => Promise<T>): Promise<T>;
  /** Runs statements individually: use `transaction` for several that must be consistent. */
  run<T>(work: (db: Connection) => Promise<T>): Promise<T>;
  /** Runs one statement that writes; on SQLite it shares its commit with transactions that wait at the same time. */
  write<T>(work: (db: Connection) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in isolation; all of it is committed, or nothing if it throws. It may run more than once, on PostgreSQL
   * after a conflict and on SQLite if another transaction of its commit fails, so it must have no other effects than on
   * `db`. It must only use the `db` passed in: on SQLite anything else waits for the end of the transaction.
   */
  transaction<T>(work: (db: Connection) => Promise<T>, isolation?: Isolation): Promise<T>;
  /**
   * A number that grows when this or another process may have written, found out without a statement; null while
   * writes of other processes cannot be noticed.
   */
  changes(): number | null;
  /** Lets other processes notice the writes of this one, unless they notice them anyway. */
  announce(): Promise<void>;
  /** Throws `StorageUnavailable` if writes would be lost because the file was moved, deleted or replaced. */
  check(): Promise<void>;
  /**
   * Empties the log of the database file, which still has the rows as they were before the latest changes: called after
   * personal data was erased. Waits some seconds for other processes that read an old state; false if they still do.
   */
  emptyLog(): Promise<boolean>;
  /**
   * Writes the database file anew, so that no copy of an erased row is left in it, and empties its log. Writes wait
   * meanwhile. False if other processes kept it from that for seconds.
   */
  rewrite(): Promise<boolean>;
  /** The version of the schema, read from the database. */
  version(): Promise<number>;
  /** Whether the engine refuses every write: a standby, a server that was set to read-only, a protected file. */
  isReadOnly(): Promise<boolean>;
  /** The clock of the database server; null for a file, which has the clock of this machine. */
  serverTime(): Promise<number | null>;
  statistics(): StorageStatistics;
  close(): Promise<void>;
}

/** Why a database cannot be used; `moved`: its file is gone from its place, `unreachable`: any other cause. */
export type UnavailableReason = 'conflicts' | 'disk_full' | 'locked' | 'moved' | 'read_only' | 'unreachable';

/** The database is unreachable, locked for too long, full, or damaged. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable';
  readonly reason: UnavailableReason;
  /** The unusable part, as messages name it: `the database`, or a copy of it. */
  readonly subject: string;
  /** What the operator can do about it, as sentences. */
  readonly advice: string | undefined;

  constructor(
    message: string,
    options: {
      cause?: unknown;
      reason?: UnavailableReason;
      subject?: string;
      advice?: string | undefined;
    } = {},
  ) {
    super(message, options);
    this.advice = options.advice;
    this.subject = options.subject ?? 'the database';
    this.reason = options.reason ?? 'unreachable';
  }
}

/** Runs `work` and passes engine errors through `translate`. */
export async function translated<T>(
  work: () => Promise<T>,
  translate: (error: unknown) => unknown,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translate(error);
  }
}

/** The number of migrations, in a separate file so that opening a current database loads none. */
export const schemaVersion = 7;

/**
 * The oldest schema version whose programs can work with a PostgreSQL database of the newest, so that both run side by
 * side during an upgrade. A migration that they cannot work with raises it to its own number; one that only adds
 * tables, indexes, and columns that may be left out, or drops an index that no query of them needs, does not.
 */
export const compatibleVersion = 1;

/**
 * Rejects a database that a newer version has migrated, unless it is compatible with this one: `compatible` is the
 * `compatibleVersion` of the program that has migrated it, its own version if unknown.
 */
export function requireUsable(version: number, compatible = version): void {
  if (version > schemaVersion && compatible > schemaVersion) {
    throw new StorageUnavailable('the database was created by a newer version of waybill');
  }
}

export type QueryValue = string | number;

/**
 * A query with a constant text. The build prepares these texts, so that a command that only reads a record or a first
 * page does not load the query builder, which costs more than everything else.
 */
export interface PreparedQuery<Row, Parameters extends readonly QueryValue[]> {
  /** The name of the prepared text: noun and key. */
  name: string;
  /** Sample parameters of the right types, for building the text. */
  sample: Parameters;
  /** The parameters must occur in the text in their order. */
  query: (
    db: Connection,
    ...parameters: Parameters
  ) => Compilable<Row> & { execute(): Promise<Row[]>; executeTakeFirst(): Promise<Row | undefined> };
}

/** Set by the build: the text of each prepared query in SQLite's dialect. */
declare const WAYBILL_LOOKUPS: Readonly<Record<string, string>> | undefined;

/** The prepared text of a query; undefined outside of a build. */
export function preparedText(name: string): string | undefined {
  return typeof WAYBILL_LOOKUPS === 'undefined' ? undefined : WAYBILL_LOOKUPS[name];
}

/** Builds the text of a prepared query. Throws if its parameters occur in a different order. */
export function buildQueryText<Row, Parameters extends readonly QueryValue[]>(
  db: Connection,
  { name, sample, query }: PreparedQuery<Row, Parameters>,
): string {
  const { sql, parameters } = query(db, ...sample).compile();
  const isInOrder =
    parameters.length === sample.length && parameters.every((value, at) => value === sample[at]);
  if (!isInOrder) throw new Error(`the parameters of the query ${name} do not stand in its order`);
  return sql;
}

/** A prepared query for the newest rows of an account and mode. */
export type NewestRows<Row> = PreparedQuery<Row, [account_id: string, test_mode: Flag, count: number]>;

/** The first page of a list without filters, the most frequent request; undefined for any other page. */
export async function firstPage<Row>(
  storage: Pick<Storage, 'all'>,
  newest: NewestRows<Row>,
  { account_id, test_mode, limit, ...others }: PageQuery,
): Promise<Page<Row> | undefined> {
  if (Object.values(others).some((value) => value !== undefined)) return undefined;
  const rows = await storage.all(newest, account_id, test_mode, limit + 1);
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}
