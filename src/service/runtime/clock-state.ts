import { type ClockMode, clockModes, type DeliveryStatus } from '../../contract/vocabulary.ts';

/** Where an advance of the clock is to end; neither of the two: where nothing is due any more. */
export interface AdvanceEnd {
  /** At this instant of service time. */
  target: number | null;
  /** Once a delivery has come so far, or to its end. */
  until: { delivery_id: string; status: DeliveryStatus } | null;
}

/** An advance under way, written down so that whoever opens the service after a crash can finish it. */
export interface Advance extends AdvanceEnd {
  /** Names the request that asked for it. */
  request: string;
  /** How far the event log had come before it. */
  position: number;
  /** How much work it has done so far. */
  steps: number;
}

/** An advance that another than its request has finished: what there is to answer to that request. */
export interface FinishedAdvance {
  request: string;
  /** What of the event log it caused: after the first position, up to the second. */
  positions: [number, number];
  steps: number;
  more: boolean;
  /** When it ended, by the service's clock and by the wall. */
  now: number;
  wall_now: number;
}

/** How service time passes. Instants in milliseconds since the epoch. */
export interface ClockState {
  /** Goes up by one with every change. */
  revision: number;
  mode: ClockMode;
  /** Service time for each unit of the base clock's: 1 when real, 0 when manual. */
  rate: number;
  /** When the base clock showed this ... */
  base_at: number;
  /** ... the service's clock showed this. */
  service_at: number;
  /** Time stands still while one is under way. */
  advance: Advance | null;
  finished: FinishedAdvance | null;
}

/** The state that a text holds; null where it holds none. */
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

/** A clock that nobody has touched is the base clock. */
export const untouched: ClockState = {
  revision: 0,
  mode: 'real',
  rate: 1,
  base_at: 0,
  service_at: 0,
  advance: null,
  finished: null,
};

/** Service time when the base clock shows `base_now`. A base clock that is set back does not take it along. */
export function timeAt({ rate, base_at, service_at, advance }: ClockState, base_now: number): number {
  if (advance !== null) return service_at;
  return service_at + Math.floor(Math.max(0, base_now - base_at) * rate);
}

/** How long the base clock takes until service time is `at`: for ever where it is manual. */
export function waitUntil(state: ClockState, base_now: number, at: number): number {
  const left_ms = Math.max(0, at - timeAt(state, base_now));
  return left_ms === 0 ? 0 : left_ms / state.rate;
}
