import type { KyselyPlugin } from 'kysely';
import type { Connection } from '../../storage/database.ts';
import { writeSetting } from '../../storage/settings.ts';
import { type Storage, StorageUnavailable, type UnavailableReason } from '../../storage/storage.ts';
import { randomBytes } from './random.ts';
import type { Timers } from './time.ts';

export interface WriteCheck {
  /** The storage, whose failures are noticed. */
  storage: Storage;
  /** The number of writes that have failed, by reason. */
  failures: Readonly<Record<UnavailableReason, number>>;
  /**
   * Writes once if the storage has failed since the last write, and as much as a request after it was full. Throws
   * `StorageUnavailable`.
   */
  requireWritable: () => Promise<void>;
}

/** On a full disk a small row may still fit where the records of a request do not: 64 KiB in hexadecimal. */
const trial_bytes = 32 * 1024;

/** Notices when the storage cannot be written, such as on a full disk, where it can still be read. */
export function createWriteCheck(storage: Storage): WriteCheck {
  let hasFailed = false;
  /** Other writes do not clear it: some of them are small. */
  let isFull = false;
  const failures = { conflicts: 0, disk_full: 0, unreachable: 0 };
  const noticed = async <T>(answer: Promise<T>, isWrite = true): Promise<T> => {
    try {
      const result = await answer;
      if (isWrite) hasFailed = false;
      return result;
    } catch (fault) {
      if (fault instanceof StorageUnavailable) {
        hasFailed = true;
        isFull ||= fault.reason === 'disk_full';
        failures[fault.reason] += 1;
      }
      throw fault;
    }
  };
  const write: Storage['write'] = (work) => noticed(storage.write(work));
  return {
    failures,
    storage: {
      ...storage,
      // Some of these statements write.
      run: (work) => noticed(storage.run(work), false),
      write,
      transaction: (work, isolation) => noticed(storage.transaction(work, isolation)),
    },
    requireWritable: async () => {
      if (!hasFailed && !isFull) return;
      const writeTrial = (text: string) => write((db) => writeSetting(db, 'write_check', text));
      // Random, because compressed text would be small. Removed by a write of its own: one that undoes itself takes no room.
      if (isFull) await writeTrial((await randomBytes(trial_bytes)).toString('hex'));
      await writeTrial('');
      isFull = false;
    },
  };
}

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
