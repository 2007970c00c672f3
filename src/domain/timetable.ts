/** The times at which a courier expects to be at the stops of a route. */
import { minute_ms } from './durations.ts';
import { halfUp } from './money.ts';

const tenth_hour_ms = 360_000;

/** The distance from every courier to the first pickup, in tenths of a mile. */
export const approach_tenths = 20;

/** The time that a courier stays at each stop, in milliseconds. */
export const halt_ms = 4 * minute_ms;

/** How fast a courier drives. Distances in tenths of a mile. */
export interface Speed {
  speed_mph: number;
  /** The speed on longer legs, if it differs. */
  long_leg?: { over_tenths: number; speed_mph: number };
}

/** The speed and timing of a courier. Times in minutes. */
export interface Pace extends Speed {
  /** Delay until a driver is assigned; 0 if drivers are assigned only ahead of a scheduled time. */
  assigned_after_minutes: number;
  /** How long before a scheduled pickup the driver is assigned; null if deliveries cannot be scheduled. */
  assigned_ahead_minutes: number | null;
}

/** The requested time, in milliseconds since the epoch; both null: as soon as possible. */
export interface Wish {
  now: number;
  pickup_at: number | null;
  dropoff_at: number | null;
}

/** The expected times of a route, in milliseconds since the epoch. */
export interface Timetable {
  assigned_at: number;
  pickup_eta: number;
  /** The handover at the last stop. */
  dropoff_eta: number;
  arrivals: number[];
}

/**
 * Plans a courier's times. A scheduled pickup time is kept; a scheduled dropoff time determines the latest pickup
 * time that still meets it. Times that can no longer be met are planned as soon as possible.
 */
export function planTimes(pace: Pace, stops: readonly { leg_tenths: number }[], wish: Wish): Timetable {
  const offsets = arrivalOffsets(pace, stops);
  const whole = (offsets.at(-1) ?? 0) + halt_ms;
  const ready = wish.now + pace.assigned_after_minutes * minute_ms;
  const earliest = ready + travel(pace, approach_tenths);
  const wanted = wish.pickup_at ?? (wish.dropoff_at === null ? earliest : wish.dropoff_at - whole);
  const pickup_eta = Math.max(wanted, earliest);
  const ahead = pace.assigned_ahead_minutes;
  return {
    assigned_at: ahead === null ? ready : Math.max(ready, pickup_eta - ahead * minute_ms),
    pickup_eta,
    dropoff_eta: pickup_eta + whole,
    arrivals: offsets.map((offset) => pickup_eta + offset),
  };
}

/** When each stop is completed: arrival for a pickup, handover for a dropoff. */
export function stopEtas(
  stops: readonly { kind: 'pickup' | 'dropoff' }[],
  arrivals: readonly number[],
): number[] {
  return stops.map(({ kind }, index) => (arrivals[index] ?? 0) + (kind === 'dropoff' ? halt_ms : 0));
}

/** Milliseconds from the arrival at the first stop to the arrival at each stop. */
function arrivalOffsets(pace: Pace, stops: readonly { leg_tenths: number }[]): number[] {
  let offset = 0;
  return stops.map((stop, index) => {
    // Consecutive stops at the same address need no driving and no additional time.
    if (index > 0 && stop.leg_tenths > 0) offset += halt_ms + travel(pace, stop.leg_tenths);
    return offset;
  });
}

/** The driving time in milliseconds for a distance in tenths of a mile. */
export function travel({ speed_mph, long_leg }: Speed, tenths: number): number {
  const isLong = long_leg !== undefined && tenths > long_leg.over_tenths;
  return halfUp(tenths * tenth_hour_ms, isLong ? long_leg.speed_mph : speed_mph);
}
