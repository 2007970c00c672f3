/** Notifications that there may be something to do: a wake-up for one waiter, a set of listeners, and the open streams. */
import type { Timers } from './time.ts';

/**
 * Wakes one waiter when there may be something to do. A notification that nobody waits for is kept for the next wait.
 */
export interface Wakeup {
  notify: () => void;
  /** Resolves true on the next `notify()`, at once if there was one since the last wait, or false after the timeout. */
  wait: (timeout_ms: number) => Promise<boolean>;
}

export function createWakeup(timers: Pick<Timers, 'after'>): Wakeup {
  let isNotified = false;
  let wake = () => {};
  return {
    notify: () => {
      isNotified = true;
      wake();
    },
    wait: async (timeout_ms) => {
      if (!isNotified) {
        await new Promise<void>((resolve) => {
          const cancel = timers.after(timeout_ms, resolve);
          wake = () => {
            cancel();
            resolve();
          };
        });
      }
      const wasNotified = isNotified;
      isNotified = false;
      return wasNotified;
    },
  };
}

/** A set of callbacks for possible changes. */
export interface ChangeListeners {
  notify: () => void;
  /** Calls `onChange` at each notification until the returned function is called. */
  subscribe: (onChange: () => void) => () => void;
}

export function createChangeListeners(): ChangeListeners {
  const listeners = new Set<() => void>();
  return {
    notify: () => {
      for (const onChange of listeners) onChange();
    },
    subscribe: (onChange) => {
      listeners.add(onChange);
      return () => listeners.delete(onChange);
    },
  };
}

/** The open streams: they do not end by themselves, so a stopping service ends them. */
export interface Streams {
  /**
   * Registers `end` to be called when the service stops, immediately if it has; returns a function that unregisters
   * it.
   */
  add: (end: () => void) => () => void;
  /** Ends all streams, and those that are opened later. */
  end: () => void;
  /** Whether they have ended, because the service is stopping. */
  hasEnded: () => boolean;
  count: () => number;
}

export function createStreams(): Streams {
  const open = new Set<() => void>();
  let isOver = false;
  return {
    add: (end) => {
      if (isOver) end();
      else open.add(end);
      return () => open.delete(end);
    },
    end: () => {
      isOver = true;
      for (const end of open) end();
    },
    hasEnded: () => isOver,
    count: () => open.size,
  };
}
