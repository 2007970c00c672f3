import { expect, onTestFinished, test, vi } from 'vitest';
import { displayWidth, padded } from '../../../../src/cli/kit/output/terminal-lines.ts';
import {
  age,
  fullTime,
  localTime,
  otherDay,
  shortTime,
  timeOfDay,
  timePhrase,
  tookText,
} from '../../../../src/cli/kit/output/times.ts';
import { instantIn } from '../../../../src/cli/kit/output/zoned-clock.ts';

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

test.each([
  [40 * second, '40 s'],
  [40 * minute + 45 * second, '41 min'],
  [59 * minute + 30 * second, '1 h'],
])('%i ms, to the nearest minute', (span, text) => {
  expect(tookText(span)).toBe(text);
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

test.each([
  ['America/Chicago', 'America/Chicago', '19:00', '18:00'],
  ['America/Regina', 'America/Chicago', '19:00 CDT', '18:00'],
  ['America/Phoenix', 'America/Denver', '18:00 MDT', '17:00'],
  ['America/Toronto', 'America/New_York', '20:00', '19:00'],
  ['UTC', 'America/Chicago', '19:00 CDT', '18:00 CST'],
])('a reader in %s sees times of %s in July and January: %s, %s', (own, zone, inJuly, inJanuary) => {
  vi.stubEnv('TZ', own);
  onTestFinished(() => void vi.unstubAllEnvs());
  const shown = (iso: string) => shortTime(iso, Date.parse(iso), zone);
  expect([shown('2026-07-02T00:00:00Z'), shown('2026-01-02T00:00:00Z')]).toEqual([inJuly, inJanuary]);
});

test('the times of a shop in the reader’s own zone are read without Intl, which is slow to begin', () => {
  const made = vi.spyOn(Intl, 'DateTimeFormat');
  onTestFinished(() => made.mockRestore());
  expect(shortTime('2026-07-02T00:00:00Z', Date.parse('2026-07-02T00:01:00Z'), 'America/Chicago')).toBe(
    '19:00',
  );
  expect(made).not.toHaveBeenCalled();
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
