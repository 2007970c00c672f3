import { expect, test } from 'vitest';
import { positionAt } from '../../../src/domain/geography.ts';
import {
  acceptedRoute,
  feedOfOne,
  MINUTE,
  names,
  ordersFrom,
  provider,
  reportedStatuses,
  tomorrow,
} from './requests.ts';

const all = [
  'driver_assigned',
  'enroute_pickup',
  'arrived_at_pickup',
  'pickup_complete',
  'enroute_dropoff',
  'arrived_at_dropoff',
  'dropoff_complete',
  'delivered',
];
const few = ['driver_assigned', 'pickup_complete', 'delivered'];

test.each<[string, string[]]>([
  ['swiftly', all],
  ['metrobike', all],
  ['poolride', all.filter((status) => !/^arrived_at_|^enroute_dropoff/.test(status))],
  ['haulvan', all],
  ['nightowl', few],
])('%s reports %j, in time', (name, statuses) => {
  const feed = feedOfOne(name);
  expect(feed.map(({ report }) => report.status)).toEqual(statuses);
  for (const { due_at, report } of feed) expect(due_at).toBe(report.occurred_at);
});

/** 1.9 miles: 380 s at 18 mph; two to the pickup: 400 s. */
test('swiftly keeps its timetable', () => {
  const pickup = 2 + 400 / 60;
  const dropoff = pickup + 4 + 380 / 60;
  const expected = [2, 2.5, pickup, pickup + 4, pickup + 4.5, dropoff, dropoff + 4, dropoff + 4.5];
  const minutes = reportedStatuses(feedOfOne('swiftly')).map(([, at]) => at);
  expect(minutes).toEqual(expected.map((minute) => expect.closeTo(minute, 6)));
});

test.each([
  ['swiftly', 15],
  ['poolride', 20],
  ['haulvan', 30],
  ['nightowl', 30],
])('for a scheduled time %s assigns the driver %i minutes ahead', (name, ahead) => {
  const feed = feedOfOne(name, {}, { pickup_at: tomorrow });
  expect(reportedStatuses(feed, tomorrow)[0]).toEqual(['driver_assigned', -ahead]);
  expect(feed[0]?.report.pickup_eta).toBe(tomorrow);
  expect(reportedStatuses(feed, tomorrow)).toContainEqual(['pickup_complete', 4]);
  const [first] = feedOfOne(name, {}, { pickup_at: null, dropoff_at: tomorrow });
  expect(first?.report.dropoff_eta).toBe(tomorrow);
});

test('flaky_co reports everything twice under one id, out of order, and the proof late', () => {
  const feed = feedOfOne('flaky_co');
  expect(feed).toHaveLength(2 * (all.length + 1));
  const ids = feed.map(({ report }) => report.id);
  expect(new Set(ids).size).toBe(all.length + 1);
  for (const id of ids) expect(ids.filter((other) => other === id)).toHaveLength(2);
  const occurred = feed.map(({ report }) => report.occurred_at);
  expect(occurred).not.toEqual([...occurred].sort((left, right) => left - right));
  expect([...new Set(feed.map(({ report }) => report.status))].slice(0, 2)).toEqual([
    'enroute_pickup',
    'driver_assigned',
  ]);
  for (const { due_at, report } of feed) expect(due_at).toBeGreaterThanOrEqual(report.occurred_at);
  const proven = feed.filter(({ report }) => report.proof !== undefined);
  expect(proven.map(({ report }) => report.status)).toEqual([null, null]);
});

test('intermediate reports arrive in time in a shuffled feed too', () => {
  const feed = feedOfOne('flaky_co', { scenario: 'driver_reassigned' });
  const gone = feed.find(({ report }) => report.status === 'driver_not_assigned');
  expect(gone?.due_at).toBe(gone?.report.occurred_at);
  const before = feed.filter(({ report }) => report.occurred_at < (gone?.report.occurred_at ?? 0));
  for (const { due_at } of before) expect(due_at).toBeLessThan(gone?.due_at ?? 0);
});

test.each(names.filter((name) => name !== 'flaky_co'))('a sparse feed of %s tells three statuses', (name) => {
  const feed = feedOfOne(name, { scenario: 'sparse_statuses' });
  expect(feed.map(({ report }) => report.status)).toEqual(few);
});

test('an old report arrives ten minutes after the end', () => {
  for (const name of names.filter((each) => each !== 'flaky_co')) {
    const feed = feedOfOne(name, { scenario: 'late_event' });
    const [delivered, old] = feed.slice(-2);
    const status = feed.some(({ report }) => report.status === 'enroute_dropoff')
      ? 'enroute_dropoff'
      : 'pickup_complete';
    const first = feed.find(({ report }) => report.status === status);
    expect(delivered?.report.status).toBe('delivered');
    expect(old?.report).toEqual({ ...first?.report, id: `dsp_1:1:${status}:again` });
    expect(old?.due_at).toBe((delivered?.due_at ?? 0) + 10 * MINUTE);
  }
});

test('three orders of a route share one driver, who visits stop after stop', () => {
  const route = acceptedRoute(ordersFrom('60611', '60606', '60614', '60657'));
  const feed = provider('swiftly').feed(route);
  const drivers = new Set(feed.map(({ report }) => JSON.stringify(report.driver)));
  expect(drivers.size).toBe(1);
  const ids = feed.map(({ report }) => report.id);
  expect(new Set(ids).size).toBe(ids.length);
  const at = (order_id: string, status: string) =>
    feed.find(({ report }) => report.order_id === order_id && report.status === status)?.report.occurred_at ??
    0;
  for (const [index, { order_id }] of route.orders.entries()) {
    const own = feed.filter(({ report }) => report.order_id === order_id);
    expect(own.map(({ report }) => report.status)).toEqual(all);
    expect(at(order_id, 'pickup_complete')).toBe(at('ord_0', 'pickup_complete'));
    const before = route.orders[index - 1]?.order_id;
    const left = before === undefined ? at(order_id, 'pickup_complete') : at(before, 'dropoff_complete');
    expect(at(order_id, 'enroute_dropoff')).toBe(left + MINUTE / 2);
    const stop = route.stops[index + 1];
    const way = own[0]?.report.way ?? [];
    expect(positionAt(way, at(order_id, 'arrived_at_dropoff'))).toEqual({ lat: stop?.lat, lng: stop?.lng });
    expect(own[0]?.report.dropoff_eta).toBe(at(order_id, 'dropoff_complete'));
    expect(way).toHaveLength(1 + 2 * (index + 2));
  }
});
