/**
 * Service time: a base that never goes back and is compared with the clock of the database, and the clock of each mode,
 * which a sandbox can move.
 */
import { Problem } from '../../contract/errors.ts';
import { type ClockMode, clockModes, type DeliveryStatus } from '../../contract/vocabulary.ts';
import { minute_ms } from '../../domain/durations.ts';
import { idempotency_key_life_ms } from '../../domain/operator-settings.ts';
import type { Connection, Flag } from '../../storage/database.ts';
import { replaceSetting, serviceState } from '../../storage/settings.ts';
import type { Storage } from '../../storage/storage.ts';
import { seedName } from './random.ts';
import type { Clock } from './time.ts';

/** The clock of a mode, based on the base clock. It never goes back. */
export interface ServiceClock extends Clock {
  /** How time passes, as of the last successful read. */
  state: () => ClockState;
  /** Throws `clock_unreadable` if the last read failed: then it can only be reset. */
  requireReadable: () => void;
  /**
   * Reads the clock from the database, which other processes may have changed; resolves with the due time of the next
   * task, if there is one.
   */
  refresh: () => Promise<number | null>;
  /** Reads the clock, unless it was read in the last `max_age_ms`. */
  refreshAfter: (max_age_ms: number) => Promise<void>;
  /** How far it was set ahead of its base clock. */
  ahead_ms: () => number;
  /** Real milliseconds until service time is `at`; infinite in manual mode. */
  wait_ms: (at: number) => number;
  /**
   * Writes the clock in a transaction, continuing from `service_at`; this process uses the result only after `adopt`.
   * Throws `ClockChanged` and writes nothing if another process was faster.
   */
  write: (db: Connection, from: ClockState, change: ClockChange) => Promise<ClockState>;
  /** Resets the clock to real time, without going back. A running advance ends with `finished`. */
  reset: (db: Connection, from: ClockState, finished: FinishedAdvance | null) => Promise<ClockState>;
  /** Uses a written state, once it is committed. */
  adopt: (written: ClockState) => void;
}

type ClockChange = Partial<Omit<ClockState, 'revision' | 'base_at'>> & { service_at: number };

/** Another process has changed the clock: read it again and retry. */
export class ClockChanged extends Error {}

const clockName = 'clock';
const unreadableMessage =
  'The clock of the sandbox cannot be read from the database. Reset the sandbox with POST /v2/sandbox/reset.';

interface ClockParts {
  storage: Storage;
  clock: Clock;
  monotonic: Clock;
  /** The mode whose clock it is. */
  test_mode: Flag;
  sandbox: boolean;
  /** Receives the mode's seed at each read. */
  followSeed: (seed: string | null) => void;
  onFault?: (fault: unknown, request_id: string | null) => void;
}

/** Only test mode of a sandbox has a clock of its own; live mode and a hosted service use the base clock. */
export function createServiceClock(parts: ClockParts): ServiceClock {
  const { storage, clock: base, monotonic, test_mode, sandbox, followSeed, onFault } = parts;
  const isMovable = sandbox && test_mode === 1;
  let state = initialClockState;
  /** The stored text if it is not a valid clock. */
  let unreadable: string | null = null;
  /** The stored text that was read last: most requests find it unchanged. */
  let latest: string | null = null;
  let read_at = Number.NEGATIVE_INFINITY;
  const adopt = (known: ClockState) => {
    // A slow read may return an outdated state.
    if (known.revision > state.revision || unreadable !== null) state = known;
    unreadable = null;
  };
  const read = (text: string) => {
    const known = parseClockState(text);
    if (known !== null) return adopt(known);
    if (unreadable === null) onFault?.(new Error(unreadableMessage), null);
    unreadable = text;
    // Time continues; a running advance ends, because none of it can be written.
    state = { ...state, advance: null };
  };
  const write: ServiceClock['write'] = async (db, from, change) => {
    const base_at = base.now();
    // Higher than any revision that another process may know.
    const revision = unreadable === null ? from.revision + 1 : Math.max(from.revision + 1, base_at);
    const written: ClockState = { ...from, ...change, base_at, revision };
    // A state that was read is serialized to the same JSON text.
    const believed = unreadable ?? (from.revision === 0 ? null : JSON.stringify(from));
    const isWritten = await replaceSetting(db, clockName, { believed, value: JSON.stringify(written) });
    if (!isWritten) throw new ClockChanged();
    return written;
  };
  const refresh = async () => {
    const started_at = monotonic.now();
    const found = await storage.first(serviceState, test_mode, clockName, seedName(test_mode));
    read_at = started_at;
    followSeed(found?.seed ?? null);
    if (isMovable && typeof found?.clock === 'string' && found.clock !== latest) {
      latest = found.clock;
      read(found.clock);
    }
    return found?.due_at ?? null;
  };
  return {
    now: () => timeAt(state, base.now()),
    state: () => state,
    requireReadable: () => {
      if (unreadable !== null) throw new Problem('clock_unreadable', unreadableMessage);
    },
    ahead_ms: () => timeAt(state, base.now()) - base.now(),
    wait_ms: (at) => waitUntil(state, base.now(), at),
    adopt,
    refresh,
    refreshAfter: async (max_age_ms) => {
      if (monotonic.now() - read_at >= max_age_ms) await refresh();
    },
    write,
    reset: (db, from, finished) => {
      const base_now = base.now();
      const service_at = Math.max(timeAt(from, base_now), base_now);
      return write(db, from, { mode: 'real', rate: 1, service_at, advance: null, finished });
    },
  };
}

