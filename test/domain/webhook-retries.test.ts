import { expect, test } from 'vitest';
import { max_retry_period_ms, waitAfterAttempt } from '../../src/domain/retries.ts';

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
