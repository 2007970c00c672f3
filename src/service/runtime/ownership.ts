import { acquireWorkerLock, type WorkerLock } from '../../storage/worker-lock.ts';

/**
 * The owner of the background work of a database that one process at a time works on. The owner ignores leases: a
 * leased task that it is not running itself was left by a dead process.
 */
export interface Ownership {
  /**
   * Runs the work as the owner; false if another process is the owner. Concurrent work of one process shares the
   * lock.
   */
  whileOwner: (work: () => Promise<unknown>) => Promise<boolean>;
}

interface FileOwnership extends Ownership {
  /** Releases the ownership. */
  release: () => void;
}

/**
 * Ownership of a database file by its lock, held while there is work, or with `keeps` until released. Never waits.
 * Throws `StorageUnavailable`.
 */
export function fileOwnership(file: string, { keeps }: { keeps: boolean }): FileOwnership {
  let lock: WorkerLock | null = null;
  let holders = 0;
  const release = () => {
    lock?.release();
    lock = null;
  };
  return {
    release,
    whileOwner: async (work) => {
      lock ??= acquireWorkerLock(file);
      if (lock === null) return false;
      holders++;
      try {
        await work();
      } finally {
        holders--;
        if (holders === 0 && !keeps) release();
      }
      return true;
    },
  };
}

/** Runs the work if this process may: several processes that share it by leases all may. */
export async function whileOwner(
  { ownership }: { ownership?: Ownership | undefined },
  work: () => Promise<unknown>,
): Promise<boolean> {
  if (ownership !== undefined) return ownership.whileOwner(work);
  await work();
  return true;
}
