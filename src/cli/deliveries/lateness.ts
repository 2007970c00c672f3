import type { Delivery } from '../../contract/deliveries.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { lengthText, shortTime } from '../output/times.ts';

/** Less than this is on time, once it is there. */
const grace_ms = 60_000;
/** Nobody is coming to the dropoff. */
const notUnderWay: readonly DeliveryStatus[] = ['request', 'enroute_to_return'];

/** When it was there: an ISO text, or null before that. */
export function arrivalOf({ status_history }: Delivery): string | null {
  return status_history.find(({ status }) => status === 'delivered')?.created_at ?? null;
}

/**
 * How long after its dropoff ETA a delivery came, or is by now, in milliseconds; negative before it, where somebody
 * is on the way. Null where nobody can say, and where it ended without having come. What has not ended by its ETA is
 * late, whatever its status: so does the interface list it.
 */
export function lateBy(delivery: Delivery, now: number): number | null {
  const eta = Date.parse(delivery.dropoffs[0]?.dropoff_eta ?? '');
  const arrival = arrivalOf(delivery);
  if (Number.isNaN(eta)) return null;
  if (arrival !== null) return Date.parse(arrival) - eta;
  const isComing = !notUnderWay.includes(delivery.status);
  return !isEnded(delivery.status) && (isComing || now > eta) ? now - eta : null;
}

/** Whether that counts as late: a delivery that came has a minute's grace. */
export function isLate(delivery: Delivery, now: number): boolean {
  const late_ms = lateBy(delivery, now);
  return late_ms !== null && late_ms >= (arrivalOf(delivery) === null ? 1 : grace_ms);
}

/** When it is to be there, for people: `in 12 min`, `7 min late`, `10:33`, `10:33, 4 min late`. */
export function dueText(delivery: Delivery, now: number): string {
  const late_ms = lateBy(delivery, now);
  if (late_ms === null) return '';
  const arrival = arrivalOf(delivery);
  const late = isLate(delivery, now) ? `${lengthText(late_ms)} late` : null;
  if (arrival !== null) return [shortTime(arrival, now), late].filter((part) => part !== null).join(', ');
  return late ?? `in ${lengthText(-late_ms)}`;
}
