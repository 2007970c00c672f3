import { StorageUnavailable, type UnavailableReason } from '../../storage/errors.ts';
import { writeSetting } from '../../storage/settings.ts';
import type { Storage } from '../../storage/storage.ts';

export interface WriteCheck {
  /** The storage, whose failures are noticed. */
  storage: Storage;
  /** The number of writes that have failed, by reason. */
  failures: Readonly<Record<UnavailableReason, number>>;
  /** Writes once if the storage has failed since the last write. Throws `StorageUnavailable`. */
  requireWritable: () => Promise<void>;
}

/** Notices when the storage cannot be written, such as on a full disk, where it can still be read. */
export function createWriteCheck(storage: Storage): WriteCheck {
  let hasFailed = false;
  const failures = { conflicts: 0, disk_full: 0, unreachable: 0 };
  const noticed = async <T>(answer: Promise<T>, isWrite = true): Promise<T> => {
    try {
      const result = await answer;
      if (isWrite) hasFailed = false;
      return result;
    } catch (fault) {
      if (fault instanceof StorageUnavailable) {
        hasFailed = true;
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
      if (hasFailed) await write((db) => writeSetting(db, 'write_check', ''));
    },
  };
}
