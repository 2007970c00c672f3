import type { Connection } from '../../storage/database.ts';
import type { Sealing } from './sealing.ts';

/** A table with encrypted secrets, as a rotation of the key reads it. */
export interface SealedTable {
  /** The rows after the one with this id, in order of their ids; null: from the first one. */
  read(db: Connection, after: string | null, limit: number): Promise<readonly SealedRow[]>;
}

export interface SealedRow {
  id: string;
  /** The secrets as they are stored. */
  stored: readonly string[];
  /**
   * Encrypts those again that are not encrypted with the key `current`, and returns the change. It writes nothing if
   * the row has changed since it was read.
   */
  reseal(sealing: Sealing, current: string): Promise<(db: Connection) => Promise<void>>;
}
