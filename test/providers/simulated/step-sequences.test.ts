import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DeliveryStatus, deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { canMove } from '../../../src/domain/delivery-states.ts';
import { positionAt, type Waypoint } from '../../../src/domain/geography.ts';
import { isScenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import type { AcceptedRoute, Report } from '../../../src/providers/port.ts';
import { anyRoute, appliedStatus, ends, finalStatus } from './report-runs.ts';
import { acceptedRoute, MINUTE, names, now, ordersFrom, provider } from './requests.ts';

const later = now + 7 * MINUTE;
const created: readonly DeliveryStatus[] = ['delivery_created', 'scheduled'];
const steps = deliveryStatuses.filter(
  (status) => !['request', 'disputed', 'customer_canceled'].includes(status),
);

test.each(names)('from any step of %s the history is legal to its end', (name) => {
  fc.assert(
    fc.property(anyRoute, fc.constantFrom(...steps), fc.nat({ max: 2 }), (from, status, lost_drivers) => {
      // A courier may get a driver immediately after a restart.
      const earliest = created.includes(status) ? later - 1 : later;
      for (const { order_id } of from.orders) {
        const { report, feed } = provider(name).step(from, { order_id, status, now: later, lost_drivers });
        for (const { due_at, report: next } of feed) {
          expect(next.order_id).toBe(order_id);
          expect(due_at).toBeGreaterThan(earliest);
          expect(due_at).toBeGreaterThanOrEqual(next.occurred_at);
          const isOld = next.id.endsWith('again');
          expect(next.occurred_at).toBeGreaterThan(isOld ? later - 1 : earliest);
        }
        const whole = [{ due_at: later, report }, ...feed];
        const dues = whole.map(({ due_at }) => due_at);
        expect(dues).toEqual([...dues].sort((left, right) => left - right));
        const start = deliveryStatuses.find((each) => canMove(each, status)) ?? 'request';
        const end = finalStatus(whole, start);
        expect(ends).toContain(end);
        expect(appliedStatus(whole, start)).toBe(end);
      }
    }),
    { numRuns: 100 },
  );
});

const pickups = ['arrived_at_pickup', 'pickup_complete', 'returned'];
const dropoffs = ['arrived_at_dropoff', 'dropoff_complete', 'delivered', 'enroute_to_return'];

/** Checks that at each report the driver is where the status says, by the last reported path. */
function expectDriven(reports: readonly Report[], [pickup, , dropoff]: AcceptedRoute['stops']): void {
  const place = (point: { lat: number; lng: number } | undefined) => ({ lat: point?.lat, lng: point?.lng });
  let way: readonly Waypoint[] = [];
  for (const { status, occurred_at, ...report } of reports) {
    if (status === 'driver_not_assigned') way = [];
    way = report.way ?? way;
    if (status === null || way.length === 0) continue;
    const position = positionAt(way, occurred_at);
    expect(position, `a position at ${status}`).not.toBeNull();
    if (pickups.includes(status)) expect(position, status).toEqual(place(pickup));
    if (dropoffs.includes(status)) expect(position, status).toEqual(place(dropoff));
    const times = way.map(({ at }) => at);
    expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
  }
}

const orders = ordersFrom('60611', '60606', '60614');
const tellers = ['swiftly', 'metrobike', 'poolride', 'haulvan', 'flaky_co'];
const placed = scenarioNames.filter(isScenario).filter((name) => name !== 'stale_location');

test.each(tellers)('from any step of %s the driver’s position matches each report', (name) => {
  for (const scenario of placed) {
    for (const status of steps) {
      const from = acceptedRoute(orders, [{ scenario }, { scenario }]);
      const { report, feed } = provider(name).step(from, { order_id: 'ord_1', status, now: later });
      const reports = [report, ...feed.map((due) => due.report).filter(({ id }) => !id.endsWith('again'))];
      reports.sort((left, right) => left.occurred_at - right.occurred_at);
      expectDriven(reports, from.stops);
      const isCarried = reports.some((each) => each.driver !== undefined) && scenario !== 'no_location';
      const isUnknown = scenario === 'no_courier_details';
      expect(reports.some((each) => (each.way ?? []).length > 0)).toBe(isCarried && !isUnknown);
    }
  }
});
