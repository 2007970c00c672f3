import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DeliveryStatus, deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { canMove, effectOf, type Reported } from '../../../src/domain/delivery-states.ts';
import { positionAt, type Waypoint } from '../../../src/domain/geography.ts';
import { isScenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import { planStops } from '../../../src/domain/stops.ts';
import type { AcceptedRoute, DueReport, Report } from '../../../src/providers/port.ts';
import { acceptedRoute, MINUTE, names, now, ordersFrom, place, provider, tomorrow } from './requests.ts';

const zips = ['60611', '60606', '60614', '60657'];
const anyPlace = fc
  .tuple(fc.constantFrom('1 Shop St', '2 Home St'), fc.constantFrom(...zips))
  .map(([street, zip]) => place(street, zip));

const preferences = fc.record({
  scenario: fc.constantFrom(...scenarioNames.filter(isScenario)),
  request_signature: fc.boolean(),
  request_contactless: fc.boolean(),
});

/** Random orders at few addresses, so that stops coincide; scheduled or not. */
const anyRoute = fc
  .record({
    ends: fc.array(fc.record({ pickup: anyPlace, dropoff: anyPlace }), { minLength: 1, maxLength: 4 }),
    wishes: fc.array(preferences, { minLength: 4, maxLength: 4 }),
    optimize: fc.boolean(),
    pickup_at: fc.constantFrom(null, now + 60_000, tomorrow),
    fraction: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  })
  .map(({ ends, wishes, optimize, pickup_at, fraction }) => {
    const orders = ends.map((end, index) => ({ id: `ord_${index}`, ...end }));
    const stops = planStops(orders, { optimize });
    const chance = (purpose: string) => (fraction + purpose.length / 37) % 1;
    return acceptedRoute(orders, wishes, { stops, pickup_at, chance });
  });

/** The final status of the reports, each a legal transition. Throws otherwise. */
function finalStatus(reports: readonly DueReport[], from: DeliveryStatus): DeliveryStatus {
  const inOrder = [...reports].sort((left, right) => left.report.occurred_at - right.report.occurred_at);
  return inOrder.reduce<DeliveryStatus>((status, { report }) => {
    if (report.status === null || report.status === status) return status;
    if (!canMove(status, report.status)) throw new Error(`${status} to ${report.status}`);
    return report.status;
  }, from);
}

/** The final status for a receiver that applies the reports as they arrive. */
function appliedStatus(reports: readonly DueReport[], from: DeliveryStatus): DeliveryStatus {
  const start: Reported = { status: from, reported_at: 0 };
  return reports.reduce<Reported>((known, { report }) => {
    const { status, occurred_at } = report;
    const moves = status !== null && effectOf(report, known) === 'moved';
    return moves ? { status, reported_at: occurred_at } : known;
  }, start).status;
}

/** The possible final statuses of reports. */
const ends = ['delivered', 'returned', 'failed', 'provider_canceled', 'burq_canceled'];

test.each(names)(
  'in every scenario the reports of %s form a legal history, each with an id of its own',
  (name) => {
    fc.assert(
      fc.property(anyRoute, (route) => {
        const feed = provider(name).feed(route);
        const dues = feed.map(({ due_at }) => due_at);
        expect(dues).toEqual(dues.toSorted((left, right) => left - right));
        const texts = new Map<string, string>();
        for (const { due_at, report } of feed) {
          expect(due_at).toBeGreaterThanOrEqual(report.occurred_at);
          const text = JSON.stringify(report);
          expect(texts.get(report.id) ?? text).toBe(text);
          texts.set(report.id, text);
          // The driver's path moves forward in time.
          const times = (report.way ?? []).map(({ at }) => at);
          expect(times).toEqual([...new Set(times)].sort((left, right) => left - right));
          for (const at of times) expect(Number.isInteger(at)).toBe(true);
        }
        for (const { order_id } of route.orders) {
          const own = feed.filter(({ report }) => report.order_id === order_id);
          const from = route.pickup_at === null ? 'delivery_created' : 'scheduled';
          const end = finalStatus(own, from);
          expect(ends).toContain(end);
          expect(appliedStatus(own, from)).toBe(end);
        }
      }),
      { numRuns: 40 },
    );
  },
);

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
    { numRuns: 40 },
  );
});

const pickups = ['arrived_at_pickup', 'pickup_complete', 'returned'];
const dropoffs = ['arrived_at_dropoff', 'dropoff_complete', 'delivered', 'enroute_to_return'];

/** Checks that at each report the driver is where the status says, by the last reported path. */
function expectDriven(reports: readonly Report[], [pickup, , dropoff]: AcceptedRoute['stops']): void {
  const at = (point: { lat: number; lng: number } | undefined) => ({ lat: point?.lat, lng: point?.lng });
  let way: readonly Waypoint[] = [];
  for (const { status, occurred_at, ...report } of reports) {
    if (status === 'driver_not_assigned') way = [];
    way = report.way ?? way;
    if (status === null || way.length === 0) continue;
    const position = positionAt(way, occurred_at);
    expect(position, `a position at ${status}`).not.toBeNull();
    if (pickups.includes(status)) expect(position, status).toEqual(at(pickup));
    if (dropoffs.includes(status)) expect(position, status).toEqual(at(dropoff));
    const times = way.map((waypoint) => waypoint.at);
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
