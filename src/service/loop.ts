import type { ServiceContext } from './context.ts';

/** The longest wait before looking again: other processes may add work to the same database, or move its clock. */
const look_ms = 500;

interface LoopConfig extends Pick<ServiceContext, 'clock' | 'timers' | 'onFault'> {
  work: () => Promise<unknown>;
}

export interface Loop {
  start: () => void;
  stop: () => Promise<void>;
  /** Looks for work at once. */
  wake: () => void;
}

/** Runs `work` whenever something is due, until it is stopped. */
export function createLoop({ clock, timers, onFault, work }: LoopConfig): Loop {
  let running: Promise<void> | undefined;
  let stopping = false;
  let wake = () => {};

  async function run(): Promise<void> {
    while (!stopping) {
      const delay_ms = await pass();
      if (stopping) return;
      await new Promise<void>((resolve) => {
        const takeBack = timers.after(delay_ms, resolve);
        wake = () => {
          takeBack();
          resolve();
        };
      });
    }
  }

  /** One look: does what is due, and tells how long the next look can wait. */
  async function pass(): Promise<number> {
    try {
      await work();
      const due_at = await clock.refresh();
      // What is due and not done by now is in another worker's hands.
      const wait_ms = due_at === null ? look_ms : clock.wait_ms(due_at);
      return wait_ms > 0 ? Math.min(look_ms, wait_ms) : look_ms;
    } catch (fault) {
      onFault?.(fault, null);
      return look_ms;
    }
  }

  return {
    start: () => {
      stopping = false;
      running ??= run();
    },
    stop: async () => {
      stopping = true;
      wake();
      await running;
      running = undefined;
    },
    wake: () => wake(),
  };
}
