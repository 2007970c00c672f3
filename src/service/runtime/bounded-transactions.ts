/**
 * Ends transactions that hang, as on SQLite all other work waits for the end of a transaction. The duration of a statement
 * is limited by the engine.
 */
import type { KyselyPlugin } from 'kysely';
import type { Connection } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Timers } from './time.ts';

/** A transaction without a statement for this long, in real time, counts as hung and is rolled back. */
const idle_ms = 5_000;

/** A storage whose transactions cannot hang. */
export function boundedStorage(storage: Storage, timers: Timers): Storage {
  return {
    ...storage,
    transaction: (work, isolation) => storage.transaction((db) => bounded(db, work, timers), isolation),
  };
}

/** Once the transaction is abandoned, every later statement throws, so that the rest of it cannot write anymore. */
function bounded<T>(
  connection: Connection,
  work: (db: Connection) => Promise<T>,
  timers: Timers,
): Promise<T> {
  let started = 0;
  /** The last statement; null once it has its result. A part of a union counts as one before it, which never ends. */
  let running: object | null = null;
  let over: Error | null = null;
  const guard: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (over !== null) throw over;
      started += 1;
      running = queryId;
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      if (running === queryId) running = null;
      return result;
    },
  };
  const { promise: hung, reject } = Promise.withResolvers<never>();
  let cancel = () => {};
  const watch = () => {
    const before = started;
    cancel = timers.after(idle_ms, () => {
      if (running !== null || started > before) return watch();
      over = new Error(`a transaction ran no statement for ${idle_ms / 1000} s`);
      reject(over);
    });
  };
  watch();
  return Promise.race([work(connection.withPlugin(guard)), hung]).finally(() => cancel());
}
