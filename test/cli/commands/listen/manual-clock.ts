/** A clock that stands still until it is advanced. */
export interface StillClock {
  now(): number;
  timer(milliseconds: number, expired: () => void): () => void;
  /** Advances the clock and runs what becomes due, step by step. */
  pass(milliseconds: number): Promise<void>;
  /** How many timers run. */
  running(): number;
}

/** Lets everything run that only waits for its turn. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

export function stillClock(start = Date.parse('2026-03-02T10:00:00.000Z')): StillClock {
  const timers = new Set<{ at: number; expired: () => void }>();
  let now = start;
  return {
    now: () => now,
    timer: (milliseconds, expired) => {
      const timer = { at: now + milliseconds, expired };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    pass: async (milliseconds) => {
      const end = now + milliseconds;
      for (;;) {
        await settled();
        const [next] = [...timers].sort((left, right) => left.at - right.at);
        if (next === undefined || next.at > end) break;
        now = next.at;
        timers.delete(next);
        next.expired();
      }
      now = end;
    },
    running: () => timers.size,
  };
}
