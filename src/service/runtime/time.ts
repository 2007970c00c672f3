/** Tells the time in milliseconds since the epoch. Service time and wall time are two clocks of this shape. */
export interface Clock {
  now(): number;
}

/** Waits on real time. */
export interface Timers {
  /** Calls back once after `delay_ms`; the answer takes the call back. */
  after(delay_ms: number, wake: () => void): () => void;
  /** Ends once all that was waiting had its turn: what came over the network, and times that are up. */
  turn(): Promise<void>;
}

export const wallClock: Clock = { now: () => Date.now() };

/** Counts real time from an arbitrary start; nobody can set it. */
export const monotonicClock: Clock = { now: () => Math.floor(performance.now()) };

export const realTimers: Timers = {
  after(delay_ms, wake) {
    const timer = setTimeout(wake, delay_ms);
    return () => clearTimeout(timer);
  },
  turn: () => new Promise((resolve) => setImmediate(resolve)),
};
