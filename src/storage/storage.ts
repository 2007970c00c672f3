import type { Connection } from './database.ts';
import type { Lookup, LookupValue } from './lookups.ts';

/** An open database. What its engine cannot do is thrown as `StorageUnavailable`. */
export interface Storage {
  readonly engine: 'sqlite' | 'postgres';
  /** The one row that a lookup finds. */
  first<Row, Parameters extends readonly LookupValue[]>(
    lookup: Lookup<Row, Parameters>,
    ...parameters: Parameters
  ): Promise<Row | undefined>;
  /** Runs statements one by one, each for itself: for several that must agree, use `transaction`. */
  run<T>(work: (db: Connection) => Promise<T>): Promise<T>;
  /**
   * Runs `work` as if nothing else ran at the time; all of it is kept, or none when it throws.
   * PostgreSQL may run it more than once, so it must touch nothing but `db`.
   * Inside, use only the `db` handed in: on SQLite anything else waits for the transaction's end.
   */
  transaction<T>(work: (db: Connection) => Promise<T>): Promise<T>;
  /** Throws `StorageUnavailable` where what is written would be lost: the file was deleted or replaced. */
  check(): Promise<void>;
  close(): Promise<void>;
}
