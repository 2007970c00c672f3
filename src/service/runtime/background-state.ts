/**
 * The state of the background work of one mode in this process: the holder of the mutex, the last progress of the
 * loops, and the skipped tasks.
 */
import { day_ms, minute_ms } from '../../domain/durations.ts';
import type { Clock } from './time.ts';

/** A mutex within this process. Background work that holds it is asked to end early while other work waits. */
export interface PriorityMutex {
  /** Runs the work once all work queued before it has ended. */
  run: <T>(work: () => Promise<T>, name?: string) => Promise<T>;
  /** Runs background work, which checks `isContended` between its steps. */
  runInBackground: <T>(work: () => Promise<T>) => Promise<T>;
  /** Whether work other than background work is waiting. */
  isContended: () => boolean;
  /** The name of the work that holds the mutex; null if it has no name or the mutex is free. */
  holder: () => string | null;
  /** Asks all work to end early, runs `work`, and waits until the queue is empty. */
  interrupt: (work: () => Promise<void>) => Promise<void>;
  /** Whether multi-step work must not start another step. */
  isInterrupted: () => boolean;
}

/** `onContended` is called when work other than background work starts to wait. */
export function createPriorityMutex(onContended: () => void = () => {}): PriorityMutex {
  let last: Promise<unknown> = Promise.resolve();
  let holder: string | null = null;
  let isInterrupted = false;
  let waiting = 0;
  const queue = <T>(work: () => Promise<T>, name: string | null): Promise<T> => {
    const running = last.then(async () => {
      holder = name;
      try {
        return await work();
      } finally {
        holder = null;
      }
    });
    last = running.catch(() => {});
    return running;
  };
  return {
    isInterrupted: () => isInterrupted,
    isContended: () => waiting > 0,
    interrupt: async (work) => {
      isInterrupted = true;
      try {
        await work();
        // More work may have been queued since.
        for (let seen: unknown; seen !== last; await seen) seen = last;
      } finally {
        isInterrupted = false;
      }
    },
    holder: () => holder,
    runInBackground: (work) => queue(work, null),
    run: (work, name) => {
      waiting++;
      onContended();
      return queue(() => {
        waiting--;
        return work();
      }, name ?? null);
    },
  };
}

/** When the loops of this process last made progress, or found nothing to do. */
export interface Heartbeat {
  /** Records that a loop is alive. */
  beat: (loop: LoopName) => void;
  /** Records that a loop was stopped: no further beat is expected. */
  end: (loop: LoopName) => void;
  /** The loop whose last beat is the longest ago; null if no loop runs. */
  silence: () => Silence | null;
}

export interface Silence {
  loop: LoopName;
  silent_ms: number;
}

export type LoopName = 'tasks' | 'webhooks';

export function createHeartbeat(clock: Clock): Heartbeat {
  const beats = new Map<LoopName, number>();
  return {
    beat: (loop) => {
      beats.set(loop, clock.now());
    },
    end: (loop) => {
      beats.delete(loop);
    },
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

/** Tasks that this process skips for a while, because they could neither be executed nor be given up. */
export interface TaskQuarantine {
  has: (id: string) => boolean;
  /** Skips a task: for a minute at first, then for twice as long each time. */
  add: (id: string) => void;
  /** How many tasks may be skipped. */
  size: () => number;
}

const first_skip_ms = minute_ms;
const max_skip_ms = day_ms;

export function createTaskQuarantine(monotonic: Clock): TaskQuarantine {
  const tasks = new Map<string, { until: number; wait_ms: number }>();
  return {
    has: (id) => (tasks.get(id)?.until ?? 0) > monotonic.now(),
    add: (id) => {
      const wait_ms = Math.min(max_skip_ms, (tasks.get(id)?.wait_ms ?? first_skip_ms / 2) * 2);
      tasks.set(id, { until: monotonic.now() + wait_ms, wait_ms });
    },
    size: () => tasks.size,
  };
}
