import type { ServiceConfig } from './context.ts';
import type { Clock } from './time.ts';

const interval_ms = 30_000;
/** Work becomes due by the clock of any worker: a larger difference is reported. */
const max_skew_ms = 5_000;

type Parts = Pick<ServiceConfig, 'storage' | 'wall' | 'monotonic' | 'onFault'>;

interface ClockSkew {
  /** Compares the clocks, unless they were compared in the last 30 seconds. */
  compare: () => Promise<void>;
  /** How far service time was ahead when it was last compared; negative: behind. */
  skew_ms: () => number;
}

/**
 * Compares service time with the clock of the database, and reports once when they differ by more than five seconds. A
 * database file has the clock of this machine.
 */
export function createClockSkew(
  { storage, wall, monotonic, onFault }: Parts,
  { ahead_ms }: Pick<SteadyClock, 'ahead_ms'>,
): ClockSkew {
  let compared_at = Number.NEGATIVE_INFINITY;
  let skew_ms = 0;
  let isReported = false;
  const wallSkew = async () => {
    if (storage.engine !== 'postgres') return 0;
    const { readDatabaseTime } = await import('../../storage/lease-time.ts');
    const before = wall.now();
    const database_now = await storage.run(readDatabaseTime);
    return database_now < before ? before - database_now : Math.min(0, wall.now() - database_now);
  };
  return {
    compare: async () => {
      if (monotonic.now() - compared_at < interval_ms) return;
      // Both modes of a service start at the same time: only one of them compares.
      compared_at = monotonic.now();
      skew_ms = (await wallSkew()) + ahead_ms();
      const isSkewed = Math.abs(skew_ms) > max_skew_ms;
      if (isSkewed && !isReported)
        onFault?.(new Error(`${skewText(storage, skew_ms)}: synchronize the clocks with NTP`), null);
      isReported = isSkewed;
    },
    skew_ms: () => skew_ms,
  };
}

/** Logs how far service time is off. */
export function skewText({ engine }: Pick<ServiceConfig['storage'], 'engine'>, skew_ms: number): string {
  const other = engine === 'postgres' ? 'the database server' : 'this machine';
  const direction = skew_ms > 0 ? 'ahead of' : 'behind';
  return `service time is ${Math.round(Math.abs(skew_ms) / 1_000)} s ${direction} the clock of ${other}`;
}

/** How fast a clock that is ahead of its base passes. Waits take twice as long, and it is right after twice the step. */
const slowed_rate = 0.5;

interface SteadyClock extends Clock {
  /** How far it is ahead of its base clock, since that was set back. */
  ahead_ms: () => number;
}

/** A clock that never goes back. If its base clock is set back, it slows down until that has caught up. */
export function createSteadyClock({ clock, monotonic }: { clock: Clock; monotonic: Clock }): SteadyClock {
  let shown = Number.NEGATIVE_INFINITY;
  let shown_at = 0;
  const read = () => {
    const base = clock.now();
    const at = monotonic.now();
    shown = Math.max(base, shown + (base < shown ? (at - shown_at) * slowed_rate : 0));
    shown_at = at;
    return base;
  };
  return {
    now: () => {
      read();
      return Math.floor(shown);
    },
    ahead_ms: () => {
      const base = read();
      return shown - base;
    },
  };
}
