/**
 * Service time: the clock of each mode. A hosted service and live mode use the steady base clock (`base-clock.ts`); test mode
 * of a sandbox stores how its clock passes, so that it can be stopped, sped up and advanced. Processes that share a database
 * read it before they use it, and write it only if its revision is still the one that they have read.
 */
import { Problem } from '../../contract/errors.ts';
import { type ClockMode, clockModes, type DeliveryStatus } from '../../contract/vocabulary.ts';
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

/** Service time at `base_now`. If the base clock is set back, service time is not. */
function timeAt({ rate, base_at, service_at, advance }: ClockState, base_now: number): number {
  if (advance !== null) return service_at;
  return service_at + Math.floor(Math.max(0, base_now - base_at) * rate);
}

/** How long the base clock takes until service time is `at`: infinite in manual mode. */
function waitUntil(state: ClockState, base_now: number, at: number): number {
  const remaining_ms = Math.max(0, at - timeAt(state, base_now));
  return remaining_ms === 0 ? 0 : remaining_ms / state.rate;
}
