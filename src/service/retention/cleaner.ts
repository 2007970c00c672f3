import type { SharedContext } from '../runtime/context.ts';
import { whileOwner } from '../runtime/processes.ts';

/** The time from the start of the service to the first deletion; commands of the embedded service end earlier. */
const first_ms = 10 * 60_000;
const interval_ms = 60 * 60_000;

/** Deletes old data every hour, from `start` to `stop`. */
interface Cleaner {
  start: () => void;
  stop: () => Promise<void>;
}

export function createCleaner(shared: SharedContext): Cleaner {
  let cancel: (() => void) | null = null;
  let running: Promise<void> | null = null;
  const clean = async () => {
    const { deleteOldData } = await import('./delete-old-data.ts');
    await deleteOldData(shared, () => cancel === null);
  };
  const schedule = (delay_ms: number) => {
    cancel = shared.timers.after(delay_ms, () => {
      running = whileOwner(shared, clean).then(
        () => {},
        (fault: unknown) => shared.onFault?.(fault, null),
      );
      running.then(() => {
        if (cancel !== null) schedule(interval_ms);
      });
    });
  };
  return {
    start: () => {
      if (cancel === null) schedule(first_ms);
    },
    stop: async () => {
      cancel?.();
      cancel = null;
      await running;
    },
  };
}
