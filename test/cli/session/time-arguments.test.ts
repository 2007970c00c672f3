import { beforeAll, expect, test } from 'vitest';
import { timeAtAddress } from '../../../src/cli/commands/orders/import/reading/delivery-dates.ts';
import { BadValue } from '../../../src/cli/kit/args/flags.ts';
import { loadGazetteer } from '../../../src/cli/session/gazetteer.ts';
import {
  instantAt,
  isLocalTime,
  momentRemarks,
  readMoment,
} from '../../../src/cli/session/time-arguments.ts';
import { readTable } from '../../cases/read-table.ts';

test.each([
  ['2026-03-02T18:00Z', '2026-03-02T18:00:00.000Z'],
  ['2026-03-02T18:00:30.5-06:00', '2026-03-03T00:00:30.500Z'],
  ['2026-03-02 18:00+0100', '2026-03-02T17:00:00.000Z'],
])('%s is an instant', (text, iso) => {
  expect(readMoment(text)).toEqual({ at: Date.parse(iso), typed: text });
});

test('without an offset it is local time, and a date is its midnight', () => {
  expect(instantAt(readMoment('2026-03-02T18:00'), 0, 'ago')).toBe(new Date(2026, 2, 2, 18).getTime());
  expect(instantAt(readMoment('now'), 5, 'ago')).toBe(5);
  expect(instantAt(readMoment('2026-03-02'), 0, 'ago')).toBe(new Date(2026, 2, 2).getTime());
});

test('every duration is accepted', () => {
  expect(readMoment('1h30m')).toEqual({ span: 5_400_000, typed: '1h30m' });
});

test.each([
  '',
  'noons',
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
  ['today', 0, null],
  ['Yesterday', -1, null],
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
const chicago = '233 S Wacker Dr, Chicago, IL 60606';
const remarks: Record<string, string> = {
  window: 'the beginning of the window is meant',
  morning: 'it is in the morning, as nothing says "pm"',
  'day first': 'the day comes before the month',
  skipped: 'clocks go forward then, and skip the time as given',
  doubled: 'clocks go back then, and the first of two such times is meant',
};
const times = readTable('times.tsv', (cell) => {
  const [at, why = ''] = cell('at').split('!');
  const said =
    cell('said') === ''
      ? []
      : cell('said')
          .split(', ')
          .map((name) => remarks[name]);
  return { text: cell('text'), at, why, said };
});
const isDatedRow = ({ text }: { text: string }) => /\b20\d\d|\/26 /.test(text);

test.each(times.filter(({ at }) => at !== ''))(
  '$text, said on a Monday morning, is $at',
  ({ text, at, said }) => {
    const moment = readMoment(text, 'visit');
    const instant = instantAt(moment, monday, 'ahead', 'America/Chicago');
    expect(new Date(instant).toISOString()).toBe(`${at}:00.000Z`);
    expect(momentRemarks(moment, instant, 'America/Chicago')).toEqual(said);
  },
);

test.each(times.filter(({ why }) => why !== ''))('$text is refused: $why', ({ text, why }) => {
  expect(() => instantAt(readMoment(text, 'visit'), monday, 'ahead', 'America/Chicago')).toThrow(why);
});

beforeAll(loadGazetteer);

test.each(times.filter(isDatedRow))('a file has $text as a flag has it', ({ text, at, why, said }) => {
  const cell = timeAtAddress(text, chicago);
  if (why !== '') return expect(cell).toMatchObject({ why: expect.stringContaining(why) });
  const iso = `${at}:00.000Z`;
  const guess = { from: text, to: `${iso}: ${said.join('; ')}`, isGuess: true };
  expect(cell).toEqual({ at: iso, guess: said.length === 0 ? null : guess });
});

test.each(['Friday 6pm', 'tomorrow 6pm', '2h', '12/05 1 PM', '6pm'])('a file has a date, not %s', (text) => {
  expect(timeAtAddress(text, chicago)).toMatchObject({
    why: expect.stringMatching(/^must be a date and time/),
  });
});

test('a time in a file is that of its place, which has to be known', () => {
  expect(timeAtAddress('2026-12-05 13:00', 'nowhere')).toMatchObject({
    why: expect.stringContaining('the zone of its address'),
  });
  expect(timeAtAddress('2026-12-05 13:00', '')).toMatchObject({
    why: expect.stringContaining('the zone of its store'),
  });
  expect(timeAtAddress('2026-12-05 13:00Z', '')).toMatchObject({ at: '2026-12-05T13:00:00.000Z' });
});

test.each([
  ['Friday 6pm', '2026-11-28T00:00'],
  ['nov 2 noon', '2026-11-02T18:00'],
  ['12/02 6pm', '2025-12-03T00:00'],
])('%s in the past is %s', (typed, iso) => {
  const at = instantAt(readMoment(typed, 'ago'), monday, 'ago', 'America/Chicago');
  expect(new Date(at).toISOString()).toBe(`${iso}:00.000Z`);
});

test('the midnight that comes is the end of today', () => {
  expect(readMoment('midnight', 'ahead')).toEqual({ day: 1, minutes: 0, typed: 'midnight' });
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
  ['+2h', 'ahead', 7_200_000],
  ['+ 90 min', 'ahead', 5_400_000],
  ['In an hour', 'ahead', 3_600_000],
  ['90 minutes', 'ahead', 5_400_000],
  ['1 hour and 30 minutes ago', 'ago', 5_400_000],
  ['2 days ago', 'ago', 172_800_000],
  ['20 mins', 'ago', 1_200_000],
  ['last 7 days', 'ago', 604_800_000],
  ['in the past 3 hours', 'ago', 10_800_000],
  ['the last hour', 'ago', 3_600_000],
  ['2 weeks', 'ago', 1_209_600_000],
  ['the next 2 hours', 'ahead', 7_200_000],
] as const)('%s is a length of time', (typed, direction, span) => {
  expect(readMoment(typed, direction)).toMatchObject({ span });
});

test('a refused time suggests only times of its direction', () => {
  expect(() => readMoment('next tuesday', 'ago')).toThrow(/"yesterday 6pm", "2 hours ago"/);
  expect(() => readMoment('next tuesday', 'ahead')).toThrow(/"tomorrow 6pm", "Friday noon", "in 2 hours"/);
  expect(() => readMoment('in 2 hours', 'ago')).toThrow(/must be a time/);
  expect(() => readMoment('2 hours ago', 'ahead')).toThrow(/must be a time/);
});
