/** The processes that work on one database: which of them owns the background work, and which have ended. */
import { acquireWorkerLock, type WorkerLock } from '../../storage/sqlite-file.ts';

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

/** Processes, recorded with what they run. */
export interface Runners {
  /** This process. */
  self: string;
  /** Whether the process is known to have ended; false if unknown. */
  isGone(runner: string): boolean;
}

/** The tolerance for comparing the start times of processes. */
const start_tolerance_ms = 100;

/**
 * The processes of this machine: a runner is a process id and the start time of the process. A reused process id
 * makes a dead runner look alive, unless it is reused by this process.
 */
export function processRunners(): Runners {
  // Both use a clock that cannot be set.
  const started_ms = Math.round(Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000);
  return {
    self: `${process.pid} ${started_ms}`,
    isGone: (runner) => {
      const [, pid, start] = /^(\d+) (\d+)$/.exec(runner) ?? [];
      if (pid === undefined) return false;
      if (Number(pid) === process.pid) return Math.abs(Number(start) - started_ms) > start_tolerance_ms;
      return !isRunning(Number(pid));
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    // A process that may not be signaled exists.
    return !(fault instanceof Error && 'code' in fault && fault.code === 'ESRCH');
  }
}
