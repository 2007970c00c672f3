import { expect, test } from 'vitest';
import { BadValue } from '../../../../src/cli/kit/args/flags.ts';
import { deliveryOutcome, deliveryVocabulary } from '../../../../src/cli/nouns/delivery-waiting.ts';
import { readStatuses as read } from '../../../../src/cli/waiting/status-records.ts';
import type { DeliveryStatus } from '../../../../src/contract/vocabulary.ts';

const readStatuses = (text: string) => read(text, deliveryVocabulary);

interface Asked {
  until?: DeliveryStatus;
  fail_on?: readonly DeliveryStatus[];
}

function outcome(
  status: DeliveryStatus,
  { until = 'delivered', fail_on }: Asked = {},
  history: DeliveryStatus[] = [],
) {
  const status_history = [...history, status].map((each) => ({ status: each }));
  return deliveryOutcome({ status, status_history }, { until: [until], fail_on: fail_on ?? null });
}

test.each([
  ['delivered', 'delivered', 'reached'],
  ['disputed', 'delivered', 'reached'],
  ['pickup_complete', 'driver_assigned', 'reached'],
  ['delivered', 'dropoff_complete', 'reached'],
  ['arrived_at_pickup', 'pickup_complete', 'open'],
  ['driver_not_assigned', 'driver_assigned', 'open'],
  ['request', 'delivered', 'open'],
  ['returned', 'returned', 'reached'],
  ['enroute_to_return', 'returned', 'open'],
  ['pickup_complete', 'returned', 'open'],
  ['delivered', 'disputed', 'open'],
  ['scheduled', 'delivery_created', 'reached'],
  ['delivery_created', 'scheduled', 'reached'],
  ['enroute_pickup', 'delivery_created', 'reached'],
  ['request', 'delivery_created', 'open'],
] satisfies [DeliveryStatus, DeliveryStatus, string][])('at %s, a wait for %s is %s', (status, until, is) => {
  expect(outcome(status, { until })).toBe(is);
});

test.each([
  'failed',
  'returned',
  'provider_canceled',
  'customer_canceled',
  'burq_canceled',
  // It will never be delivered, so there is no point in waiting for the end of the return.
  'enroute_to_return',
] satisfies DeliveryStatus[])('%s ends a wait for delivered at once', (status) => {
  expect(outcome(status)).toBe('failed');
});

test('a target that cannot be reached any more is lost, also after a delivery', () => {
  expect(outcome('delivered', { until: 'returned' })).toBe('failed');
  expect(outcome('customer_canceled', { until: 'pickup_complete' })).toBe('failed');
});

test('a side status counts once it was entered, as a poll may come too late to see it', () => {
  const until = 'driver_not_assigned';
  expect(outcome('enroute_pickup', { until }, ['driver_not_assigned'])).toBe('reached');
  expect(outcome('enroute_pickup', { until })).toBe('open');
  expect(outcome('returned', { until: 'enroute_to_return' }, ['enroute_to_return'])).toBe('reached');
});

test('a driver status counts only while it lasts, as the driver may be replaced', () => {
  expect(outcome('driver_not_assigned', { until: 'driver_assigned' }, ['driver_assigned'])).toBe('open');
});

test('--fail-on decides first, but another end is an end', () => {
  const fail_on = readStatuses('driver_not_assigned');
  expect(outcome('driver_not_assigned', { fail_on })).toBe('failed');
  expect(outcome('enroute_to_return', { fail_on })).toBe('open');
  expect(outcome('returned', { fail_on })).toBe('failed');
  expect(outcome('delivered', { fail_on: readStatuses('fulfilled') })).toBe('reached');
});

test('--fail-on overrides a later status than the target, but not the target itself', () => {
  const fail_on = readStatuses('disputed,pickup_complete');
  expect(outcome('disputed', { fail_on })).toBe('failed');
  expect(outcome('pickup_complete', { until: 'driver_assigned', fail_on })).toBe('failed');
  expect(outcome('disputed', { until: 'disputed', fail_on })).toBe('reached');
});

test('statuses and groups are separated by commas; a name that is both is the group', () => {
  expect(readStatuses('canceled, failed,driver_not_assigned')).toEqual([
    ...['provider_canceled', 'customer_canceled', 'burq_canceled'],
    ...['failed', 'enroute_to_return', 'returned', 'driver_not_assigned'],
  ]);
  for (const text of ['lost', '', 'canceled,,failed']) expect(() => readStatuses(text)).toThrow(BadValue);
});

test('any of several targets is enough; it is lost when none can be reached any more', () => {
  const goal = { until: readStatuses('delivered,returned'), fail_on: null };
  const at = (status: DeliveryStatus) => deliveryOutcome({ status, status_history: [{ status }] }, goal);
  expect([at('delivered'), at('returned'), at('enroute_to_return'), at('failed')]).toEqual([
    ...['reached', 'reached', 'open', 'failed'],
  ]);
  const moving = { until: readStatuses('in_transit'), fail_on: null };
  const entered = (status: DeliveryStatus) =>
    deliveryOutcome({ status, status_history: [{ status }] }, moving);
  expect([entered('scheduled'), entered('pickup_complete'), entered('delivered')]).toEqual([
    ...['open', 'reached', 'reached'],
  ]);
});
