import { expect, test } from 'vitest';
import { BadValue } from '../../../../src/cli/kit/args/flags.ts';
import {
  instantAt,
  isLocalTime,
  localMinutes,
  readMoment,
} from '../../../../src/cli/kit/args/time-arguments.ts';
import { clockChangeAt } from '../../../../src/cli/kit/output/times.ts';

test.each([
  ['2026-03-02T18:00Z', '2026-03-02T18:00:00.000Z'],
  ['2026-03-02T18:00:30.5-06:00', '2026-03-03T00:00:30.500Z'],
  ['2026-03-02 18:00+0100', '2026-03-02T17:00:00.000Z'],
])('%s is an instant', (text, iso) => {
  expect(readMoment(text)).toEqual({ at: Date.parse(iso), typed: text });
});

test('without an offset it is local time, and a date is its midnight', () => {
  expect(readMoment('2026-03-02T18:00').at).toBe(new Date(2026, 2, 2, 18).getTime());
  expect(readMoment('2026-03-02').at).toBe(new Date(2026, 2, 2).getTime());
});

test('every duration is accepted', () => {
  expect(readMoment('1h30m')).toEqual({ span: 5_400_000, typed: '1h30m' });
});

test.each([
  '',
  'noons',
  'today ',
  'today18:00',
  '24:00',
  '8:60',
  '2026-13-45',
  '2026-03',
  '2026-02-30',
  '2026-02-30T18:00Z',
  '12',
  '-2h',
  '13pm',
  '0am',
  'tomorrow 6',
  '2/30/2026',
  '13/1/2026',
  '12/24/2026 6',
])('"%s" is neither an instant nor a duration', (text) => {
  expect(() => readMoment(text)).toThrow(BadValue);
});

test.each([
  ['today', 0, 0],
  ['Yesterday', -1, 0],
  ['08:00', 0, 480],
  ['8:05', 0, 485],
  ['yesterday 18:30', -1, 1110],
  ['tomorrow 09:00', 1, 540],
  ['tomorrow 6pm', 1, 1080],
  ['6:30 PM', 0, 1110],
  ['today 12am', 0, 0],
  ['12 p.m.', 0, 720],
  ['noon', 0, 720],
  ['tomorrow noon', 1, 720],
  ['tomorrow at 6pm', 1, 1080],
  ['midnight', 0, 0],
  ['tomorrow midnight', 1, 0],
])('%s is on a day near today', (typed, day, minutes) => {
  expect(readMoment(typed)).toEqual({ day, minutes, typed });
});

// A Monday, 09:00 in Chicago.
const monday = Date.parse('2026-11-30T15:00:00Z');
test.each([
  ['Friday 6pm', '2026-12-05T00:00'],
  ['fri at 18:00', '2026-12-05T00:00'],
  ['6pm on Friday', '2026-12-05T00:00'],
  ['Thurs. noon', '2026-12-03T18:00'],
  ['this Saturday 10.30am', '2026-12-05T16:30'],
  ['Monday 8am', '2026-12-07T14:00'],
  ['monday 10am', '2026-11-30T16:00'],
  ['6pm tomorrow', '2026-12-02T00:00'],
  ['noon tomorrow', '2026-12-01T18:00'],
  ['tmrw 6pm', '2026-12-02T00:00'],
  ['tomorrow, 18h30', '2026-12-02T00:30'],
  ['tomorrow 18:00:00', '2026-12-02T00:00'],
  ['tonight 8', '2026-12-01T02:00'],
  ['8 tonight', '2026-12-01T02:00'],
  ['8:30pm tonight', '2026-12-01T02:30'],
  ['12/02 6pm', '2026-12-03T00:00'],
  ['Dec 2 6pm', '2026-12-03T00:00'],
  ['December 2nd at 6 PM', '2026-12-03T00:00'],
  ['2 Dec 18:00', '2026-12-03T00:00'],
  ['Jan 5, 9am', '2027-01-05T15:00'],
  ['Nov 29 6pm', '2027-11-30T00:00'],
  ['Feb 29 noon', '2028-02-29T18:00'],
  ['Dec 2, 2026 6pm', '2026-12-03T00:00'],
  ['2 December 2026 at 18:00', '2026-12-03T00:00'],
  ['12/2/26 6pm', '2026-12-03T00:00'],
  ['in half an hour', '2026-11-30T15:30'],
])('%s, said on a Monday morning, is %s', (typed, iso) => {
  const at = instantAt(readMoment(typed, 'ahead'), monday, 'ahead', 'America/Chicago');
  expect(new Date(at).toISOString()).toBe(`${iso}:00.000Z`);
});

