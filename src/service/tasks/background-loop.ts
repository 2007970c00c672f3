import { StorageUnavailable } from '../../storage/errors.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { Pulse } from '../runtime/heartbeat.ts';
import type { Wakeup } from '../runtime/wakeup.ts';

/** The maximum wait between two polls: other processes may add tasks to the same database, or advance its clock. */
const poll_interval_ms = 500;
/** The maximum wait after failed polls; the wait doubles with each failure in a row. */
const max_wait_ms = 30_000;

interface LoopConfig extends Pick<ServiceContext, 'clock' | 'onFault'> {
  /** Runs before each poll, whether or not something is due. */
  prepare?: () => Promise<unknown>;
  /** Executes what is due; also runs once after the start. */
  work: () => Promise<unknown>;
  /** Notified when there may be work before the next poll. */
  wakeup: Wakeup;
  /** Beats with every poll that reaches the storage. */
  pulse: Pulse;
}

export interface Loop {
  start: () => void;
  stop: () => Promise<void>;
  isRunning: () => boolean;
}

/** Runs `work` whenever something is due, until it is stopped. */
export function createLoop({ clock, onFault, prepare, work, wakeup, pulse }: LoopConfig): Loop {
  let running: Promise<void> | undefined;
  let stopping = false;
  let hasWorked = false;
  /** The error of the last poll; the same error is reported once. */
  let failure: string | null = null;
  let failures = 0;

  async function run(): Promise<void> {
    while (!stopping) {
      const delay_ms = await poll();
      if (!stopping) await wakeup.wait(delay_ms);
    }
  }

  /** Runs what is due; resolves with the maximum wait before the next poll. */
  async function poll(): Promise<number> {
    try {
      await prepare?.();
      let due_at = await clock.refresh();
      if (!hasWorked || clock.state().advance !== null || (due_at !== null && due_at <= clock.now())) {
        await work();
        hasWorked = true;
        due_at = await clock.refresh();
      }
      pulse.beat();
      failures = 0;
      failure = null;
      // Due tasks that remain are being executed by another worker.
      const wait_ms = due_at === null ? poll_interval_ms : clock.wait_ms(due_at);
      return wait_ms > 0 ? Math.min(poll_interval_ms, wait_ms) : poll_interval_ms;
    } catch (fault) {
      if (String(fault) !== failure) onFault?.(fault, null);
      failure = String(fault);
      // Storage may be back at any moment. For any other error the loop itself continues.
      const isAway = fault instanceof StorageUnavailable;
      failures = isAway ? 0 : failures + 1;
      if (!isAway) pulse.beat();
      return Math.min(max_wait_ms, poll_interval_ms * 2 ** Math.max(0, failures - 1));
    }
  }

  return {
    start: () => {
      stopping = false;
      hasWorked = false;
      pulse.beat();
      running ??= run();
    },
    stop: async () => {
      stopping = true;
      wakeup.notify();
      await running;
      running = undefined;
      pulse.end();
    },
    isRunning: () => running !== undefined,
  };
}
