import { expect, test } from 'vitest';
import { planTimes, stopEtas } from '../../src/domain/timetable.ts';

const MINUTE = 60_000;
const now = Date.UTC(2030, 0, 1);
const asSoonAsPossible = { now, pickup_at: null, dropoff_at: null };
const car = {
  speed_mph: 18,
  long_leg: { over_tenths: 50, speed_mph: 28 },
  assigned_after_minutes: 2,
  assigned_ahead_minutes: 15,
};
const bike = { speed_mph: 9, assigned_after_minutes: 1, assigned_ahead_minutes: null };
const stops = [{ leg_tenths: 0 }, { leg_tenths: 30 }, { leg_tenths: 0 }];

test('as soon as possible: assigned, two miles to the pickup, one halt of four minutes per address', () => {
  expect(planTimes(car, stops, asSoonAsPossible)).toEqual({
    assigned_at: now + 2 * MINUTE,
    pickup_eta: now + 2 * MINUTE + 400_000,
    arrivals: [0, 14 * MINUTE, 14 * MINUTE].map((offset) => now + 2 * MINUTE + 400_000 + offset),
    dropoff_eta: now + 20 * MINUTE + 400_000,
  });
  const elsewhere = [{ leg_tenths: 30 }, ...stops.slice(1)];
  expect(planTimes(car, elsewhere, asSoonAsPossible)).toEqual(planTimes(car, stops, asSoonAsPossible));
  const { assigned_at, pickup_eta } = planTimes(bike, stops, asSoonAsPossible);
  expect([assigned_at, pickup_eta]).toEqual([now + MINUTE, now + MINUTE + 800_000]);
});

test('a leg over five miles is driven at the higher speed', () => {
  const way = (leg_tenths: number) => {
    const { pickup_eta, dropoff_eta } = planTimes(car, [{ leg_tenths: 0 }, { leg_tenths }], asSoonAsPossible);
    return dropoff_eta - pickup_eta - 8 * MINUTE;
  };
  expect(way(50)).toBe(1_000_000);
  expect(way(56)).toBe(720_000);
});

test('a scheduled pickup is kept, with the driver assigned ahead of it', () => {
  const pickup_at = now + 120 * MINUTE;
  const times = planTimes(car, stops, { ...asSoonAsPossible, pickup_at });
  expect(times.pickup_eta).toBe(pickup_at);
  expect(times.assigned_at).toBe(pickup_at - 15 * MINUTE);
  expect(times.dropoff_eta).toBe(pickup_at + 18 * MINUTE);
});

test('the last recipient gets the parcel at a scheduled dropoff time', () => {
  const dropoff_at = now + 120 * MINUTE;
  const times = planTimes(car, stops, { ...asSoonAsPossible, dropoff_at });
  expect(times.dropoff_eta).toBe(dropoff_at);
  expect(times.pickup_eta).toBe(dropoff_at - 18 * MINUTE);
});

test('a pickup is done when the courier arrives, a dropoff when the recipient has the parcel', () => {
  expect(stopEtas([{ kind: 'pickup' }, { kind: 'pickup' }, { kind: 'dropoff' }], [0, 1000, 2000])).toEqual([
    ...[0, 1000, 2000 + 4 * MINUTE],
  ]);
});

test('a time that has passed or is too near means as soon as possible', () => {
  const soonest = planTimes(car, stops, asSoonAsPossible);
  expect(planTimes(car, stops, { ...asSoonAsPossible, pickup_at: now - MINUTE })).toEqual(soonest);
  expect(planTimes(car, stops, { ...asSoonAsPossible, dropoff_at: now + MINUTE })).toEqual(soonest);
});
