import { expect, test } from 'vitest';
import { legTenths } from '../../../src/domain/geography.ts';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import type { OrderPlaces } from '../../../src/domain/stops.ts';
import { halt_ms, travel } from '../../../src/domain/timetable.ts';
import type { AcceptedRoute } from '../../../src/providers/port.ts';
import { acceptedRoute, MINUTE, now, ordersFrom, place, provider, reportedStatuses } from './requests.ts';

const pace = { speed_mph: 18, long_leg: { over_tenths: 50, speed_mph: 28 } };
const whole = { ...pace, assigned_after_minutes: 2, assigned_ahead_minutes: 15 };

function drive(orders: OrderPlaces[], scenarios: readonly Scenario[], changes: Partial<AcceptedRoute> = {}) {
  const wishes = scenarios.map((scenario) => ({ scenario }));
  const route = acceptedRoute(orders, wishes, changes);
  const feed = provider('swiftly').feed(route);
  const report = (index: number, status: string) =>
    feed.find(({ report: { order_id, status: each } }) => order_id === `ord_${index}` && each === status)
      ?.report;
  const at = (index: number, status: string) => (report(index, status)?.occurred_at ?? Number.NaN) - now;
  return { route, feed, at, report };
}

test('an order that fails at its stop delays later orders, whose ETAs are updated, and is returned last', () => {
  const orders = ordersFrom('60611', '60606', '60614', '60657');
  const scenarios = ['customer_unreachable_on_route', 'happy_path', 'happy_path'] as const;
  const ordinary = drive(orders, []);
  const { route, at, report } = drive(orders, scenarios);
  const delay = 5 * MINUTE;
  expect(at(0, 'enroute_to_return')).toBe(ordinary.at(0, 'dropoff_complete') + delay);
  for (const index of [1, 2]) {
    expect(at(index, 'delivered')).toBe(ordinary.at(index, 'delivered') + delay);
    expect(report(index, 'driver_assigned')?.dropoff_eta).toBe(ordinary.at(index, 'dropoff_complete') + now);
    expect(report(index, 'enroute_dropoff')?.dropoff_eta).toBe(at(index, 'dropoff_complete') + now);
  }
  const [first, last] = [route.stops[0], route.stops.at(-1)];
  if (first === undefined || last === undefined) throw new Error('no stops');
  const back = travel(whole, legTenths(last, first)) + halt_ms;
  expect(at(0, 'returned')).toBe(at(2, 'dropoff_complete') + back);
});

test('failed orders are returned to their own pickups, one after the other', () => {
  const refused = 'customer_refused';
  const [near, far, other, third] = [
    { id: 'ord_0', pickup: place('1 Shop St', '60611'), dropoff: place('0 Home St', '60606') },
    { id: 'ord_1', pickup: place('2 Shop St', '60614'), dropoff: place('1 Home St', '60657') },
    { id: 'ord_2', pickup: place('1 SHOP St', '60611'), dropoff: place('2 Home St', '60657') },
    { id: 'ord_3', pickup: place('3 Shop St', '60606'), dropoff: place('2 Home St', '60657') },
  ];
  const { at } = drive([near, far, other, third], [refused, refused, refused, refused]);
  expect(at(0, 'returned')).toBe(at(2, 'returned'));
  const legs = travel(whole, legTenths(near.pickup.point, far.pickup.point));
  expect(at(1, 'returned')).toBe(at(0, 'returned') + legs + halt_ms);
  const further = travel(whole, legTenths(far.pickup.point, third.pickup.point));
  expect(at(3, 'returned')).toBe(at(1, 'returned') + further + halt_ms);
});

test('a later pickup is reported when the driver sets out for it', () => {
  const orders = [
    { id: 'ord_0', pickup: place('1 Shop St', '60611'), dropoff: place('0 Home St', '60606') },
    { id: 'ord_1', pickup: place('2 Shop St', '60614'), dropoff: place('1 Home St', '60657') },
  ];
  const { at, report } = drive(orders, []);
  expect(at(1, 'driver_assigned')).toBe(at(0, 'driver_assigned'));
  expect(at(1, 'enroute_pickup')).toBe(at(0, 'pickup_complete') + MINUTE / 2);
  expect(at(0, 'enroute_dropoff')).toBe(at(1, 'pickup_complete') + MINUTE / 2);
  expect(report(1, 'driver_assigned')?.pickup_eta).toBe(at(1, 'arrived_at_pickup') + now);
});

test('a pickup and dropoff at one address are reported in order', () => {
  const home = place('1 Tower St', '60611');
  const { feed } = drive([{ id: 'ord_0', pickup: home, dropoff: home }], []);
  const minutes = reportedStatuses(feed).map(([, at]) => at);
  expect(minutes).toEqual([...new Set(minutes)].sort((left, right) => left - right));
  expect(feed.map(({ report }) => report.status).slice(-4)).toEqual([
    'enroute_dropoff',
    'arrived_at_dropoff',
    'dropoff_complete',
    'delivered',
  ]);
});

test('the scenario of the first order decides whether the route is canceled; that of each order decides its dropoff', () => {
  const orders = ordersFrom('60611', '60606', '60614');
  const canceled = drive(orders, ['operator_cancel', 'customer_refused']);
  expect(canceled.at(0, 'burq_canceled')).toBe(canceled.at(1, 'burq_canceled'));
  const ignored = drive(orders, ['happy_path', 'operator_cancel']);
  expect(ignored.at(1, 'delivered')).toBeGreaterThan(0);
});
