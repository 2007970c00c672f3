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
