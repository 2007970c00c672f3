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
