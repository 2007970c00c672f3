/** When a delivery is due, expected and late, in words, and for how many minutes it waited. */
import type { AnyDelivery } from '../../contract/deliveries.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isDriven, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { minute_ms } from '../../domain/durations.ts';
import { formatEtaWindow, knownEtaPrecision, roughLeft } from '../../domain/estimates.ts';
import { findArrival, isLate, measureLateness, promiseIn } from '../../domain/lateness.ts';
import { intervalText, lengthText, shortTime, styledTime, type TimeContext } from '../kit/output/times.ts';
import type { CellValue, Formatters } from '../kit/result/result.ts';

export function isWithoutDriver({ status }: Pick<AnyDelivery, 'status'>): boolean {
  return !isDriven(status) && !isEnded(status);
}

/** How late a delivery is, in milliseconds; null if it cannot be late. */
export function deliveryLateBy(delivery: AnyDelivery, now: number): number | null {
  const eta_precision = knownEtaPrecision(delivery);
  return measureLateness(delivery, { promised_at: promiseIn(delivery), eta_precision }, now);
}

export function lateLength(delivery: AnyDelivery, now: number): string {
  return lengthText(countLateMinutes(delivery, deliveryLateBy(delivery, now) ?? 0) * minute_ms);
}

/** How late a delivery is: in whole minutes the difference of the times that are shown. */
export function countLateMinutes(delivery: AnyDelivery, late_ms: number): number {
  const promised = Date.parse(promiseIn(delivery) ?? '');
  return Math.floor((promised + late_ms) / minute_ms) - Math.floor(promised / minute_ms);
}

/** The promised and the expected time of a late delivery, as `movedText`: `promised 23:24, now 23:43, in 12 min`. */
export function promisedAndNowText(
  delivery: AnyDelivery,
  now: number,
  clock: (iso: string) => string,
): string | null {
  const moved = movedText(delivery, now, clock);
  return moved === null ? null : `${promiseWord(delivery)} ${moved}`;
}

/** `23:24, now 23:43, in 12 min`; null if it is not late, has arrived, or has no expected time that is still ahead. */
function movedText(delivery: AnyDelivery, now: number, clock: (iso: string) => string): string | null {
  const promised = promiseIn(delivery);
  const eta = delivery.dropoffs[0]?.dropoff_eta ?? '';
  if (promised === null || !isLate(deliveryLateBy(delivery, now)) || findArrival(delivery) !== null)
    return null;
  const left_ms = Date.parse(eta) - now;
  if (!(left_ms > 0)) return null;
  const expected = withAge(etaText(delivery, eta, clock), leftText(delivery, left_ms));
  return `${clock(promised)}, now ${expected}`;
}

/** An expected time of a delivery: `12:50 to 13:05` if it rests on places that are known coarsely. */
export function etaText(delivery: AnyDelivery, eta: string, clock: (iso: string) => string): string {
  return isRough(delivery, eta) ? intervalText(formatEtaWindow(eta), clock) : clock(eta);
}

function isRough(delivery: AnyDelivery, eta: string): boolean {
  return knownEtaPrecision(delivery) !== null && isTimeText(eta);
}

export function isTimeText(value: CellValue): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}

/** The time until an expected time, which is ahead: `in 12 min`, `in about 15 min`. */
function leftText(delivery: AnyDelivery, left_ms: number): string {
  const isExact = knownEtaPrecision(delivery) === null;
  return isExact ? `in ${lengthText(left_ms)}` : `in about ${lengthText(roughLeft(left_ms))}`;
}

/** A service without promises only says when a delivery was expected. */
function promiseWord({ details }: AnyDelivery): 'promised' | 'expected' {
  return details?.promised_at ? 'promised' : 'expected';
}

/** When the courier is expected at the pickup; null once it is picked up or has ended. */
export function pickupDueAt({ status, pickup_eta }: AnyDelivery): string | null {
  return status === 'request' || isPickedUp(status) || isEnded(status) ? null : pickup_eta;
}

/** When the courier comes to the pickup, for people: `in 8 min`, `any minute, no driver`; empty once it is picked up or has ended. */
export function pickupDueText(delivery: AnyDelivery, { now, times: style, zone }: TimeContext): string {
  const pickup_eta = pickupDueAt(delivery);
  if (!pickup_eta) return '';
  const nobody = isWithoutDriver(delivery) ? ', no driver' : '';
  if (style !== null && style !== 'relative')
    return etaText(delivery, pickup_eta, (iso) => styledTime(iso, now, style, shortTime, zone)) + nobody;
  const left_ms = Date.parse(pickup_eta) - now;
  return (left_ms > 0 ? leftText(delivery, left_ms) : 'any minute') + nobody;
}

