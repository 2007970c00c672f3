import { expect, test } from 'vitest';
import { type TimelineStep, timelineOf } from '../../../../src/cli/nouns/explanation.ts';
import { at, delivery, type Entered, instant } from './records.ts';

function steps(entered: readonly Entered[], now = 60): string[] {
  return timelineOf(delivery(entered), instant(now)).map(text);
}

function text({ status, at: iso, lasted_seconds, skipped }: TimelineStep): string {
  if (skipped) return `${status} skipped`;
  return `${status} ${(Date.parse(iso ?? '') - instant(0)) / 60_000}${lasted_seconds === null ? '' : ` +${lasted_seconds}`}`;
}

test('each part with its duration, and what the provider skipped', () => {
  expect(
    steps([
      ['delivery_created', 0],
      ['driver_assigned', 2],
      ['pickup_complete', 10],
      ['delivered', 31],
    ]),
  ).toEqual([
    ...['delivery_created 0 +120', 'driver_assigned 2 +480'],
    ...['enroute_pickup skipped', 'arrived_at_pickup skipped', 'pickup_complete 10 +1260'],
    ...['enroute_dropoff skipped', 'arrived_at_dropoff skipped', 'dropoff_complete skipped', 'delivered 31'],
  ]);
});

test('the current part lasts until now, an end has no duration', () => {
  expect(
    steps([
      ['delivery_created', 0],
      ['driver_assigned', 2],
    ]),
  ).toEqual(['delivery_created 0 +120', 'driver_assigned 2 +3480']);
  expect(
    steps([
      ['delivery_created', 0],
      ['provider_canceled', 20],
    ]),
  ).toEqual(['delivery_created 0 +1200', 'provider_canceled 20']);
});

test('a second driver skips nothing that the first reported', () => {
  expect(
    steps([
      ['driver_assigned', 0],
      ['enroute_pickup', 1],
      ['driver_not_assigned', 2],
      ['driver_assigned', 3],
      ['pickup_complete', 9],
      ['enroute_to_return', 20],
      ['returned', 30],
    ]).filter((step) => step.endsWith('skipped')),
  ).toEqual(['arrived_at_pickup skipped']);
});

test('a status that is reported later was not skipped', () => {
  expect(
    steps([
      ['enroute_pickup', 1],
      ['driver_not_assigned', 2],
      ['driver_assigned', 3],
    ]).filter((step) => step.endsWith('skipped')),
  ).toEqual([]);
});

test('a returning parcel was picked up, reported or not', () => {
  const skipped = steps([
    ['arrived_at_pickup', 5],
    ['enroute_to_return', 20],
  ]).filter((step) => step.endsWith('skipped'));
  expect(skipped).toEqual(['driver_assigned skipped', 'enroute_pickup skipped', 'pickup_complete skipped']);
});

test('no status is put before the history that the service has', () => {
  expect(steps([])).toEqual(['request 0 +3600']);
  expect(steps([['scheduled', 15]])).toEqual(['scheduled 15 +2700']);
  expect(timelineOf(delivery([['failed', 0]]), instant(0))).toEqual([
    { status: 'failed', at: at(0), lasted_seconds: null, skipped: false },
  ]);
});