/** The end of a clock advance; both null: when nothing is due anymore. */
export interface AdvanceEnd {
  /** At this service time. */
  target: number | null;
  /** When a delivery reaches the status or ends. */
  until: { delivery_id: string; status: DeliveryStatus } | null;
}

/** A running advance, stored so that the service can finish it after a crash. */
export interface Advance extends AdvanceEnd {
  /** The id of its request. */
  request: string;
  /** The position of the event log at its start. */
  position: number;
  /** The number of tasks executed so far. */
  steps: number;
}

/** An advance that was finished by other work than its request: the result for a repeat of that request. */
export interface FinishedAdvance {
  request: string;
  /** Its events: after the first position, up to the second. */
  positions: [number, number];
  steps: number;
  more: boolean;
  /** When it ended, in service time and wall time. */
  now: number;
  wall_now: number;
}

/** The state of service time. Times in milliseconds since the epoch. */
export interface ClockState {
  /** Incremented by every change. */
  revision: number;
  mode: ClockMode;
  /** Service time per unit of the base clock: 1 in real mode, 0 in manual mode. */
  rate: number;
  /** When the base clock showed this ... */
  base_at: number;
  /** ... service time was this. */
  service_at: number;
  /** Time stands still during an advance. */
  advance: Advance | null;
  finished: FinishedAdvance | null;
}

/** Parses a clock state; null if it is invalid. */
function parseClockState(text: string): ClockState | null {
  try {
    const state: ClockState | null = JSON.parse(text);
    if (state === null) return null;
    const { revision, rate, base_at, service_at, advance, finished } = state;
    const numbers = [revision, rate, base_at, service_at, advance?.steps ?? 0, advance?.position ?? 0];
    const requests = [advance?.request ?? '', finished?.request ?? ''];
    const isState = numbers.every(Number.isFinite) && requests.every((each) => typeof each === 'string');
    return isState && clockModes.includes(state.mode) ? state : null;
  } catch {
    return null;
  }
}

/** The initial state: service time is the base clock. */
const initialClockState: ClockState = {
  revision: 0,
  mode: 'real',
  rate: 1,
  base_at: 0,
  service_at: 0,
  advance: null,
  finished: null,
};

/** Service time at `base_now`. If the base clock is set back, service time is not. */
function timeAt({ rate, base_at, service_at, advance }: ClockState, base_now: number): number {
  if (advance !== null) return service_at;
  return service_at + Math.floor(Math.max(0, base_now - base_at) * rate);
}

/** How long the base clock takes until service time is `at`: infinite in manual mode. */
function waitUntil(state: ClockState, base_now: number, at: number): number {
  const left_ms = Math.max(0, at - timeAt(state, base_now));
  return left_ms === 0 ? 0 : left_ms / state.rate;
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

const comparison_interval_ms = 30_000;
/** Work becomes due by the clock of any worker: a larger difference is reported. */
const max_skew_ms = 5_000;

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
  { storage, wall, monotonic, onFault }: SkewParts,
  { ahead_ms }: Pick<SteadyClock, 'ahead_ms'>,
): ClockSkew {
  let compared_at = Number.NEGATIVE_INFINITY;
  let skew_ms = 0;
  let isReported = false;
  const run = createSteadyRun(monotonic);
  const observeWall = () => run.observe(wall.now());
  if (storage.engine === 'sqlite') observeWall();
  const readTrustedTime = async () => {
    const now = (await storage.serverTime()) ?? wall.now();
    return { now, steady_ms: run.observe(now) };
  };
  const wallSkew = async () => {
    const before = wall.now();
    const { now } = await readTrustedTime();
    if (storage.engine === 'sqlite') return 0;
    return now < before ? before - now : Math.min(0, wall.now() - now);
  };
  return {
    readTrustedTime,
    mayForgetKeys: () => storage.engine === 'postgres' || observeWall() >= idempotency_key_life_ms,
    compare: async () => {
      if (monotonic.now() - compared_at < comparison_interval_ms) return;
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

/** The largest difference between two clocks that is no jump: both are corrected in small steps. */
const max_step_ms = minute_ms;

/** Measures since when a clock has passed as the monotonic clock has. */
interface SteadyRun {
  /** Compares the clock, which shows `now`; returns for how long it has not jumped. */
  observe: (now: number) => number;
}

function createSteadyRun(monotonic: Clock): SteadyRun {
  let began: { now: number; at: number } | null = null;
  return {
    observe: (now) => {
      const at = monotonic.now();
      if (began === null || Math.abs(now - began.now - (at - began.at)) > max_step_ms) began = { now, at };
      return at - began.at;
    },
  };
}

/** Logs how far service time is off. */
export function skewText({ engine }: Pick<Storage, 'engine'>, skew_ms: number): string {
  const other = engine === 'postgres' ? 'the database server' : 'this machine';
  const direction = skew_ms > 0 ? 'ahead of' : 'behind';
  return `service time is ${Math.round(Math.abs(skew_ms) / 1_000)} s ${direction} the clock of ${other}`;
}
