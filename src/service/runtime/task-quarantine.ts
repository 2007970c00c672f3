import type { Clock } from './time.ts';

/** Tasks that this process leaves alone for a while, as they could neither be done nor be given up. */
export interface TaskQuarantine {
  has: (id: string) => boolean;
  /** Leaves a task alone: for a minute at first, then for twice as long each time. */
  add: (id: string) => void;
  /** How many tasks it may hold back. */
  size: () => number;
}

const first_ms = 60_000;
const max_ms = 24 * 60 * 60_000;

/** An empty quarantine. */
export function createTaskQuarantine(monotonic: Clock): TaskQuarantine {
  const tasks = new Map<string, { until: number; wait_ms: number }>();
  return {
    has: (id) => (tasks.get(id)?.until ?? 0) > monotonic.now(),
    add: (id) => {
      const wait_ms = Math.min(max_ms, (tasks.get(id)?.wait_ms ?? first_ms / 2) * 2);
      tasks.set(id, { until: monotonic.now() + wait_ms, wait_ms });
    },
    size: () => tasks.size,
  };
}
