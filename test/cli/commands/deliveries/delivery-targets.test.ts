import { expect, test } from 'vitest';
import { BadValue } from '../../../../src/cli/kit/args/flags.ts';
import { deliveryOutcome, deliveryVocabulary } from '../../../../src/cli/nouns/delivery-targets.ts';
import { readStatuses as read } from '../../../../src/cli/waiting/status-targets.ts';
import type { DeliveryStatus } from '../../../../src/contract/vocabulary.ts';

const readStatuses = (text: string) => read(text, deliveryVocabulary);

interface Asked {
  until?: DeliveryStatus;
  fail_on?: readonly DeliveryStatus[] | null;
  /** The statuses of the delivery so far. */
  history?: readonly DeliveryStatus[];
}

function outcome(status: DeliveryStatus, { until = 'delivered', fail_on = null, history = [] }: Asked = {}) {
  const status_history = [...history, status].map((each) => ({ status: each }));
  return deliveryOutcome({ status, status_history }, { until: [until], fail_on });
}

const assigning = readStatuses('driver_not_assigned');
const early = readStatuses('disputed,pickup_complete');

test.each([
  ['delivered', {}, 'reached'],
  ['disputed', {}, 'reached'],
  ['request', {}, 'open'],
  ['failed', {}, 'failed'],
  ['returned', {}, 'failed'],
  ['provider_canceled', {}, 'failed'],
  ['customer_canceled', {}, 'failed'],
  ['burq_canceled', {}, 'failed'],
  // It will never be delivered, so there is no point in waiting for the end of the return.
  ['enroute_to_return', {}, 'failed'],
  ['pickup_complete', { until: 'driver_assigned' }, 'reached'],
  ['delivered', { until: 'dropoff_complete' }, 'reached'],
  ['arrived_at_pickup', { until: 'pickup_complete' }, 'open'],
  ['driver_not_assigned', { until: 'driver_assigned' }, 'open'],
  ['returned', { until: 'returned' }, 'reached'],
  ['enroute_to_return', { until: 'returned' }, 'open'],
  ['pickup_complete', { until: 'returned' }, 'open'],
  ['delivered', { until: 'disputed' }, 'open'],
  ['scheduled', { until: 'delivery_created' }, 'reached'],
  ['delivery_created', { until: 'scheduled' }, 'reached'],
  ['enroute_pickup', { until: 'delivery_created' }, 'reached'],
  ['request', { until: 'delivery_created' }, 'open'],
  // A target that cannot be reached any more is lost, also after a delivery.
  ['delivered', { until: 'returned' }, 'failed'],
  ['customer_canceled', { until: 'pickup_complete' }, 'failed'],
  // A side status counts once it was entered, as a poll may come too late to see it.
  ['enroute_pickup', { until: 'driver_not_assigned', history: ['driver_not_assigned'] }, 'reached'],
  ['enroute_pickup', { until: 'driver_not_assigned' }, 'open'],
  ['returned', { until: 'enroute_to_return', history: ['enroute_to_return'] }, 'reached'],
  // A driver status counts only while it lasts, as the driver may be replaced.
  ['driver_not_assigned', { until: 'driver_assigned', history: ['driver_assigned'] }, 'open'],
  // --fail-on decides first, but another end is an end.
  ['driver_not_assigned', { fail_on: assigning }, 'failed'],
  ['enroute_to_return', { fail_on: assigning }, 'open'],
  ['returned', { fail_on: assigning }, 'failed'],
  ['delivered', { fail_on: readStatuses('fulfilled') }, 'reached'],
  ['delivered', { until: 'returned', fail_on: readStatuses('done') }, 'failed'],
  // It overrides a later status than the target, but not the target itself.
  ['disputed', { fail_on: early }, 'failed'],
  ['pickup_complete', { until: 'driver_assigned', fail_on: early }, 'failed'],
  ['disputed', { until: 'disputed', fail_on: early }, 'reached'],
] satisfies [DeliveryStatus, Asked, string][])('at %s, a wait with %j is %s', (status, asked, is) => {
  expect(outcome(status, asked)).toBe(is);
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
