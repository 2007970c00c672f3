import { acquireWorkerLock, type WorkerLock } from '../../storage/sqlite-file.ts';
import { type Clock, pause, type Timers } from './time.ts';

/** When the loops of this process last made progress, or found nothing to do. */
export interface Heartbeat {
  /** Records that a loop is alive. */
  beat: (loop: LoopName) => void;
  /** The heartbeat of one loop. */
  of: (loop: LoopName) => Pulse;
  /** The loop whose last beat is the longest ago; null if no loop runs. */
  silence: () => Silence | null;
}

export interface Silence {
  loop: LoopName;
  silent_ms: number;
}

export interface Pulse {
  beat: () => void;
  /** Records that the loop was stopped: no further beat is expected. */
  end: () => void;
}

type LoopName = 'tasks' | 'webhooks';

export function createHeartbeat(clock: Clock): Heartbeat {
  const beats = new Map<LoopName, number>();
  const beat = (loop: LoopName) => {
    beats.set(loop, clock.now());
  };
  return {
    beat,
    of: (loop) => ({
      beat: () => beat(loop),
      end: () => {
        beats.delete(loop);
      },
    }),
    silence: () => {
      let longest: Silence | null = null;
      for (const [loop, at] of beats) {
        const silent_ms = clock.now() - at;
        if (longest === null || silent_ms > longest.silent_ms) longest = { loop, silent_ms };
      }
      return longest;
    },
  };
}

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

/** The wait between two polls of a condition that another process fulfills. */
const poll_interval_ms = 20;
const max_polls = 50;

/** Polls a condition until it is true, for at most a second. */
export async function pollUntil(
  { timers }: { timers: Timers },
  condition: () => Promise<boolean>,
): Promise<void> {
  for (let polls = 0; !(await condition()) && polls < max_polls; polls++) {
    await pause(timers, poll_interval_ms);
  }
}
