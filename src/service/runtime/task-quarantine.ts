import type { Clock } from './time.ts';

/** Tasks that this process skips for a while, because they could neither be executed nor be given up. */
export interface TaskQuarantine {
  has: (id: string) => boolean;
  /** Skips a task: for a minute at first, then for twice as long each time. */
  add: (id: string) => void;
  /** How many tasks may be skipped. */
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
