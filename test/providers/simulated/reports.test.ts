import { expect, test } from 'vitest';
import { feedOfOne, MINUTE, names, now, reportedStatuses, tomorrow } from './requests.ts';

type Wish = NonNullable<Parameters<typeof feedOfOne>[1]>;

function assigned(name: string, wish: Wish = {}, changes: Parameters<typeof feedOfOne>[2] = {}) {
  const feed = feedOfOne(name, wish, changes);
  return feed.find(({ report }) => report.status === 'driver_assigned')?.report;
}

function proofs(name: string, wish: Wish = {}) {
  const reports = feedOfOne(name, wish).map(({ report }) => report);
  const withProof = reports.filter(({ proof, signature }) => proof !== undefined || signature !== undefined);
  return withProof.map(({ status, proof, signature }) => [
    status,
    proof?.map(({ type }) => type),
    signature?.name,
  ]);
}

const vehicle = { make: 'Norvane', model: 'Pico', color: 'red', license_plate: 'WB-5500' };
const car = { vehicle_type: 'car', vehicle: { type: 'car', ...vehicle } };
const van = { type: 'cargo_van', make: 'Aldera', model: 'Box 2', color: 'red', license_plate: 'WB-5500' };
const bike = { type: 'bicycle', make: 'Velora', model: 'City 7', color: 'red', license_plate: '' };
const person = {
  name: 'Grace Lindqvist',
  image: 'https://couriers.example/grace-lindqvist.jpg',
  phone: '18725550150',
};

test.each([
  ['swiftly', { ...person, ...car }],
  ['metrobike', { ...person, phone: null, vehicle_type: 'bicycle', vehicle: bike }],
  ['poolride', { ...person, image: null, ...car }],
  ['haulvan', { ...person, vehicle_type: 'cargo_van', vehicle: van }],
  ['nightowl', { ...person, image: null, phone: null, vehicle_type: null, vehicle: null }],
  ['flaky_co', { ...person, ...car }],
])('%s reports of its driver: %j', (name, driver) => {
  expect(assigned(name)?.driver).toEqual(driver);
  expect(assigned(name)?.way?.length).toBe(name === 'nightowl' ? 0 : 5);
});

test('a required vehicle is used', () => {
  const driver = assigned('haulvan', {}, { vehicles: ['box_truck'] })?.driver;
  expect(driver).toMatchObject({ vehicle_type: 'box_truck', vehicle: { type: 'box_truck' } });
});

test.each<[string, string[] | undefined, string[] | undefined]>([
  ['swiftly', ['photo', 'pin'], ['photo', 'signature']],
  ['metrobike', ['photo'], ['photo']],
  ['poolride', ['photo'], ['photo']],
  ['haulvan', ['photo'], ['photo', 'signature']],
  ['nightowl', undefined, undefined],
])('%s proves with %j; where a signature is asked for, with %j', (name, usual, signed) => {
  const rows = (types: string[] | undefined, signature?: string) =>
    types === undefined ? [] : [['delivered', types, signature]];
  expect(proofs(name)).toEqual(rows(usual));
  const signature = signed?.includes('signature') ? 'Recipient 0' : undefined;
  expect(proofs(name, { request_signature: true })).toEqual(rows(signed, signature));
  expect(proofs(name, { request_contactless: true })).toEqual(rows(usual?.slice(0, 1)));
});

test('undelivered orders have no proof', () => {
  for (const name of names) expect(proofs(name, { scenario: 'customer_refused' })).toEqual([]);
});

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

test.each(names.filter((name) => name !== 'flaky_co'))('a sparse feed of %s tells three statuses', (name) => {
  const feed = feedOfOne(name, { scenario: 'sparse_statuses' });
  expect(feed.map(({ report }) => report.status)).toEqual(few);
});

const steady = names.filter((name) => name !== 'flaky_co');
const pickup = 2 + 400 / 60;
const dropoff = pickup + 4 + 380 / 60;

/** The reports of an order of swiftly, which reports every status. */
function swiftly(scenario: Parameters<typeof feedOfOne>[1] & object) {
  const feed = feedOfOne('swiftly', scenario);
  return { feed, reported: reportedStatuses(feed), last: feed.at(-1)?.report };
}

function near(rows: [string, number][]) {
  return rows.map(([status, minutes]) => [status, expect.closeTo(minutes, 6)]);
}

test('a slow assignment takes 25 minutes', () => {
  for (const name of ['swiftly', 'metrobike', 'poolride', 'haulvan']) {
    expect(reportedStatuses(feedOfOne(name, { scenario: 'slow_assignment' }))[0]).toEqual([
      'driver_assigned',
      25,
    ]);
  }
});

