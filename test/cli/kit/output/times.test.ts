import { expect, test } from 'vitest';
import { displayWidth, padded } from '../../../../src/cli/kit/output/sanitize.ts';
import {
  age,
  fullTime,
  localTime,
  otherDay,
  shortTime,
  timeOfDay,
} from '../../../../src/cli/kit/output/times.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

test.each([
  [0, 'just now'],
  [40 * second, '40 s ago'],
  [4 * minute + 59 * second, '4 min ago'],
  [2 * hour, '2 h ago'],
  [2 * hour + 5 * minute, '2 h 5 min ago'],
  [26 * hour, '1 d 2 h ago'],
  [-10 * minute, 'in 10 min'],
])('%i ms', (span, text) => {
  expect(age(1_000_000_000_000 - span, 1_000_000_000_000)).toBe(text);
});

test('a day other than today is shown, and a year other than this one', () => {
  const now = new Date(2026, 2, 4, 12, 7).getTime();
  const at = (...parts: [number, number, number, number, number]) =>
    localTime(new Date(...parts).toISOString(), now);
  expect(at(2026, 2, 4, 12, 3)).toBe('12:03 (4 min ago)');
  expect(at(2026, 2, 3, 9, 5)).toBe('Mar 3 09:05 (1 d 3 h ago)');
  expect(at(2025, 11, 31, 9, 5)).toBe('Dec 31 2025 09:05 (63 d ago)');
});

test('formats the full time, the time of day, and the day unless it is today', () => {
  const instant = (...parts: [number, number, number, number, number, number]) =>
    new Date(...parts).toISOString();
  const early = instant(2026, 2, 4, 9, 5, 7);
  expect(fullTime(early)).toBe('2026-03-04 09:05:07');
  expect(timeOfDay(early)).toBe('09:05');
  expect(shortTime(early, Date.parse(early))).toBe('09:05');
  expect(shortTime(early, Date.parse(instant(2026, 2, 5, 0, 0, 0)))).toBe('Mar 4 09:05');
  expect(otherDay(early, Date.parse(instant(2026, 2, 4, 23, 59, 0)))).toBe('');
  expect(otherDay(early, Date.parse(instant(2026, 2, 5, 0, 0, 0)))).toBe('Mar 4');
});

test('a text that is not a time is unchanged', () => {
  expect(localTime('soon', 0)).toBe('soon');
  expect(fullTime('soon')).toBe('soon');
});

test('widths count columns, not characters', () => {
  expect(displayWidth('寿司')).toBe(4);
  expect(displayWidth('Zoe\u0308')).toBe(3);
  expect(displayWidth('\u001b[1mbold\u001b[0m')).toBe(4);
  expect(padded('寿司', 6)).toBe('寿司  ');
});
