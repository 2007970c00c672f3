import { describe, expect, test } from 'vitest';
import { type DeliveryStatus, deliveryStatuses } from '../../src/contract/vocabulary.ts';
import {
  canMove,
  effectOf,
  hasEndedBadly,
  hasReached,
  isCanceled,
  isEnded,
  isFailureOfCourier,
  isPickedUp,
  nextStatuses,
  orderedTime,
  skippedStatuses,
} from '../../src/domain/delivery-states.ts';
import { follows } from '../model/delivery-model.ts';

describe('the table of states', () => {
  test.each(deliveryStatuses)('%s leads exactly where the model says', (from) => {
    const allowed = deliveryStatuses.filter((to) => canMove(from, to));
    expect(allowed).toEqual(deliveryStatuses.filter((to) => follows(from, to)));
    expect([...nextStatuses(from)].sort()).toEqual([...allowed].sort());
  });

  test('no status leads back to an earlier one', () => {
    for (const from of deliveryStatuses) {
      for (const to of nextStatuses(from)) {
        const isReassigned = to === 'driver_not_assigned' || from === 'driver_not_assigned';
        if (!isReassigned) expect(canMove(to, from), `${from} and ${to}`).toBe(false);
      }
    }
  });
});

test('only a dispute can follow an end', () => {
  const ended = deliveryStatuses.filter(isEnded);
  expect([...ended].sort()).toEqual([
    ...[
      'burq_canceled',
      'customer_canceled',
      'delivered',
      'disputed',
      'failed',
      'provider_canceled',
      'returned',
    ],
  ]);
  expect(deliveryStatuses.filter(isCanceled)).toHaveLength(3);
  const badly = ['burq_canceled', 'customer_canceled', 'failed', 'provider_canceled'];
  expect(deliveryStatuses.filter(hasEndedBadly).sort()).toEqual(badly);
});

test.each([
  ['provider_canceled', null, true],
  ['failed', 'courier_failed', true],
  ['failed', 'payment_declined', false],
  ['customer_canceled', null, false],
] as const)('%s with the reason %s ended through its courier: %s', (status, failure_reason, expected) => {
  expect(isFailureOfCourier({ status, failure_reason })).toBe(expected);
});

test.each<[DeliveryStatus, DeliveryStatus, string[]]>([
  ['delivery_created', 'driver_assigned', []],
  ['delivery_created', 'pickup_complete', ['driver_assigned']],
  ['delivery_created', 'delivered', ['driver_assigned', 'pickup_complete']],
  ['delivery_created', 'enroute_to_return', ['driver_assigned', 'pickup_complete']],
  ['delivery_created', 'returned', ['driver_assigned', 'pickup_complete', 'enroute_to_return']],
  ['delivery_created', 'failed', []],
  ['delivery_created', 'disputed', []],
  ['enroute_pickup', 'delivered', ['pickup_complete']],
  ['enroute_to_return', 'returned', []],
  ['enroute_to_return', 'delivered', []],
  ['failed', 'delivered', []],
])('from %s to %s a delivery has passed %j', (from, to, passed) => {
  expect(skippedStatuses(from, to)).toEqual(passed);
});

test.each<[DeliveryStatus, DeliveryStatus | null, occurred: number, ordered: number]>([
  ['enroute_pickup', null, 5, 5],
  ['enroute_pickup', 'pickup_complete', 5, 10],
  ['enroute_pickup', 'pickup_complete', 11, 11],
  ['enroute_pickup', 'driver_assigned', 5, 5],
  ['enroute_pickup', 'failed', 5, 10],
  ['enroute_pickup', 'enroute_to_return', 5, 5],
  ['pickup_complete', 'enroute_to_return', 5, 10],
  ['pickup_complete', 'driver_not_assigned', 5, 5],
  ['delivery_created', 'driver_assigned', 5, 5],
])('after %s at 10 a report of %s at %s counts as of %s', (status, to, occurred_at, ordered) => {
  expect(orderedTime({ status: to, occurred_at }, { status, reported_at: 10 })).toBe(ordered);
});

test('the courier has or had the parcel from the pickup on', () => {
  expect(isPickedUp('arrived_at_pickup')).toBe(false);
  expect(isPickedUp('pickup_complete')).toBe(true);
  expect(isPickedUp('enroute_to_return')).toBe(true);
  expect(isPickedUp('driver_not_assigned')).toBe(false);
});

test('a later status counts as reached, as couriers skip some; another end does not', () => {
  expect(hasReached('enroute_dropoff', 'pickup_complete')).toBe(true);
  expect(hasReached('delivered', 'arrived_at_dropoff')).toBe(true);
  expect(hasReached('pickup_complete', 'enroute_dropoff')).toBe(false);
  expect(hasReached('returned', 'delivered')).toBe(false);
  expect(hasReached('delivered', 'failed')).toBe(false);
  expect(hasReached('scheduled', 'request')).toBe(true);
  expect(hasReached('scheduled', 'scheduled')).toBe(true);
  expect(hasReached('failed', 'failed')).toBe(true);
  expect(hasReached('customer_canceled', 'driver_assigned')).toBe(false);
});

const known = { status: 'enroute_pickup', reported_at: 1_000 } as const;

test.each([
  ['a step forward moves', 'pickup_complete', 1_000, 'moved'],
  ['the same status again is a repeat', 'enroute_pickup', 2_000, 'repeated'],
  ['what happened before is older', 'arrived_at_pickup', 999, 'older'],
  ['a step back is not a step', 'driver_assigned', 2_000, 'not_a_step'],
  ['no status moves nothing', null, 2_000, 'none'],
] as const)('%s', (_, status, occurred_at, effect) => {
  expect(effectOf({ status, occurred_at }, known)).toBe(effect);
});
