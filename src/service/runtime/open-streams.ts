/** The streams that are open: they have no end of their own, so a service that stops ends them. */
export interface Streams {
  /** Has `end` called when the service stops, now where it has; what it gives takes that back. */
  add: (end: () => void) => () => void;
  /** Ends all, and all that are opened later. */
  end: () => void;
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
  };
}