test('without a driver the courier cancels after 20 minutes', () => {
  for (const name of names) {
    const feed = feedOfOne(name, { scenario: 'no_driver' });
    expect(new Set(feed.map(({ report }) => report.id)).size).toBe(1);
    expect(reportedStatuses(feed)[0]).toEqual(['provider_canceled', 20]);
    expect(feed[0]?.report).toMatchObject({ reason: 'No driver was found' });
    expect(feed[0]?.report).not.toHaveProperty('driver');
  }
});

test.each([
  ['provider_cancel_before_pickup', 'provider_canceled'],
  ['operator_cancel', 'burq_canceled'],
] as const)('%s ends it before the pickup with %s', (scenario, status) => {
  const { reported: rows, last } = swiftly({ scenario });
  expect(rows).toEqual([
    ['driver_assigned', 2],
    ['enroute_pickup', 2.5],
    [status, 4.5],
  ]);
  expect(last?.reason).toBeTruthy();
});

test('a courier’s cancellation after the pickup ends it on the way to the dropoff', () => {
  const { reported: rows } = swiftly({ scenario: 'provider_cancel_after_pickup' });
  expect(rows.slice(-3)).toEqual(
    near([
      ['pickup_complete', pickup + 4],
      ['enroute_dropoff', pickup + 4.5],
      ['provider_canceled', pickup + 4.75],
    ]),
  );
});

test('another driver takes over with a new path and new times', () => {
  const { feed, reported: rows } = swiftly({ scenario: 'driver_reassigned' });
  const second = 8.5 + 400 / 60;
  expect(rows.slice(0, 6)).toEqual(
    near([
      ['driver_assigned', 2],
      ['enroute_pickup', 2.5],
      ['driver_not_assigned', 4.5],
      ['driver_assigned', 8.5],
      ['enroute_pickup', 9],
      ['arrived_at_pickup', second],
    ]),
  );
  const [before, after] = feed.filter(({ report }) => report.status === 'driver_assigned');
  expect(before?.report.id).toBe('dsp_1:1:driver_assigned:1');
  expect(after?.report.id).toBe('dsp_1:1:driver_assigned:2');
  expect(after?.report.driver?.name).not.toBe(before?.report.driver?.name);
  expect(before?.report.pickup_eta).toBe(now + pickup * MINUTE);
  expect(after?.report.pickup_eta).toBe(now + second * MINUTE);
  expect(after?.report.way?.[0]?.at).toBe(now + 8.5 * MINUTE);
  const late = feed.slice(4).map(({ report }) => report.driver?.name);
  expect(new Set(late)).toEqual(new Set([after?.report.driver?.name]));
  expect(feed[2]?.report).not.toHaveProperty('driver');
});

test.each([
  ['customer_unreachable', 'recipient_unreachable', 'the recipient could not be reached at the dropoff'],
  ['customer_refused', 'recipient_refused', 'the recipient refused the parcel'],
  ['wrong_address', 'wrong_address', 'the recipient is unknown at the address'],
  ['age_check_failed', 'age_check_failed', 'the recipient did not pass the age check'],
  [
    'customer_unreachable_on_route',
    'recipient_unreachable',
    'the recipient could not be reached at the dropoff',
  ],
] as const)('%s: after waiting the parcel is returned', (scenario, failure_reason, reason) => {
  const { feed, reported: rows, last } = swiftly({ scenario });
  expect(rows.slice(-3)).toEqual(
    near([
      ['arrived_at_dropoff', dropoff],
      ['enroute_to_return', dropoff + 9],
      ['returned', dropoff + 9 + 380 / 60 + 4],
    ]),
  );
  expect(feed.at(-2)?.report).toMatchObject({ reason, failure_reason });
  expect(last).toMatchObject({ reason, failure_reason });
  const way = feed[0]?.report.way ?? [];
  expect(way).toHaveLength(7);
  expect(way.at(-1)).toEqual({ ...way[1], at: last?.occurred_at });
});

test('a stuck return has failed after 24 hours', () => {
  for (const name of steady) {
    const feed = feedOfOne(name, { scenario: 'return_stuck' });
    const [returning, failed] = feed.slice(-2).map(({ report }) => report);
    expect([returning?.status, failed?.status]).toEqual(['enroute_to_return', 'failed']);
    expect((failed?.occurred_at ?? 0) - (returning?.occurred_at ?? 0)).toBe(24 * 60 * MINUTE);
    expect(failed).toMatchObject({
      failure_reason: 'return_not_completed',
      reason: 'the parcel was not returned within 24 hours',
    });
  }
});
