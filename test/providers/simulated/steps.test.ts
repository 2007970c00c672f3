import { describe, expect, test } from 'vitest';
import { type DeliveryStatus, deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { drivenStatuses } from '../../../src/domain/delivery-states.ts';
import { positionAt } from '../../../src/domain/geography.ts';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import type { AcceptedRoute, Report, Step, Stepped } from '../../../src/providers/port.ts';
import {
  acceptedRoute,
  MINUTE,
  names,
  now,
  ordersFrom,
  provider,
  reportedStatuses,
  tomorrow,
} from './requests.ts';

const route = acceptedRoute(ordersFrom('60611', '60606', '60614'));
const later = now + 7 * MINUTE;
const fated = (scenario: Scenario) =>
  acceptedRoute(ordersFrom('60611', '60606', '60614'), [{ scenario }, { scenario }]);

function stepped(status: DeliveryStatus, from: AcceptedRoute = route, changes: Partial<Step> = {}): Stepped {
  return provider('swiftly').step(from, { order_id: 'ord_1', status, now: later, ...changes });
}

function step(...given: Parameters<typeof stepped>): Report {
  return stepped(...given).report;
}

/** The reports after a step, with minutes from it. */
function following(...given: Parameters<typeof stepped>): [string | null, number][] {
  return reportedStatuses(stepped(...given).feed, later);
}

describe('the report of a step', () => {
  test('every courier can report every status now', () => {
    for (const name of names) {
      const ids = deliveryStatuses.map((status) => {
        const { report } = provider(name).step(route, { order_id: 'ord_1', status, now: later });
        expect(report).toMatchObject({ order_id: 'ord_1', status, occurred_at: later });
        const isDriven = [...drivenStatuses, 'delivered', 'enroute_to_return', 'returned'].includes(status);
        expect('driver' in report && 'way' in report).toBe(isDriven);
        return report.id;
      });
      expect(new Set(ids).size).toBe(deliveryStatuses.length);
    }
  });

  test('later times are reported again after a step', () => {
    const assigned = step('driver_assigned');
    expect(assigned.pickup_eta).toBe(later + 400_000);
    expect(assigned.way?.[0]?.at).toBe(later);
    expect(step('enroute_pickup').pickup_eta).toBe(later + 400_000 - MINUTE / 2);
    expect(step('arrived_at_pickup')).not.toHaveProperty('pickup_eta');
    expect(step('enroute_dropoff').dropoff_eta).toBeGreaterThan(later);
    expect(step('arrived_at_dropoff').dropoff_eta).toBe(later + 4 * MINUTE);
    expect(step('dropoff_complete')).not.toHaveProperty('dropoff_eta');
  });

  test('a step follows its scenario and gives reasons', () => {
    expect(step('driver_assigned', fated('no_location')).way).toEqual([]);
    expect(step('driver_assigned', fated('no_courier_details')).driver?.name).toBeNull();
    expect(step('delivered').proof).toHaveLength(2);
    expect(step('delivered', fated('proof_missing'))).not.toHaveProperty('proof');
    expect(step('enroute_to_return', fated('customer_refused')).reason).toBe(
      'the recipient refused the parcel',
    );
    expect(step('delivered', fated('customer_refused')).proof).toHaveLength(2);
    for (const status of ['failed', 'returned', 'provider_canceled', 'burq_canceled'] as const) {
      expect(step(status).reason).toBeTruthy();
    }
  });

  test('an order that is not on the route has no steps', () => {
    const ask = () => stepped('delivered', route, { order_id: 'ord_9' });
    expect(ask).toThrow('order ord_9 is not on the route');
  });
});

describe('ids', () => {
  test.each(names)('no two reports of %s have the same id', (name) => {
    for (const scenario of ['happy_path', 'late_event', 'proof_late', 'driver_reassigned'] as const) {
      const from = fated(scenario);
      const ids = new Map(
        provider(name)
          .feed(from)
          .map(({ report }) => [report.id, JSON.stringify(report)]),
      );
      const before = ids.size;
      expect(before).toBeGreaterThan(0);
      for (const status of deliveryStatuses) {
        for (const [at, lost_drivers] of [
          [later, 0],
          [later, 1],
          [later + 1, 0],
        ] as const) {
          const own = provider(name).step(from, { order_id: 'ord_1', status, now: at, lost_drivers });
          for (const report of [own.report, ...new Set(own.feed.map((due) => due.report))]) {
            expect(ids.has(report.id), report.id).toBe(false);
            ids.set(report.id, JSON.stringify(report));
          }
        }
      }
    }
  });
});

describe('after a step', () => {
  test('a return arrives, or fails after a day if its scenario says so', () => {
    expect(following('enroute_to_return')).toEqual([['returned', expect.any(Number)]]);
    expect(following('enroute_to_return', fated('return_stuck'))).toEqual([['failed', 24 * 60]]);
    const { feed } = stepped('enroute_to_return', fated('age_check_failed'));
    expect(feed[0]?.report.reason).toBe('the recipient did not pass the age check');
  });

  test('a lost driver is replaced some minutes later', () => {
    const gone = stepped('driver_not_assigned');
    expect(gone.report).not.toHaveProperty('driver');
    const [first] = gone.feed;
    expect(first?.report).toMatchObject({ status: 'driver_assigned', occurred_at: later + 4 * MINUTE });
    expect(first?.report.driver?.name).not.toBe(step('enroute_pickup').driver?.name);
    expect(first?.report.driver?.name).toBe(step('enroute_pickup', route, { lost_drivers: 1 }).driver?.name);
    expect(first?.report.way?.[0]?.at).toBe(first?.due_at);
    expect(gone.feed.at(-1)?.report.status).toBe('delivered');
    const again = stepped('driver_not_assigned', route, { lost_drivers: 1 }).feed[0]?.report;
    expect(again?.driver?.name).not.toBe(first?.report.driver?.name);
  });

  test('a driver assigned early for a scheduled time keeps it, and so does a replacement', () => {
    const agreed = { ...route, pickup_at: tomorrow };
    const { report, feed } = stepped('driver_assigned', agreed);
    expect(report.pickup_eta).toBe(tomorrow);
    expect(positionAt(report.way ?? [], later)).not.toBeNull();
    const arrival = (dues: typeof feed) =>
      dues.find((due) => due.report.status === 'arrived_at_pickup')?.due_at;
    expect(arrival(feed)).toBe(tomorrow);
    const next = stepped('driver_not_assigned', agreed).feed;
    expect(arrival(next)).toBe(tomorrow);
    expect(next[0]?.due_at).toBe(tomorrow - 15 * MINUTE);
  });

  test('what still lies ahead of the scenario happens', () => {
    const last = (status: DeliveryStatus, scenario: Scenario, changes: Partial<Step> = {}) =>
      following(status, fated(scenario), changes).at(-1)?.[0];
    expect(last('enroute_pickup', 'customer_refused')).toBe('returned');
    expect(last('arrived_at_dropoff', 'customer_refused')).toBe('returned');
    expect(last('dropoff_complete', 'customer_refused')).toBe('delivered');
    expect(last('enroute_pickup', 'provider_cancel_before_pickup')).toBe('provider_canceled');
    expect(last('arrived_at_pickup', 'provider_cancel_before_pickup')).toBe('delivered');
    expect(last('pickup_complete', 'provider_cancel_after_pickup')).toBe('provider_canceled');
    expect(last('arrived_at_dropoff', 'provider_cancel_after_pickup')).toBe('delivered');
    expect(last('enroute_pickup', 'operator_cancel')).toBe('burq_canceled');
    expect(last('driver_assigned', 'no_driver')).toBe('delivered');
    expect(following('driver_not_assigned', fated('no_driver'))).toEqual([['provider_canceled', 20]]);
    const count = (...given: Parameters<typeof following>) =>
      following(...given).filter(([status]) => status === 'driver_assigned').length;
    expect(count('enroute_pickup', fated('driver_reassigned'))).toBe(1);
    expect(count('arrived_at_pickup', fated('driver_reassigned'))).toBe(0);
    expect(count('enroute_pickup', fated('driver_reassigned'), { lost_drivers: 1 })).toBe(0);
    expect(count('driver_not_assigned', fated('driver_reassigned'))).toBe(1);
  });
});
