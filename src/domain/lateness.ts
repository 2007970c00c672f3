/** The time that a recipient is promised, and the rule for when a delivery is late. */
import type { AnyDelivery, Delivery } from '../contract/deliveries.ts';
import type { CoarsePrecision, DeliveryStatus } from '../contract/vocabulary.ts';
import { isEnded, isPickedUp } from './delivery-states.ts';
import { minute_ms } from './durations.ts';

/** How long after its promised time a delivery counts as late, in milliseconds. */
export const late_tolerance_ms = 5 * minute_ms;

/** The times of a dispatch, in milliseconds since the epoch. */
interface AcceptedQuote {
  /** The agreed time of the dropoff; null for as soon as possible. */
  dropoff_at: number | null;
  quoted_eta: number;
  /** How far the times of the quote have moved until it was accepted, in milliseconds. */
  passed_ms: number;
  now: number;
}

/**
 * The time that the recipient is promised at the first dispatch of an order: the agreed time if it is still ahead, or
 * else the ETA of the accepted quote, which is also promised if it is later. An older quote than the tolerance promises
 * what its courier can still keep.
 */
export function promiseOf({ dropoff_at, quoted_eta, passed_ms, now }: AcceptedQuote): number {
  if (dropoff_at !== null && dropoff_at > now) return Math.max(dropoff_at, quoted_eta);
  return passed_ms > late_tolerance_ms ? quoted_eta + passed_ms : quoted_eta;
}

/** The agreed times of an order and the expected ones of a quote, in milliseconds since the epoch. */
interface AgreedAndExpected {
  pickup_at: number | null;
  dropoff_at: number | null;
  pickup_eta: number;
  dropoff_eta: number;
}

/** Whether a quote cannot keep an agreed time. A courier may come to a pickup within the tolerance after it. */
export function isTooLate({ pickup_at, dropoff_at, pickup_eta, dropoff_eta }: AgreedAndExpected): boolean {
  if (dropoff_at !== null) return dropoff_eta > dropoff_at;
  return pickup_at !== null && pickup_eta > pickup_at + late_tolerance_ms;
}

/** The promised and the expected time of a delivery, and how coarse the places are that the latter rests on. */
interface PromisedAndExpected {
  promised_at: number;
  dropoff_eta: number;
  eta_precision?: CoarsePrecision | null;
}

/** The expected time that lateness counts: one that rests on the centre of a ZIP code is never after the promise. */
export function countedEta({ promised_at, dropoff_eta, eta_precision }: PromisedAndExpected): number {
  return eta_precision === 'zip' ? Math.min(dropoff_eta, promised_at) : dropoff_eta;
}

/** How much later than promised a delivery arrived, or is expected now, in milliseconds; negative if it is earlier. */
export function lateBy(times: PromisedAndExpected & { delivered_at?: number | null }, now: number): number {
  return (times.delivered_at ?? Math.max(countedEta(times), now)) - times.promised_at;
}

/** Whether a delivery that is this much later than promised counts as late; null does not. */
export function isLate(late_ms: number | null): boolean {
  return (late_ms ?? 0) > late_tolerance_ms;
}

/** When the recipient got the delivery, as an ISO text; null before. */
export function findArrival({ status_history }: Pick<Delivery, 'status_history'>): string | null {
  return status_history.find(({ status }) => status === 'delivered')?.created_at ?? null;
}

/**
 * The promised time of a delivery as an ISO text. A service without promises has only the agreed time, or else the ETA.
 * Null without any.
 */
export function promiseIn({ details, dropoffs: [dropoff] }: AnyDelivery): string | null {
  return details?.promised_at || dropoff?.dropoff_at || dropoff?.dropoff_eta || null;
}

/** Whether a delivery under way can be late: it is dispatched, and neither ended without arriving nor comes back. */
export function canBeLate(status: DeliveryStatus): boolean {
  return status !== 'request' && status !== 'enroute_to_return' && !isEnded(status);
}

/** The lateness of a delivery in milliseconds. Null without a promise, and for one that cannot be late. */
export function measureLateness(
  delivery: Pick<Delivery, 'status' | 'dropoffs' | 'status_history'>,
  { promised_at, eta_precision }: { promised_at: string | null; eta_precision?: CoarsePrecision | null },
  now: number,
): number | null {
  if (promised_at === null) return null;
  const { status, dropoffs } = delivery;
  const arrival = findArrival(delivery);
  if (arrival === null && !canBeLate(status)) return null;
  const late_ms = lateBy(
    {
      promised_at: Date.parse(promised_at),
      dropoff_eta: Date.parse(dropoffs[0]?.dropoff_eta ?? ''),
      eta_precision: eta_precision ?? null,
      delivered_at: arrival === null ? null : Date.parse(arrival),
    },
    now,
  );
  if (Number.isNaN(late_ms)) return null;
  // A quote is some seconds old when it is accepted: what is expected less than a minute later is in time.
  return arrival === null && late_ms > 0 && late_ms < minute_ms ? 0 : late_ms;
}

/** A delivery whose next report is overdue by this is stuck. */
export const stuck_after_ms = 10 * minute_ms;

/** After a report without an estimate the next one is due in this time. */
export const silent_ms = 60 * minute_ms;

type Reporting = Pick<Delivery, 'status' | 'updated_at' | 'pickup_eta'> & {
  dropoffs: readonly { dropoff_eta?: string | null }[];
};

/**
 * How far a delivery under way is past the time at which its next report was due, in milliseconds; negative before. It
 * is due at the estimate of the pickup, then of the dropoff; an hour after the last report without an estimate that was
 * still ahead then, and on the way back. One that waits for its day has no report due without an estimate.
 */
export function overdueBy({ status, updated_at, pickup_eta, dropoffs }: Reporting, now: number): number {
  const eta = isPickedUp(status) ? dropoffs[0]?.dropoff_eta : pickup_eta;
  const reported = Date.parse(updated_at);
  const expected = status === 'enroute_to_return' ? Number.NaN : Date.parse(eta ?? '');
  if (expected > reported) return now - expected;
  return status === 'scheduled' ? Number.NEGATIVE_INFINITY : now - reported - silent_ms;
}
