import { StorageUnavailable } from '../../storage/errors.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { Pulse } from '../runtime/heartbeat.ts';
import type { Bell } from '../runtime/wakeup.ts';

/** The longest wait before looking again: other processes may add work to the same database, or move its clock. */
const look_ms = 500;
/** The longest wait after a look that failed: each in a row is followed by twice the wait of the one before. */
const max_wait_ms = 30_000;

interface LoopConfig extends Pick<ServiceContext, 'clock' | 'onFault'> {
  work: () => Promise<unknown>;
  /** Says that there may be work before the next look. */
  bell: Bell;
  /** Beats with every look that reaches the storage. */
  pulse: Pulse;
}

export interface Loop {
  start: () => void;
  stop: () => Promise<void>;
  isRunning: () => boolean;
}

/** Runs `work` whenever something is due, until it is stopped. */
export function createLoop({ clock, onFault, work, bell, pulse }: LoopConfig): Loop {
  let running: Promise<void> | undefined;
  let stopping = false;
  /** What failed in the last look; the same is reported once, however often it fails. */
  let failure: string | null = null;
  let failures = 0;

  async function run(): Promise<void> {
    while (!stopping) {
      const delay_ms = await pass();
      if (!stopping) await bell.heard(delay_ms);
    }
  }

  /** One look: does what is due, and tells how long the next look can wait. */
  async function pass(): Promise<number> {
    try {
      await work();
      const due_at = await clock.refresh();
      pulse.beat();
      failures = 0;
      failure = null;
      // What is due and not done by now is in another worker's hands.
      const wait_ms = due_at === null ? look_ms : clock.wait_ms(due_at);
      return wait_ms > 0 ? Math.min(look_ms, wait_ms) : look_ms;
    } catch (fault) {
      if (String(fault) !== failure) onFault?.(fault, null);
      failure = String(fault);
      // A storage that was away may be back at any moment. Any other fault is of the work: the loop itself goes on.
      const isAway = fault instanceof StorageUnavailable;
      failures = isAway ? 0 : failures + 1;
      if (!isAway) pulse.beat();
      return Math.min(max_wait_ms, look_ms * 2 ** Math.max(0, failures - 1));
    }
  }

  return {
    start: () => {
      stopping = false;
      pulse.beat();
      running ??= run();
    },
    stop: async () => {
      stopping = true;
      bell.ring();
      await running;
      running = undefined;
      pulse.end();
    },
    isRunning: () => running !== undefined,
  };
}
