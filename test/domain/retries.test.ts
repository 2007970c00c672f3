import fc from 'fast-check';
import { expect, test } from 'vitest';
import { max_retry_period_ms, nextAttemptAt, waitAfterAttempt } from '../../src/domain/retries.ts';

const started_at = Date.parse('2026-03-02T12:00:00.000Z');

/** Every attempt of a plan, in seconds from its start, with a duration for each. */
function tries(retry_window: number, retry_interval: number, takes_ms = 0): number[] {
  const plan = { started_at, retry_window, retry_interval };
  const starts = [started_at];
  for (;;) {
    const last = starts.at(-1) ?? started_at;
    const next = nextAttemptAt(plan, { last, now: last + takes_ms });
    if (next === null) return starts.map((at) => (at - started_at) / 1000);
    starts.push(next);
  }
}

test('attempts start at every interval, up to and including the window', () => {
  expect(tries(1800, 300)).toEqual([0, 300, 600, 900, 1200, 1500, 1800]);
});

test('a window that is not a multiple of the interval ends with the last attempt inside it', () => {
  expect(tries(100, 30)).toEqual([0, 30, 60, 90]);
  expect(tries(29, 30)).toEqual([0]);
  expect(tries(30, 30)).toEqual([0, 30]);
});

test('a window of 0 gives one attempt', () => {
  expect(tries(0, 10)).toEqual([0]);
});

test('an attempt that takes longer than the interval skips those that it missed', () => {
  expect(tries(60, 10, 24_000)).toEqual([0, 30, 60]);
  // An attempt that ends exactly at the next one is in time.
  expect(tries(60, 10, 20_000)).toEqual([0, 20, 40, 60]);
  expect(tries(60, 10, 61_000)).toEqual([0]);
});

test('attempts always increase, lie on the interval and in the window, and skip no possible one', () => {
  const plans = fc.record({
    window: fc.integer({ min: 0, max: 5000 }),
    interval: fc.integer({ min: 10, max: 3600 }),
    takes_ms: fc.integer({ min: 0, max: 200_000 }),
  });
  fc.assert(
    fc.property(plans, ({ window, interval, takes_ms }) => {
      const starts = tries(window, interval, takes_ms);
      expect(starts.every((at) => at % interval === 0 && at <= window)).toBe(true);
      const step = Math.max(1, Math.ceil(takes_ms / 1000 / interval)) * interval;
      expect(starts).toEqual(
        Array.from({ length: Math.floor(window / step) + 1 }, (_, index) => index * step),
      );
    }),
    { seed: 4, numRuns: 300 },
  );
});

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

const table = [
  ...[5 * second, 5 * minute, 30 * minute],
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour),
];

test('the waits follow the schedule with up to 10 % jitter', () => {
  for (const [index, wait] of table.entries()) {
    expect(waitAfterAttempt(index + 1, { chance: 0 })).toBe(wait);
    expect(waitAfterAttempt(index + 1, { chance: 1 })).toBe(Math.round(wait * 1.1));
  }
  expect(waitAfterAttempt(10, { chance: 0 })).toBeNull();
});

test('the last attempt is more than 75 hours after the first, with any jitter', () => {
  expect(table.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(75 * hour);
  expect(max_retry_period_ms).toBeGreaterThan(table.reduce((sum, wait) => sum + wait * 1.1, 0) - 1);
});

test('Retry-After lengthens a wait up to a day and adds no attempt', () => {
  expect(waitAfterAttempt(1, { chance: 0.5, retry_after_ms: 60 * second })).toBe(60 * second);
  expect(waitAfterAttempt(2, { chance: 0, retry_after_ms: 60 * second })).toBe(5 * minute);
  expect(waitAfterAttempt(1, { chance: 0, retry_after_ms: 1_000 * hour })).toBe(24 * hour);
  expect(waitAfterAttempt(10, { chance: 0, retry_after_ms: second })).toBeNull();
});
