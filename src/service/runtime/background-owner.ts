import { acquireWorkerLock, type WorkerLock } from '../../storage/worker-lock.ts';
import type { Timers } from './time.ts';

/**
 * Who does the background work of a database that one process at a time works on. The owner waits for no lease: what
 * it finds claimed and has not in hand itself, a process had that is dead.
 */
export interface Ownership {
  /** Does the work as the owner; false where another process is that. Work of one process shares its hold. */
  whileOwner: (work: () => Promise<unknown>) => Promise<boolean>;
}

export interface FileOwnership extends Ownership {
  /** Leaves the work to others. */
  release: () => void;
}

/**
 * Ownership of a database file, by its lock: it lasts while there is work, or where it `keeps` until it is released.
 * Never waits. Throws `StorageUnavailable`.
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

/** Does the work where this process may: where several share it by leases, each may. */
export async function whileOwner(
  { ownership }: { ownership?: Ownership | undefined },
  work: () => Promise<unknown>,
): Promise<boolean> {
  if (ownership !== undefined) return ownership.whileOwner(work);
  await work();
  return true;
}

/** How often to look what became of work that is left to another process. */
const look_ms = 20;
/** For so long a request waits for that at most. */
const looks = 50;

/** Asks again and again whether something is so, for a second at most. */
export async function patiently({ timers }: { timers: Timers }, isSo: () => Promise<boolean>): Promise<void> {
  for (let look = 0; !(await isSo()) && look < looks; look++) {
    await new Promise<void>((resolve) => {
      timers.after(look_ms, resolve);
    });
  }
}