test.each([
  ['Friday 6pm', '2026-11-28T00:00'],
  ['nov 2 noon', '2026-11-02T18:00'],
  ['12/02 6pm', '2025-12-03T00:00'],
])('%s in the past is %s', (typed, iso) => {
  const at = instantAt(readMoment(typed, 'ago'), monday, 'ago', 'America/Chicago');
  expect(new Date(at).toISOString()).toBe(`${iso}:00.000Z`);
});

test.each(['tomorrow 9', 'Friday 6', '6 on Friday', 'Dec 2 7'])('%s may be morning or evening', (typed) => {
  expect(() => readMoment(typed, 'ahead')).toThrow(/must say whether \d is \dam or \dpm/);
});

test('the midnight that comes is the end of today', () => {
  expect(readMoment('midnight', 'ahead')).toEqual({ day: 1, minutes: 0, typed: 'midnight' });
});

test.each([
  ['12/24/2026 6pm', new Date(2026, 11, 24, 18)],
  ['12/24/2026 noon', new Date(2026, 11, 24, 12)],
  ['2026-12-24 6pm', new Date(2026, 11, 24, 18)],
  ['1/2/2027 08:15', new Date(2027, 0, 2, 8, 15)],
  ['12/24/2026', new Date(2026, 11, 24)],
])('%s is a US date in local time', (typed, date) => {
  expect(readMoment(typed)).toEqual({ at: date.getTime(), typed });
});

test.each([
  ['tomorrow 6pm', true],
  ['12/24/2026', true],
  ['2026-03-02', true],
  ['2026-03-02T18:00', true],
  ['2026-03-02T18:00Z', false],
  ['2026-03-02T18:00-0600', false],
  ['2h', false],
])('%s is a local time: %s', (typed, isLocal) => {
  expect(isLocalTime(readMoment(typed))).toBe(isLocal);
});

// The reader's own zone is America/Chicago, where 2:30 is skipped that day.
test.each([
  ['2026-03-08 02:30', 'America/Phoenix', '2026-03-08T09:30:00.000Z'],
  ['3/8/2026 2:30am', 'America/Phoenix', '2026-03-08T09:30:00.000Z'],
  ['2026-03-08T02:30:15.5', 'Pacific/Honolulu', '2026-03-08T12:30:15.500Z'],
  ['2026-03-08', 'America/Los_Angeles', '2026-03-08T08:00:00.000Z'],
  ['2026-03-08T02:30', null, '2026-03-08T08:30:00.000Z'],
  ['2026-03-08T02:30Z', 'America/Phoenix', '2026-03-08T02:30:00.000Z'],
])('%s in %s is %s, also if the clocks of the reader skip it', (typed, zone, iso) => {
  expect(new Date(instantAt(readMoment(typed), 0, 'ahead', zone)).toISOString()).toBe(iso);
});

test.each([
  ['in 2 hours', 'ahead', 7_200_000],
  ['In an hour', 'ahead', 3_600_000],
  ['90 minutes', 'ahead', 5_400_000],
  ['1 hour and 30 minutes ago', 'ago', 5_400_000],
  ['2 days ago', 'ago', 172_800_000],
  ['20 mins', 'ago', 1_200_000],
] as const)('%s is a length of time', (typed, direction, span) => {
  expect(readMoment(typed, direction)).toMatchObject({ span });
});

test('a refused time suggests only times of its direction', () => {
  expect(() => readMoment('next tuesday', 'ago')).toThrow(/"yesterday 6pm", "2 hours ago"/);
  expect(() => readMoment('next tuesday', 'ahead')).toThrow(/"tomorrow 6pm", "Friday noon", "in 2 hours"/);
  expect(() => readMoment('in 2 hours', 'ago')).toThrow(/must be a time/);
  expect(() => readMoment('2 hours ago', 'ahead')).toThrow(/must be a time/);
});

test.each([
  ['2026-03-08 02:30', 'America/Chicago', 'skipped'],
  ['2026-03-08 03:00', 'America/Chicago', null],
  ['2026-11-01 01:30', 'America/Chicago', 'doubled'],
  ['2026-11-01 02:00', 'America/Chicago', null],
  ['2026-03-08 02:30', 'America/Phoenix', null],
])('clocks at %s in %s', (typed, zone, change) => {
  const moment = readMoment(typed, 'ahead');
  const instant = instantAt(moment, 0, 'ahead', zone);
  expect(clockChangeAt(localMinutes(moment) ?? -1, instant, zone)).toBe(change);
});
