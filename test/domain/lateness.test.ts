import { expect, test } from 'vitest';
import { isLate, late_tolerance_ms, promiseOf } from '../../src/domain/lateness.ts';

const now = Date.parse('2026-03-02T12:00:00.000Z');
const minutes = (count: number) => now + count * 60_000;

test.each([
  ['ahead', minutes(30), 0, minutes(30)],
  // An order agreed for 12:00 that is dispatched at 12:00 would be late from its first moment.
  ['now', now, 0, minutes(25)],
  ['past', minutes(-30), 0, minutes(25)],
  ['past, with an older quote', minutes(-30), late_tolerance_ms + 1, minutes(25) + late_tolerance_ms + 1],
  ['none', null, 0, minutes(25)],
])('an agreed time that is %s', (_when, dropoff_at, passed_ms, promise) => {
  expect(promiseOf({ dropoff_at, quoted_eta: minutes(25), passed_ms, now })).toBe(promise);
});

test.each([
  [null, false],
  [0, false],
  [late_tolerance_ms, false],
  [late_tolerance_ms + 1, true],
])('%s ms after the promise', (late_ms, expected) => {
  expect(isLate(late_ms)).toBe(expected);
});
