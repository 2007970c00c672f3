import { expect, test } from 'vitest';
import { HALT, travel } from '../../../src/domain/delivery-times.ts';
import { legTenths, type Place } from '../../../src/domain/geography.ts';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import type { OrderPlaces, Stop } from '../../../src/domain/stops.ts';
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
  const back = travel(whole, legTenths(last, first)) + HALT;
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
  expect(at(1, 'returned')).toBe(at(0, 'returned') + legs + HALT);
  const further = travel(whole, legTenths(far.pickup.point, third.pickup.point));
  expect(at(3, 'returned')).toBe(at(1, 'returned') + further + HALT);
});

test('the driver waits once for two absent recipients at one address, and serves the others there on time', () => {
  const orders = ordersFrom('60611', '60606', '60606', '60606', '60657').map((order, index) =>
    index < 3 ? { ...order, dropoff: place('0 Home St', '60606') } : order,
  );
  const ordinary = drive(orders, []);
  const { at } = drive(orders, ['customer_refused', 'customer_unreachable', 'happy_path', 'happy_path']);
  expect(at(2, 'delivered')).toBe(ordinary.at(2, 'delivered'));
  expect(at(0, 'enroute_to_return')).toBe(at(1, 'enroute_to_return'));
  expect(at(3, 'delivered')).toBe(ordinary.at(3, 'delivered') + 5 * MINUTE);
});

/** A route whose first dropoff is at the second store, and whose recipient there is absent. */
function chain(): { orders: OrderPlaces[]; stops: Stop[] } {
  const shop = place('2 Shop St', '60614');
  const orders = [
    { id: 'ord_0', pickup: place('1 Shop St', '60611'), dropoff: shop },
    { id: 'ord_1', pickup: shop, dropoff: shop },
    { id: 'ord_2', pickup: place('3 Shop St', '60606'), dropoff: place('1 Home St', '60657') },
  ];
  const stop = (kind: Stop['kind'], id: number, { address, point }: Place, leg_tenths: number): Stop => ({
    ...{ kind, address, leg_tenths, ...point },
    order_ids: [`ord_${id}`],
  });
  const [first, second, third] = orders;
  if (first === undefined || second === undefined || third === undefined) throw new Error('no orders');
  const stops = [
    stop('pickup', 0, first.pickup, 0),
    stop('dropoff', 0, shop, 30),
    stop('pickup', 1, shop, 0),
    stop('dropoff', 1, shop, 0),
    stop('pickup', 2, third.pickup, 20),
    stop('dropoff', 2, third.dropoff, 20),
  ];
  return { orders, stops };
}

test('one wait covers all orders of a stop, and updates the ETAs of later pickups and dropoffs', () => {
  const { orders, stops } = chain();
  const ordinary = drive(orders, [], { stops });
  const { at, report } = drive(orders, ['customer_refused', 'customer_refused'], { stops });
  for (const status of ['enroute_pickup', 'arrived_at_pickup', 'delivered']) {
    expect(at(2, status)).toBe(ordinary.at(2, status) + 5 * MINUTE);
  }
  const [pickup_eta, dropoff_eta] = [at(2, 'arrived_at_pickup') + now, at(2, 'dropoff_complete') + now];
  expect(report(2, 'enroute_pickup')).toMatchObject({ pickup_eta, dropoff_eta });
  expect(report(2, 'driver_assigned')?.pickup_eta).toBe(pickup_eta - 5 * MINUTE);
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
