/** Waits without blocking the process. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves after the next turn of the event loop. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Calls back after a time, for which it does not keep the process alive. */
export function later(ms: number, then: () => void): void {
  setTimeout(then, ms).unref();
}
