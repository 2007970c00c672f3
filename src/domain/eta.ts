import { halfUp } from './money.ts';

const MINUTE = 60_000;
const TENTH_HOURS = 360_000;

/** Every courier starts so far from the first pickup, in tenths of a mile. */
export const APPROACH_TENTHS = 20;

/** Every courier halts so long at each stop, in milliseconds. */
export const HALT = 4 * MINUTE;

/** How a courier drives. Ways in tenths of a mile, times in minutes. */
export interface Pace {
  speed_mph: number;
  /** The speed on legs longer than so much, where it is another. */
  long_leg?: { over_tenths: number; speed_mph: number };
  /** From now to a driver: 0 where drivers are only sent ahead of an agreed time. */
  assigned_after_minutes: number;
  /** How long before an agreed pickup time the driver is assigned; null where no time can be agreed. */
  assigned_ahead_minutes: number | null;
}

/** When the delivery is wanted, in milliseconds since the epoch; as soon as possible where both are null. */
export interface Wish {
  now: number;
  pickup_at: number | null;
  dropoff_at: number | null;
}

/** The expected instants of a route, in milliseconds since the epoch. */
export interface Timetable {
  assigned_at: number;
  pickup_eta: number;
  /** The handover at the last stop: its recipient has the parcel. */
  dropoff_eta: number;
  /** Arrival at each stop. */
  arrivals: number[];
}

/**
 * When a courier would be where. An agreed pickup time is kept; an agreed dropoff time gives the pickup
 * time with which the last recipient has the parcel by then. What can no longer be kept is done as soon as possible.
 */
export function planTimes(pace: Pace, stops: readonly { leg_tenths: number }[], wish: Wish): Timetable {
  const offsets = arrivalOffsets(pace, stops);
  const whole = (offsets.at(-1) ?? 0) + HALT;
  const ready = wish.now + pace.assigned_after_minutes * MINUTE;
  const earliest = ready + travel(pace, APPROACH_TENTHS);
  const wanted = wish.pickup_at ?? (wish.dropoff_at === null ? earliest : wish.dropoff_at - whole);
  const pickup_eta = Math.max(wanted, earliest);
  const ahead = pace.assigned_ahead_minutes;
  return {
    assigned_at: ahead === null ? ready : Math.max(ready, pickup_eta - ahead * MINUTE),
    pickup_eta,
    dropoff_eta: pickup_eta + whole,
    arrivals: offsets.map((offset) => pickup_eta + offset),
  };
}

/** When each stop is done for its order: the courier is at a pickup, the recipient of a dropoff has the parcel. */
export function stopEtas(
  stops: readonly { kind: 'pickup' | 'dropoff' }[],
  arrivals: readonly number[],
): number[] {
  return stops.map(({ kind }, index) => (arrivals[index] ?? 0) + (kind === 'dropoff' ? HALT : 0));
}

/** Milliseconds from the arrival at the first stop to the arrival at each. */
function arrivalOffsets(pace: Pace, stops: readonly { leg_tenths: number }[]): number[] {
  let offset = 0;
  return stops.map((stop, index) => {
    // Consecutive stops at one address are one halt.
    if (index > 0 && stop.leg_tenths > 0) offset += HALT + travel(pace, stop.leg_tenths);
    return offset;
  });
}

/** The milliseconds that a courier drives for so many tenths of a mile. */
export function travel(pace: Pace, tenths: number): number {
  const { long_leg } = pace;
  const long = long_leg !== undefined && tenths > long_leg.over_tenths;
  return halfUp(tenths * TENTH_HOURS, long ? long_leg.speed_mph : pace.speed_mph);
}
