import { expect, test } from 'vitest';
import { feedOfOne, MINUTE, names, now, reportedStatuses } from './requests.ts';

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

test('couriers with few reports still report what happens in between', () => {
  const statuses = (scenario: Parameters<typeof feedOfOne>[1] & object) =>
    feedOfOne('nightowl', scenario).map(({ report }) => report.status);
  expect(statuses({ scenario: 'driver_reassigned' })).toEqual([
    'driver_assigned',
    'driver_not_assigned',
    'driver_assigned',
    'pickup_complete',
    'delivered',
  ]);
  expect(statuses({ scenario: 'operator_cancel' })).toEqual(['driver_assigned', 'burq_canceled']);
  expect(statuses({ scenario: 'customer_refused' })).toEqual([
    'driver_assigned',
    'pickup_complete',
    'enroute_to_return',
    'returned',
  ]);
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
