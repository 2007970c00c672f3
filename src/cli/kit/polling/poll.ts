import { createPace, type News } from './poll-schedule.ts';

/** How long somebody waits. */
export interface Patience {
  /** All in all; without it, as many looks as the interface recommends. */
  timeout_ms: number | undefined;
  /** Between two looks; without it, as the interface recommends. */
  interval_ms?: number | undefined;
  /** Whether a wait goes before the first look: nothing can be there yet. */
  waitFirst: boolean;
  /** Whether the opening of the stream is a reason to look, for what happened before it; yes when not given. */
  looksAtOpening?: boolean | undefined;
}

/** Time as it passes, or as a test makes it pass. */
export interface Clock {
  now(): number;
  /** May end early, in whatever way, once `woken` is aborted. */
  sleep(milliseconds: number, woken: AbortSignal): Promise<void>;
}

/** Who listens to a bell. */
export interface Listener {
  hear(news: News): void;
  /** Nothing can be heard any more as something is broken: it ends the wait. */
  fail(fault: unknown): void;
}

/** Tells of what is waited for, from when it is called until what it returns is called. */
export type Bell = (listener: Listener) => () => void;

/** Where nothing is told. */
export const silence: Bell = () => () => {};

/**
 * Looks again and again, and gives what each look brought; the caller stops once it is settled. When to look is told
 * by the bell, which is listened to between the first look and the end; what it does not tell is found by looking
 * at a pace. With a time-out, looks go on until it has passed, the last one at its very end.
 */
export async function* repeatedly<T>(
  look: () => Promise<T>,
  clock: Clock,
  { timeout_ms, interval_ms, waitFirst, looksAtOpening }: Patience,
  bell: Bell = silence,
): AsyncGenerator<T> {
  const pace = createPace(timeout_ms, clock.now(), interval_ms, looksAtOpening);
  let isMissed = false;
  const looked = async () => {
    pace.look(clock.now());
    const seen = await look();
    isMissed = seen instanceof Error;
    return seen;
  };
  if (!waitFirst) yield await looked();
  const sleeper = createSleeper(clock);
  const hear = (news: News) => {
    pace.hear(news, clock.now());
    sleeper.wake();
  };
  const stop = bell({ hear, fail: sleeper.fail });
  try {
    while (pace.pause(clock.now(), isMissed)) {
      for (let left = pace.left(clock.now()); left > 0; left = pace.left(clock.now())) {
        if (await sleeper.sleep(left)) break;
      }
      yield await looked();
    }
  } finally {
    stop();
  }
}

/** Sleeps until it is woken. */
function createSleeper(clock: Clock) {
  let wake = () => {};
  let reject = (_fault: unknown) => {};
  let broken: { fault: unknown } | null = null;
  return {
    /** Whether the time has passed; rejects with what is broken. */
    sleep: async (milliseconds: number): Promise<boolean> => {
      if (broken !== null) throw broken.fault;
      const woken = Promise.withResolvers<false>();
      const ended = new AbortController();
      wake = () => woken.resolve(false);
      reject = woken.reject;
      const passed = async () => {
        await clock.sleep(milliseconds, ended.signal);
        return true;
      };
      return Promise.race([passed(), woken.promise]).finally(() => ended.abort());
    },
    wake: () => wake(),
    fail: (fault: unknown) => {
      broken = { fault };
      reject(fault);
    },
  };
}
