/**
 * A model of a delivery's statuses, written from the specification and independently of the service, which is checked
 * against it. It compares positions on a path, where the service has a table.
 */
import { expect } from 'vitest';
import type { Charge } from '../../src/contract/accounting.ts';
import type { Delivery } from '../../src/contract/deliveries.ts';
import { failureReasons } from '../../src/contract/vocabulary.ts';

type Status = Delivery['status'];

const path: readonly Status[] = [
  'driver_assigned',
  'enroute_pickup',
  'arrived_at_pickup',
  'pickup_complete',
  'enroute_dropoff',
  'arrived_at_dropoff',
  'dropoff_complete',
  'delivered',
];
const cancels: readonly Status[] = ['provider_canceled', 'customer_canceled', 'burq_canceled'];
const created: readonly Status[] = ['delivery_created', 'scheduled'];

const at = (status: Status): number => path.indexOf(status);
const isOnItsWay = (status: Status): boolean => at(status) >= 0 && status !== 'delivered';
const hasParcel = (status: Status): boolean => isOnItsWay(status) && at(status) >= at('pickup_complete');

function isTerminal(status: Status): boolean {
  return [...cancels, 'failed', 'returned', 'disputed'].includes(status);
}

/** Whether the specification allows `to` right after `from`. */
export function follows(from: Status, to: Status): boolean {
  if (isTerminal(from)) return false;
  if (from === 'delivered') return to === 'disputed';
  if (from === 'enroute_to_return')
    return ['returned', 'failed', 'provider_canceled', 'burq_canceled'].includes(to);
  if (to === 'failed' || cancels.includes(to)) return true;
  if (from === 'request') return created.includes(to);
  if (to === 'enroute_to_return') return hasParcel(from);
  if (to === 'driver_not_assigned') return isOnItsWay(from);
  return at(to) > at(from) && (isOnItsWay(from) || created.includes(from) || from === 'driver_not_assigned');
}

/** Statuses in which every courier may accept a cancellation: until the pickup, except for races and special rules. */
export function canBeCanceled(status: Status): boolean {
  return follows(status, 'customer_canceled') && !hasParcel(status);
}

/** The state of a delivery at the last read. */
export interface Remembered {
  id: string;
  history: Delivery['status_history'];
  status: Status;
}

/** The state at one read. */
export interface Observation {
  delivery: Delivery;
  charges: readonly Charge[];
  /** The stored quote; null if there is none. */
  quote: { route_id: string; expires_at: number | null; place: boolean } | null;
}

/** Checks a read against the previous one; returns its state for the next check. */
export function check(previous: Remembered | undefined, observation: Observation): Remembered {
  const { delivery } = observation;
  const { id, status, status_history: history } = delivery;
  checkHistory(previous, delivery);
  checkDriver(delivery);
  checkReasons(delivery);
  checkMoney(observation);
  checkQuote(observation);
  return { id, status, history };
}

/** Checks a history, and that it begins with the one at the previous read. */
export function checkHistory(
  previous: Pick<Remembered, 'history'> | undefined,
  { status, status_history: history }: Pick<Delivery, 'status' | 'status_history'>,
): void {
  const before = previous?.history ?? [];
  expect(history.slice(0, before.length), 'the history is never rewritten').toEqual(before);
  if (status === 'request') expect(history).toEqual([]);
  else expect(history.at(-1)?.status).toBe(status);
  let from: Status = 'request';
  let last = '';
  for (const entry of history) {
    expect(follows(from, entry.status), `${from} to ${entry.status}`).toBe(true);
    expect(entry.created_at >= last, 'times do not decrease').toBe(true);
    from = entry.status;
    last = entry.created_at;
  }
}

function checkReasons(delivery: Delivery): void {
  const { status, cancellation_reason, failure_reason, failure_message, dispute_reason } = delivery;
  const isFailure = ['failed', 'enroute_to_return', 'returned'].includes(status) || wasSentBack(delivery);
  expect(failure_reason !== null, `reason in ${status}`).toBe(isFailure);
  expect(failure_message !== '', `message in ${status}`).toBe(isFailure);
  if (failure_reason !== null) expect(failureReasons).toContain(failure_reason);
  expect(cancellation_reason !== null, `reason in ${status}`).toBe(cancels.includes(status));
  expect(dispute_reason !== null).toBe(status === 'disputed');
}

function wasSentBack({ status_history: history }: Delivery): boolean {
  return history.some(({ status }) => status === 'enroute_to_return');
}

const driverless: readonly Status[] = ['request', ...created, 'driver_not_assigned'];

function checkDriver(delivery: Delivery): void {
  const { courier_name, courier_img, courier_phone_number, courier_vehicle_type, vehicle, status } = delivery;
  const { courier_location_lat, courier_location_lng } = delivery;
  const fields = [courier_name, courier_img, courier_phone_number, courier_vehicle_type, vehicle];
  const hadDriver = delivery.status_history.some((entry) => at(entry.status) >= 0);
  if (driverless.includes(status) || !hadDriver) {
    expect([...fields, courier_location_lat, courier_location_lng]).toEqual(Array(7).fill(null));
  }
  if (!hasParcel(status) && status !== 'delivered' && status !== 'disputed') {
    expect(delivery.proof_of_delivery).toEqual([]);
  }
}

function checkMoney({ delivery, charges }: Observation): void {
  const { status, payment_amount, tip, refunded_amount } = delivery;
  const amounts = new Map(charges.map(({ kind, amount }) => [kind, amount]));
  expect(amounts.size, 'each kind once').toBe(charges.length);
  const sum = charges.reduce((total, { amount }) => total + amount, 0);
  expect(refunded_amount).toBe(-(amounts.get('refund') ?? 0) + 0);
  const paid = payment_amount + (tip ?? 0);
  if (status === 'request' || status === 'failed') expect(sum).toBe(0);
  else if (cancels.includes(status) && wasSentBack(delivery)) expect(sum).toBe(paid);
  else if (cancels.includes(status)) {
    expect(sum).toBe(amounts.get('cancellation') ?? 0);
    if (status !== 'customer_canceled') expect(sum).toBe(0);
  } else expect(sum).toBe(paid + (amounts.get('return') ?? 0));
  if (status !== 'returned') expect(amounts.has('return')).toBe(false);
  expect(delivery.fee).toBe(payment_amount);
}

/** The quote must be for this delivery and must have been valid when it was used. */
function checkQuote({ delivery, quote }: Observation): void {
  const [first] = delivery.status_history;
  if (first === undefined || delivery.failure_reason === 'no_provider_available') return;
  if (delivery.status === 'customer_canceled' && delivery.status_history.length === 1) return;
  expect(quote).not.toBeNull();
  if (quote === null) return;
  expect(quote.place || quote.route_id === delivery.route_id).toBe(true);
  if (quote.expires_at !== null) expect(quote.expires_at).toBeGreaterThan(Date.parse(first.created_at));
}