/**
 * When a delivery is due by its promise, for people: `in 12 min`, `any minute`, `23:24, now 23:43, in 9 min`, `7 min
 * late`, and once it has arrived `came 10:33, 9 min late`. A future time is relative unless another style is requested.
 */
export function dueText(delivery: AnyDelivery, { now, times: style, zone }: TimeContext): string {
  const late_ms = deliveryLateBy(delivery, now);
  if (late_ms === null) return '';
  const isLength = style === null || style === 'relative';
  const timeText = (iso: string) => styledTime(iso, now, style, shortTime, zone);
  const moved = movedText(delivery, now, (iso) =>
    styledTime(iso, now, isLength ? null : style, shortTime, zone),
  );
  if (moved !== null) return moved;
  const late = isLate(late_ms) ? `${lateLength(delivery, now)} late` : null;
  const arrival = findArrival(delivery);
  const promise = promiseIn(delivery) ?? '';
  const at =
    arrival === null ? (isLength ? '' : etaText(delivery, promise, timeText)) : `came ${timeText(arrival)}`;
  if (at) return [at, late].filter((part) => part !== null).join(', ');
  if (late !== null) return late;
  const left_ms = Date.parse(promise) - now;
  return left_ms > 0 ? leftText(delivery, left_ms) : 'any minute';
}

export function lateText(delivery: AnyDelivery, late_seconds: number | null, show: Formatters): string {
  if (late_seconds === null) return '';
  const late_ms = late_seconds * 1000;
  const arrival = findArrival(delivery);
  const length = lateLength(delivery, show.now);
  const promised = `${promiseWord(delivery)} ${show.clock(promiseIn(delivery) ?? '')}`;
  if (arrival !== null) {
    if (isLate(late_ms)) return `Delivered ${length} late, ${show.at(arrival)}: ${promised}.`;
    const came = `Delivered ${show.at(arrival)}`;
    return late_seconds < 60
      ? `${came}, on time: ${promised}.`
      : `${came}, ${length} after the ${promiseWord(delivery)} time.`;
  }
  if (isLate(late_ms))
    return `Late: ${promisedAndNowText(delivery, show.now, show.clock) ?? `${promised}, ${length} ago`}.`;
  const eta = delivery.dropoffs[0]?.dropoff_eta ?? '';
  const left_ms = Date.parse(eta) - show.now;
  const at = isRough(delivery, eta) ? intervalText(formatEtaWindow(eta), show.clock) : show.at(eta);
  return `Expected ${left_ms > 0 ? withAge(at, leftText(delivery, left_ms)) : `${at}, any minute`}.`;
}

/** Adds the age of a time, unless the time is already relative. */
function withAge(time: string, age: string): string {
  return time.startsWith('in ') ? time : `${time}, ${age}`;
}

/**
 * The minutes that a delivery was without a driver: from its order until one was assigned, else so far, or since it lost
 * one; null where none was assigned before its end.
 */
export function countWaitMinutes(delivery: AnyDelivery, now: number): number | null {
  const { delivery_type, status_history } = delivery;
  const isWaiting = isWithoutDriver(delivery) && !isPickedUp(delivery.status);
  const start = status_history.findLast(({ status }) => !isDriven(status) && !isEnded(status))?.created_at;
  const first = status_history.find(({ status }) => status === 'delivery_created')?.created_at;
  const driven = status_history.find(({ status }) => isDriven(status))?.created_at;
  const [from, to] = isWaiting ? [start, now] : [first, Date.parse(driven ?? '')];
  if (first === undefined || from === undefined || delivery_type === 'scheduled' || Number.isNaN(to))
    return null;
  return (to - Date.parse(from)) / minute_ms;
}

/** The minutes from the reported arrival of the driver at the store to the pickup, else so far. */
export function countStoreMinutes({ status, status_history }: AnyDelivery, now: number): number | null {
  const timeOf = (is: (status: DeliveryStatus) => boolean) =>
    Date.parse(status_history.find((each) => is(each.status))?.created_at ?? '');
  const from = timeOf((each) => each === 'arrived_at_pickup');
  const to = status === 'arrived_at_pickup' ? now : timeOf(isPickedUp);
  return to >= from ? (to - from) / minute_ms : null;
}
