import type { AnyDelivery } from '../../contract/delivery-details.ts';
import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { arrivalOf, isLate, latenessOf, promiseIn } from '../../domain/lateness.ts';
import { lengthText, shortTime, styledTime, type Timing } from '../kit/output/times.ts';
import type { Show } from '../kit/result/result.ts';

/** How late a delivery is, in milliseconds; null if it cannot be late. */
export function deliveryLateBy(delivery: AnyDelivery, now: number): number | null {
  return latenessOf(delivery, promiseIn(delivery), now);
}

/** How late a delivery is: in whole minutes the difference of the times that are shown. */
export function lateLength(delivery: AnyDelivery, now: number): string {
  const minute_ms = 60_000;
  const promised = Date.parse(promiseIn(delivery) ?? '');
  const until = promised + (deliveryLateBy(delivery, now) ?? 0);
  return lengthText((Math.floor(until / minute_ms) - Math.floor(promised / minute_ms)) * minute_ms);
}

/**
 * The promised and the expected time of a late delivery: `promised 23:24, now 23:43`; null if it is not late, has
 * arrived, or has no expected time that is still ahead.
 */
export function movedText(delivery: AnyDelivery, now: number, clock: (iso: string) => string): string | null {
  const promised = promiseIn(delivery);
  const eta = delivery.dropoffs[0]?.dropoff_eta ?? '';
  if (promised === null || !isLate(deliveryLateBy(delivery, now)) || arrivalOf(delivery) !== null)
    return null;
  if (!(Date.parse(eta) > now) || delivery.status === 'enroute_to_return') return null;
  return `${promiseWord(delivery)} ${clock(promised)}, now ${clock(eta)}`;
}

/** A service without promises only says when a delivery was expected. */
function promiseWord({ details }: AnyDelivery): 'promised' | 'expected' {
  return details?.promised_at ? 'promised' : 'expected';
}

/** When the courier comes to the pickup, for people: `in 8 min`, `any minute`; empty once it is picked up or has ended. */
export function pickupDueText(delivery: AnyDelivery, { now, times: style, zone }: Timing): string {
  const { status, pickup_eta } = delivery;
  if (status === 'request' || isPickedUp(status) || isEnded(status) || !pickup_eta) return '';
  if (style !== null && style !== 'relative') return styledTime(pickup_eta, now, style, shortTime, zone);
  const left_ms = Date.parse(pickup_eta) - now;
  return left_ms > 0 ? `in ${lengthText(left_ms)}` : 'any minute';
}

/**
 * When a delivery is due, for people: `in 12 min`, `any minute`, `promised 23:24, now 23:43`, `7 min late`, `10:33`,
 * `10:33, 9 min late`. A future time is relative unless another style is requested.
 */
export function dueText(delivery: AnyDelivery, { now, times: style, zone }: Timing): string {
  const late_ms = deliveryLateBy(delivery, now);
  if (late_ms === null) return '';
  const isLength = style === null || style === 'relative';
  const timeText = (iso: string) => styledTime(iso, now, style, shortTime, zone);
  const moved = movedText(delivery, now, (iso) =>
    styledTime(iso, now, isLength ? null : style, shortTime, zone),
  );
  if (moved !== null) return moved;
  const late = isLate(late_ms) ? `${lateLength(delivery, now)} late` : null;
  const arrival = arrivalOf(delivery);
  if (arrival === null && delivery.status === 'enroute_to_return') return late ?? '';
  const eta = delivery.dropoffs[0]?.dropoff_eta ?? '';
  const at = arrival ?? (isLength ? null : eta);
  if (at) return [timeText(at), late].filter((part) => part !== null).join(', ');
  if (late !== null) return late;
  const left_ms = Date.parse(eta) - now;
  return left_ms > 0 ? `in ${lengthText(left_ms)}` : 'any minute';
}

/** Says in a sentence whether the delivery is late. */
export function lateText(delivery: AnyDelivery, late_seconds: number | null, show: Show): string {
  if (late_seconds === null) return '';
  const late_ms = late_seconds * 1000;
  const arrival = arrivalOf(delivery);
  const length = lateLength(delivery, show.now);
  const promised = `${promiseWord(delivery)} ${show.clock(promiseIn(delivery) ?? '')}`;
  if (arrival !== null) {
    if (isLate(late_ms)) return `Delivered ${length} late, ${show.at(arrival)}: ${promised}.`;
    const came = `Delivered ${show.at(arrival)}`;
    return late_seconds < 60
      ? `${came}, on time.`
      : `${came}, ${length} after the ${promiseWord(delivery)} time.`;
  }
  if (isLate(late_ms))
    return `Late: ${movedText(delivery, show.now, show.clock) ?? `${promised}, ${length} ago`}.`;
  if (delivery.status === 'enroute_to_return') return '';
  const eta = delivery.dropoffs[0]?.dropoff_eta ?? '';
  const left_ms = Date.parse(eta) - show.now;
  const at = show.at(eta);
  return `Expected ${left_ms > 0 ? withAge(at, `in ${lengthText(left_ms)}`) : `${at}, any minute`}.`;
}

/** Adds the age of a time, unless the time is already relative. */
function withAge(time: string, age: string): string {
  return time.startsWith('at ') ? `${time}, ${age}` : time;
}
