import type { Connection } from '../../storage/database.ts';
import { guardedConnection } from '../../storage/guarded-connection.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Timers } from './time.ts';

/** A transaction without a statement for this long, in real time, counts as hung and is rolled back. */
const idle_ms = 5_000;

/**
 * A storage whose transactions cannot hang: on SQLite all other work waits for the end of a transaction. The duration
 * of a statement is limited by the engine.
 */
export function boundedStorage(storage: Storage, timers: Timers): Storage {
  return {
    ...storage,
    transaction: (work, isolation) => storage.transaction((db) => bounded(db, work, timers), isolation),
  };
}

function bounded<T>(
  connection: Connection,
  work: (db: Connection) => Promise<T>,
  timers: Timers,
): Promise<T> {
  const { db, startedStatements, isBusy, end } = guardedConnection(connection);
  const { promise: hung, reject } = Promise.withResolvers<never>();
  let cancel = () => {};
  const watch = () => {
    const before = startedStatements();
    cancel = timers.after(idle_ms, () => {
      if (isBusy() || startedStatements() > before) return watch();
      const fault = new Error(`a transaction ran no statement for ${idle_ms / 1000} s`);
      end(fault);
      reject(fault);
    });
  };
  watch();
  return Promise.race([work(db), hung]).finally(() => cancel());
}
