import type { Timers } from './time.ts';

/** Tells the one who waits that there may be something to do. */
export interface Bell {
  ring: () => void;
  /** Ends with the next ring, at once where it rang since this ended last, or when the time is up; tells whether it rang. */
  heard: (at_most_ms: number) => Promise<boolean>;
}

export function createBell(timers: Pick<Timers, 'after'>): Bell {
  let rang = false;
  let answer = () => {};
  return {
    ring: () => {
      rang = true;
      answer();
    },
    heard: async (at_most_ms) => {
      if (!rang) {
        await new Promise<void>((resolve) => {
          const takeBack = timers.after(at_most_ms, resolve);
          answer = () => {
            takeBack();
            resolve();
          };
        });
      }
      const heard = rang;
      rang = false;
      return heard;
    },
  };
}
