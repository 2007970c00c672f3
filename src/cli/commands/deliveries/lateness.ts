import type { Delivery } from '../../../contract/deliveries.ts';
import { isEnded } from '../../../domain/delivery-states.ts';
import { late_tolerance_ms } from '../../../domain/lateness.ts';
import { lengthText, shortTime, styledTime, type TimeStyle } from '../../kit/output/times.ts';

/** When it was there: an ISO text, or null before that. */
export function arrivalOf({ status_history }: Delivery): string | null {
  return status_history.find(({ status }) => status === 'delivered')?.created_at ?? null;
}

/**
 * How long after its dropoff ETA a delivery came, or is by now, in milliseconds; negative before it, where somebody
 * is on the way. Null where nobody can say: before it is initiated, and where it ended without having come. What is
 * initiated and has not ended by its ETA is late, even on its way back: so does the interface list it.
 */
export function lateBy(delivery: Delivery, now: number): number | null {
  const eta = Date.parse(delivery.dropoffs[0]?.dropoff_eta ?? '');
  const arrival = arrivalOf(delivery);
  if (Number.isNaN(eta)) return null;
  if (arrival !== null) return Date.parse(arrival) - eta;
  if (delivery.status === 'request' || isEnded(delivery.status)) return null;
  return delivery.status !== 'enroute_to_return' || now > eta ? now - eta : null;
}

/** Whether that counts as late: a few minutes past an ETA do not. */
export function isLate(delivery: Delivery, now: number): boolean {
  const late_ms = lateBy(delivery, now);
  return late_ms !== null && late_ms > late_tolerance_ms;
}

/**
 * When it is to be there, for people: `in 12 min`, `any minute`, `7 min late`, `10:33`, `10:33, 9 min late`. What is
 * still to come is a length of time, unless another style is asked for.
 */
export function dueText(delivery: Delivery, now: number, style: TimeStyle = null): string {
  const late_ms = lateBy(delivery, now);
  if (late_ms === null) return '';
  const isLength = style === null || style === 'relative';
  const at = arrivalOf(delivery) ?? (isLength ? null : delivery.dropoffs[0]?.dropoff_eta);
  const late = isLate(delivery, now) ? `${lengthText(late_ms)} late` : null;
  if (at) return [styledTime(at, now, style, shortTime), late].filter((part) => part !== null).join(', ');
  if (late !== null) return late;
  return late_ms > 0 ? 'any minute' : `in ${lengthText(-late_ms)}`;
}
