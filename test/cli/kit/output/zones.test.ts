import { expect, test } from 'vitest';
import {
  fullTime,
  instantIn,
  localTime,
  shortTime,
  timePhrase,
} from '../../../../src/cli/kit/output/times.ts';

// The reader's own zone is America/Chicago.
const at = '2026-03-02T02:30:00.000Z';
const now = Date.parse('2026-03-02T02:34:00.000Z');
const east = 'America/New_York';

test('a time in another zone has its name, and the day that it is there', () => {
  expect(localTime(at, now)).toBe('20:30 (4 min ago)');
  expect(localTime(at, now, east)).toBe('21:30 EST (4 min ago)');
  expect(shortTime(at, Date.parse('2026-03-02T12:00:00.000Z'), east)).toBe('Mar 1 21:30 EST');
  expect(fullTime(at, now, 'Pacific/Honolulu')).toBe('2026-03-01 16:30:00 HST');
  expect(timePhrase(at, { now, times: null, zone: east })).toBe('at 21:30 EST');
  expect(timePhrase(at, { now, times: 'relative', zone: east })).toBe('4 min ago');
});

test('without another zone, or where clocks show the same, there is no name', () => {
  expect(localTime(at, now, 'America/Chicago')).toBe('20:30 (4 min ago)');
  expect(localTime(at, now, 'America/Menominee')).toBe('20:30 (4 min ago)');
  expect(fullTime(at, now, null)).toBe('2026-03-01 20:30:00');
});

test('summer time is that of the day in question', () => {
  const summer = '2026-07-02T02:30:00.000Z';
  expect(localTime(summer, Date.parse(summer), 'America/Phoenix')).toBe('19:30 MST (just now)');
  expect(localTime(at, now, 'America/Phoenix')).toBe('19:30 MST (4 min ago)');
  expect(shortTime(summer, Date.parse(summer), east)).toBe('22:30 EDT');
});

test.each([
  [{ year: 2026, month: 2, day: 12, minutes: 18 * 60 }, east, '2026-03-12T22:00:00.000Z'],
  [{ year: 2026, month: 0, day: 12, minutes: 18 * 60 }, east, '2026-01-12T23:00:00.000Z'],
  // A day after the end of the month counts into the next month.
  [{ year: 2026, month: 1, day: 29, minutes: 0 }, 'America/Denver', '2026-03-01T07:00:00.000Z'],
  // At 2:00 on these days clocks are set forward, and back.
  [{ year: 2026, month: 2, day: 8, minutes: 3 * 60 }, east, '2026-03-08T07:00:00.000Z'],
  [{ year: 2026, month: 10, day: 1, minutes: 3 * 60 }, east, '2026-11-01T08:00:00.000Z'],
  // A skipped time of day is read as one hour later; of a time of day that occurs twice, the first is meant.
  [{ year: 2026, month: 2, day: 8, minutes: 150 }, east, '2026-03-08T07:30:00.000Z'],
  [{ year: 2026, month: 10, day: 1, minutes: 90 }, east, '2026-11-01T05:30:00.000Z'],
  [{ year: 2026, month: 2, day: 12, minutes: 18 * 60 }, null, '2026-03-12T23:00:00.000Z'],
])('%j in %s is %s', (time, zone, iso) => {
  expect(new Date(instantIn(time, zone)).toISOString()).toBe(iso);
});
