import { expect, test } from 'vitest';
import { instantAt, readMoment } from '../../../src/cli/session/time-arguments.ts';
import { periodAt, readPeriod } from '../../../src/cli/session/typed-periods.ts';

/** A Wednesday in New York, where it is still Tuesday in Los Angeles. */
const now = Date.parse('2026-03-11T05:30:00.000Z');

/** The days that a period has there, without the one that follows. */
test.each([
  ['today', '2026-03-11', '2026-03-12'],
  ['yesterday', '2026-03-10', '2026-03-11'],
  ['week', '2026-03-09', '2026-03-16'],
  ['this week', '2026-03-09', '2026-03-16'],
  ['Last week', '2026-03-02', '2026-03-09'],
  ['month', '2026-03-01', '2026-04-01'],
  ['last month', '2026-02-01', '2026-03-01'],
  ['monday', '2026-03-09', '2026-03-10'],
  ['wed', '2026-03-11', '2026-03-12'],
  ['last wednesday', '2026-03-04', '2026-03-05'],
  ['sunday', '2026-03-08', '2026-03-09'],
  ['2026-02-28', '2026-02-28', '2026-03-01'],
  ['12/31/2025', '2025-12-31', '2026-01-01'],
  ['3/1', '2026-03-01', '2026-03-02'],
  ['11/28', '2025-11-28', '2025-11-29'],
  ['2/29', '2024-02-29', '2024-03-01'],
  ['November', '2025-11-01', '2025-12-01'],
  ['march', '2026-03-01', '2026-04-01'],
  ['last feb', '2026-02-01', '2026-03-01'],
  ['dec 2024', '2024-12-01', '2025-01-01'],
])('%s is from %s until %s', (typed, from, to) => {
  const zone = 'America/New_York';
  const period = readPeriod(typed);
  const bounds = period && periodAt(period, now, zone);
  const midnight = (day: string) => instantAt(readMoment(day), now, 'ago', zone);
  expect(bounds?.map((at) => new Date(at).toISOString())).toEqual(
    [midnight(from), midnight(to)].map((at) => new Date(at).toISOString()),
  );
  expect(instantAt(readMoment(typed), now, 'ago', zone)).toBe(midnight(from));
});

test('a day is that of its zone, and has 23 hours when the clocks go forward', () => {
  const hours = (typed: string, zone: string) => {
    const period = readPeriod(typed);
    const [from = 0, to = 0] = period === null ? [] : periodAt(period, now, zone);
    return [new Date(from).toISOString(), (to - from) / 3_600_000];
  };
  expect(hours('today', 'America/New_York')).toEqual(['2026-03-11T04:00:00.000Z', 24]);
  expect(hours('today', 'America/Los_Angeles')).toEqual(['2026-03-10T07:00:00.000Z', 24]);
  expect(hours('sunday', 'America/New_York')).toEqual(['2026-03-08T05:00:00.000Z', 23]);
});

/** The hours of a range, in UTC. */
test.each([
  ['yesterday 11:00-14:00', '2026-03-10T11:00', '2026-03-10T14:00'],
  ['today 05:00-06:00', '2026-03-11T05:00', '2026-03-11T06:00'],
  ['yesterday 11-14', '2026-03-10T11:00', '2026-03-10T14:00'],
  ['yesterday from 11 to 2pm', '2026-03-10T11:00', '2026-03-10T14:00'],
  ['11am to 2pm yesterday', '2026-03-10T11:00', '2026-03-10T14:00'],
  ['between 11 and 14', '2026-03-11T11:00', '2026-03-11T14:00'],
  ['11:30-13:00', '2026-03-11T11:30', '2026-03-11T13:00'],
  ['monday 9pm to 2am', '2026-03-09T21:00', '2026-03-10T02:00'],
  ['today midnight to 06:00', '2026-03-11T00:00', '2026-03-11T06:00'],
  ['today 11:00-24:00', '2026-03-11T11:00', '2026-03-12T00:00'],
  ['yesterday 9pm-midnight', '2026-03-10T21:00', '2026-03-11T00:00'],
  ['2026-03-02 11:00-14:00', '2026-03-02T11:00', '2026-03-02T14:00'],
])('%s is from %s until %s', (typed, ...bounds) => {
  const period = readPeriod(typed);
  const found = (period ? periodAt(period, now, 'UTC') : []).map((at) => new Date(at).toISOString());
  expect(found).toEqual(bounds.map((at) => `${at}:00.000Z`));
  expect(() => readMoment(typed)).toThrow(/must be one time, and .* is a range/);
});

test.each([
  '',
  '7d',
  '08:00',
  '11-14',
  'yesterday 11-2',
  'yesterday 11:00-14:00 noon',
  'last week 11:00-14:00',
  'yesterday 6pm',
  '2026-03-02T18:00',
  'fortnight',
  'mo',
  '2/30',
  '13/1',
  'last',
])('"%s" is no period', (typed) => {
  expect(readPeriod(typed)).toBeNull();
});

test.each([
  ...['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'].flatMap((name, weekday) =>
    Array.from({ length: name.length - 2 }, (_, more) => [name.slice(0, 3 + more), weekday] as const),
  ),
])('"%s" is the same day of the week as a period and with a time', (typed, weekday) => {
  const period = readPeriod(typed.toUpperCase());
  const [from = 0] = period === null ? [] : periodAt(period, Date.now());
  expect(new Date(from).getDay()).toBe(weekday);
  expect(readMoment(`${typed} 6pm`)).toMatchObject({ day: { weekday }, minutes: 18 * 60 });
});
