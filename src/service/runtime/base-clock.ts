/**
 * The base of service time: a steady clock, and its comparison with the clock of the database. Five clocks are named:
 *
 * - wall: what this machine shows; an operator or NTP may set it, also back.
 * - base: what service time follows. On a real machine it is the wall clock.
 * - monotonic: the time since the process started, which nobody sets. It measures how the others pass.
 * - service: the base without going back, and in a sandbox what was added to it (`service-clock.ts`).
 * - database: that of PostgreSQL's server, which several processes share. A database file has the wall clock.
 */
import { minute_ms } from '../../domain/durations.ts';
import { idempotency_key_life_ms } from '../../domain/operator-settings.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Clock } from './time.ts';

/** How fast a steady clock passes that is ahead of its base. */
const slowed_rate = 0.5;

interface SteadyClock extends Clock {
  /** How far it is ahead of its base clock, since that was set back. */
  ahead_ms: () => number;
}

/**
 * A clock that never goes back. If its base clock is set back by a minute, it passes at half speed for two minutes: it
 * still moves, so that what is due becomes due, and the base catches up.
 */
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

/** How often service time is compared with the clock of the database. */
const comparison_interval_ms = 30_000;
/** Work becomes due by the clock of any worker: a larger difference is reported. */
const max_skew_ms = 5_000;
/** The largest difference between two clocks that is no jump: both are corrected in small steps. */
const max_step_ms = minute_ms;

interface SkewParts {
  storage: Storage;
  wall: Clock;
  monotonic: Clock;
  onFault?: (fault: unknown, request_id: string | null) => void;
}

/** The clock by which old data is deleted. */
export interface TrustedTime {
  now: number;
  /** For how long it has not jumped, as far as this process has seen. */
  steady_ms: number;
}

interface ClockSkew {
  /** Reads the clock of the database server, or of this machine for a database file. */
  readTrustedTime: () => Promise<TrustedTime>;
  /** Whether idempotency keys older than a day can be told: a file's keys only after a day without a jump. */
  mayForgetKeys: () => boolean;
  /** Compares the clocks, unless they were compared less than the interval ago. */
  compare: () => Promise<void>;
  /** How far service time was ahead when it was last compared; negative: behind. */
  skew_ms: () => number;
}

/** Compares service time with the clock of the database, and reports once when they differ by more than five seconds. */
export function createClockSkew(
  { storage, wall, monotonic, onFault }: SkewParts,
  { ahead_ms }: Pick<SteadyClock, 'ahead_ms'>,
): ClockSkew {
  let compared_at = Number.NEGATIVE_INFINITY;
  let skew_ms = 0;
  let isReported = false;
  const observe = createJumpWatch(monotonic);
  const observeWall = () => observe(wall.now());
  if (storage.engine === 'sqlite') observeWall();
  const readTrustedTime = async () => {
    const now = (await storage.serverTime()) ?? wall.now();
    return { now, steady_ms: observe(now) };
  };
  /**
   * How far the wall clock is ahead of the database's; negative: behind. The database read its clock at some time between
   * the question and the answer: no time between both is a difference, however slow the answer.
   */
  const compareWall = async () => {
    const asked_at = wall.now();
    const { now } = await readTrustedTime();
    if (storage.engine === 'sqlite') return 0;
    const answered_at = wall.now();
    return now < asked_at ? asked_at - now : Math.min(0, answered_at - now);
  };
  return {
    readTrustedTime,
    mayForgetKeys: () => storage.engine === 'postgres' || observeWall() >= idempotency_key_life_ms,
    compare: async () => {
      if (monotonic.now() - compared_at < comparison_interval_ms) return;
      // Both modes of a service start at the same time: only one of them compares.
      compared_at = monotonic.now();
      skew_ms = (await compareWall()) + ahead_ms();
      const isSkewed = Math.abs(skew_ms) > max_skew_ms;
      if (isSkewed && !isReported)
        onFault?.(new Error(`${skewText(storage, skew_ms)}: synchronize the clocks with NTP`), null);
      isReported = isSkewed;
    },
    skew_ms: () => skew_ms,
  };
}

/** Returns a function that is given what a clock shows, and says for how long it has passed as the monotonic clock has. */
function createJumpWatch(monotonic: Clock): (now: number) => number {
  let began: { now: number; at: number } | null = null;
  return (now) => {
    const at = monotonic.now();
    if (began === null || Math.abs(now - began.now - (at - began.at)) > max_step_ms) began = { now, at };
    return at - began.at;
  };
}

/** How far service time is off, for the log. */
export function skewText({ engine }: Pick<Storage, 'engine'>, skew_ms: number): string {
  const other = engine === 'postgres' ? 'the database server' : 'this machine';
  const direction = skew_ms > 0 ? 'ahead of' : 'behind';
  return `service time is ${Math.round(Math.abs(skew_ms) / 1_000)} s ${direction} the clock of ${other}`;
}
