import { type ClockMode, clockModes, type DeliveryStatus } from '../../contract/vocabulary.ts';

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
export function parseClockState(text: string): ClockState | null {
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
export const initialClockState: ClockState = {
  revision: 0,
  mode: 'real',
  rate: 1,
  base_at: 0,
  service_at: 0,
  advance: null,
  finished: null,
};

/** Service time at `base_now`. If the base clock is set back, service time is not. */
export function timeAt({ rate, base_at, service_at, advance }: ClockState, base_now: number): number {
  if (advance !== null) return service_at;
  return service_at + Math.floor(Math.max(0, base_now - base_at) * rate);
}

/** How long the base clock takes until service time is `at`: infinite in manual mode. */
export function waitUntil(state: ClockState, base_now: number, at: number): number {
  const left_ms = Math.max(0, at - timeAt(state, base_now));
  return left_ms === 0 ? 0 : left_ms / state.rate;
}
