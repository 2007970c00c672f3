/**
 * Notices when the database cannot be written, so that requests are refused before they have done half of their work. It wraps
 * the storage: after a failed operation, requests are refused until a trial write succeeds (`requireWritable`).
 */
import { writeSetting } from '../../storage/settings.ts';
import { type Storage, StorageUnavailable, type UnavailableReason } from '../../storage/storage.ts';
import { randomBytes } from './random.ts';

type OnFault = (fault: unknown, request_id: string | null) => void;

export interface WriteCheck {
  /** The storage, whose failures are noticed. */
  storage: Storage;
  /** The number of writes that have failed, by reason. */
  failures: Readonly<Record<UnavailableReason, number>>;
  /**
   * Writes as a request does, and after a failure as much as one, unless a write of this check has passed since the
   * storage failed last. Throws `StorageUnavailable`.
   */
  requireWritable: () => Promise<void>;
  /** Reports that another process locks the database for long, and that its server grants too few connections, each once. */
  reportStrain: () => void;
}

/**
 * On a full disk a small row may still fit where the records of a request do not, whatever error the engine reported for
 * them: 64 KiB in hexadecimal.
 */
const trial_bytes = 32 * 1024;

/** After this time a lock of another process counts as a failure of the database. */
export const max_lock_ms = 5_000;

export function createWriteCheck(
  storage: Storage,
  { idle = false, onFault }: { idle?: boolean; onFault?: OnFault },
): WriteCheck {
  /** Other transactions do not set it: some only read, others are small. A service that only answers need not write. */
  let isProven = idle;
  let hasFailed = false;
  const failures = { conflicts: 0, disk_full: 0, locked: 0, moved: 0, read_only: 0, unreachable: 0 };
  let failed = 0;
  const noticed = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (fault) {
      if (fault instanceof StorageUnavailable) {
        isProven = false;
        failed += 1;
        hasFailed = true;
        failures[fault.reason] += 1;
      }
      throw fault;
    }
  };
  const transaction: Storage['transaction'] = (work, isolation) =>
    noticed(storage.transaction(work, isolation));
  const writeTrial = (text: string) =>
    transaction(async (db) => {
      // Loaded here: a look-up on the embedded service checks no write.
      const { requireUnlocked } = await import('../../storage/locks.ts');
      await requireUnlocked(db);
      await writeSetting(db, 'write_check', text);
    }, 'read committed');
  return {
    failures,
    storage: {
      ...storage,
      // Some of these statements write.
      run: (work) => noticed(storage.run(work)),
      write: (work) => noticed(storage.write(work)),
      transaction,
    },
    requireWritable: async () => {
      if (isProven) return;
      const failed_before = failed;
      // Random, because compressed text would be small. Removed by a write of its own: one that undoes itself takes no room.
      if (hasFailed) await writeTrial((await randomBytes(trial_bytes)).toString('hex'));
      await writeTrial('');
      // A write that failed meanwhile is not cleared by this one.
      if (failed > failed_before) return;
      isProven = true;
      hasFailed = false;
    },
    reportStrain: createStrainReport(storage, onFault),
  };
}

function createStrainReport(storage: Storage, onFault: OnFault | undefined): WriteCheck['reportStrain'] {
  let isReported = false;
  let refused = 0;
  return () => {
    const { lock_wait_ms, refused_connections, connections } = storage.statistics();
    if (refused_connections > refused) {
      const text = `the database server refuses connections beyond the ${connections.total} that this process has and makes do with: raise its limits, or lower pool_size in the URL`;
      if (refused === 0) onFault?.(text, null);
      refused = refused_connections;
    }
    const isLong = lock_wait_ms > max_lock_ms;
    if (isLong && !isReported)
      onFault?.(`another process has locked the database for ${lock_wait_ms} ms`, null);
    isReported = isLong;
  };
}
