import { acquireWorkerLock, type WorkerLock } from '../../storage/worker-lock.ts';
import type { Timers } from './time.ts';

/**
 * Who does the background work of a database that one process at a time works on. The owner waits for no lease: a
 * task that is leased and that it is not executing itself was left by a process that died.
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

/** Runs the work if this process may: where several share it by leases, each may. */
export async function whileOwner(
  { ownership }: { ownership?: Ownership | undefined },
  work: () => Promise<unknown>,
): Promise<boolean> {
  if (ownership !== undefined) return ownership.whileOwner(work);
  await work();
  return true;
}

/** The wait between two polls of a condition that another process brings about. */
const poll_interval_ms = 20;
const max_polls = 50;

/** Polls a condition until it is true, for at most a second. */
export async function pollUntil(
  { timers }: { timers: Timers },
  condition: () => Promise<boolean>,
): Promise<void> {
  for (let polls = 0; !(await condition()) && polls < max_polls; polls++) {
    await new Promise<void>((resolve) => {
      timers.after(poll_interval_ms, resolve);
    });
  }
}
