import type { Delivery } from '../../../contract/deliveries.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { late_tolerance_ms } from '../../../domain/lateness.ts';
import { lengthText, shortTime, styledTime, type Timing } from '../../kit/output/times.ts';

/** The arrival time as an ISO text; null before the arrival. */
export function arrivalOf({ status_history }: Delivery): string | null {
  return status_history.find(({ status }) => status === 'delivered')?.created_at ?? null;
}

/**
 * The lateness of a delivery in milliseconds: its arrival, or now if it is under way, minus its dropoff ETA. Null
 * before it is dispatched and if it ended without arriving. A returning delivery counts as late after its ETA, as in
 * the service's list of late deliveries.
 */
export function lateBy(delivery: Delivery, now: number): number | null {
  const eta = Date.parse(delivery.dropoffs[0]?.dropoff_eta ?? '');
  const arrival = arrivalOf(delivery);
  if (Number.isNaN(eta)) return null;
  if (arrival !== null) return Date.parse(arrival) - eta;
  if (delivery.status === 'request' || isEnded(delivery.status)) return null;
  return delivery.status !== 'enroute_to_return' || now > eta ? now - eta : null;
}

/** True if a delivery is past its ETA by more than the tolerance. */
export function isLate(delivery: Delivery, now: number): boolean {
  const late_ms = lateBy(delivery, now);
  return late_ms !== null && late_ms > late_tolerance_ms;
}

/**
 * The expected arrival, for people: `in 12 min`, `any minute`, `7 min late`, `10:33`, `10:33, 9 min late`. A future
 * time is relative unless another style is requested.
 */
export function dueText(delivery: Delivery, { now, times: style, zone }: Timing): string {
  const late_ms = lateBy(delivery, now);
  if (late_ms === null) return '';
  const isLength = style === null || style === 'relative';
  const at = arrivalOf(delivery) ?? (isLength ? null : delivery.dropoffs[0]?.dropoff_eta);
  const late = isLate(delivery, now) ? `${lengthText(late_ms)} late` : null;
  if (at)
    return [styledTime(at, now, style, shortTime, zone), late].filter((part) => part !== null).join(', ');
  if (late !== null) return late;
  return late_ms > 0 ? 'any minute' : `in ${lengthText(-late_ms)}`;
}
