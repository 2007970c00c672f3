import type { AnyDelivery, Delivery } from '../contract/deliveries.ts';
import { isEnded } from './delivery-states.ts';
import { halfUp } from './money.ts';

// The times of a delivery: the plan of the courier, the promise to the recipient, and the lateness.

const MINUTE = 60_000;
const TENTH_HOURS = 360_000;

/** The distance from every courier to the first pickup, in tenths of a mile. */
export const APPROACH_TENTHS = 20;

/** The time that a courier stays at each stop, in milliseconds. */
export const HALT = 4 * MINUTE;

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
  /** Arrival at each stop. */
  arrivals: number[];
}

/**
 * Plans a courier's times. A scheduled pickup time is kept; a scheduled dropoff time determines the latest pickup
 * time that still meets it. Times that can no longer be met are planned as soon as possible.
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

/** When each stop is completed: arrival for a pickup, handover for a dropoff. */
export function stopEtas(
  stops: readonly { kind: 'pickup' | 'dropoff' }[],
  arrivals: readonly number[],
): number[] {
  return stops.map(({ kind }, index) => (arrivals[index] ?? 0) + (kind === 'dropoff' ? HALT : 0));
}

/** Milliseconds from the arrival at the first stop to the arrival at each stop. */
function arrivalOffsets(pace: Pace, stops: readonly { leg_tenths: number }[]): number[] {
  let offset = 0;
  return stops.map((stop, index) => {
    // Consecutive stops at the same address need no driving and no additional time.
    if (index > 0 && stop.leg_tenths > 0) offset += HALT + travel(pace, stop.leg_tenths);
    return offset;
  });
}

/** The driving time in milliseconds for a distance in tenths of a mile. */
export function travel({ speed_mph, long_leg }: Speed, tenths: number): number {
  const isLong = long_leg !== undefined && tenths > long_leg.over_tenths;
  return halfUp(tenths * TENTH_HOURS, isLong ? long_leg.speed_mph : speed_mph);
}

/** How long after its promised time a delivery counts as late, in milliseconds. */
export const late_tolerance_ms = 5 * 60_000;

/** The times of a dispatch, in milliseconds since the epoch. */
interface AcceptedQuote {
  /** The agreed time of the dropoff; null for as soon as possible. */
  dropoff_at: number | null;
  /** The ETA of the quote. */
  quoted_eta: number;
  /** How far the times of the quote have moved until it was accepted, in milliseconds. */
  passed_ms: number;
  now: number;
}

/**
 * The time that the recipient is promised at the first dispatch of an order: the agreed time if it is still ahead, or
 * else the ETA of the accepted quote. An older quote than the tolerance promises what its courier can still keep.
 */
export function promiseOf({ dropoff_at, quoted_eta, passed_ms, now }: AcceptedQuote): number {
  if (dropoff_at !== null && dropoff_at > now) return dropoff_at;
  return passed_ms > late_tolerance_ms ? quoted_eta + passed_ms : quoted_eta;
}

/** How much later than promised a delivery arrived, or is expected now, in milliseconds; negative if it is earlier. */
export function lateBy(
  times: { promised_at: number; dropoff_eta: number; delivered_at?: number | null },
  now: number,
): number {
  return (times.delivered_at ?? Math.max(times.dropoff_eta, now)) - times.promised_at;
}

/** Whether this is more than the tolerance; false for null. */
export function isLate(late_ms: number | null): boolean {
  return late_ms !== null && late_ms > late_tolerance_ms;
}

/** When the recipient got the delivery, as an ISO text; null before. */
export function arrivalOf({ status_history }: Pick<Delivery, 'status_history'>): string | null {
  return status_history.find(({ status }) => status === 'delivered')?.created_at ?? null;
}

/**
 * The promised time of a delivery as an ISO text. A service without promises has only the agreed time, or else the ETA.
 * Null without any.
 */
export function promiseIn({ details, dropoffs: [dropoff] }: AnyDelivery): string | null {
  return details?.promised_at || dropoff?.dropoff_at || dropoff?.dropoff_eta || null;
}

/**
 * The lateness of a delivery in milliseconds. Null without a promise, before it is dispatched, and if it ended without
 * arriving.
 */
export function latenessOf(
  delivery: Pick<Delivery, 'status' | 'dropoffs' | 'status_history'>,
  promised_at: string | null,
  now: number,
): number | null {
  if (promised_at === null) return null;
  const { status, dropoffs } = delivery;
  const arrival = arrivalOf(delivery);
  if (arrival === null && (status === 'request' || isEnded(status))) return null;
  const late_ms = lateBy(
    {
      promised_at: Date.parse(promised_at),
      dropoff_eta: Date.parse(dropoffs[0]?.dropoff_eta ?? ''),
      delivered_at: arrival === null ? null : Date.parse(arrival),
    },
    now,
  );
  return Number.isNaN(late_ms) ? null : late_ms;
}
