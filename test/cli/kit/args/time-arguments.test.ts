import { expect, test } from 'vitest';
import { BadValue } from '../../../../src/cli/kit/args/flags.ts';
import { readMoment } from '../../../../src/cli/kit/args/time-arguments.ts';

test.each([
  ['2026-03-02T18:00Z', '2026-03-02T18:00:00.000Z'],
  ['2026-03-02T18:00:30.5-06:00', '2026-03-03T00:00:30.500Z'],
  ['2026-03-02 18:00+0100', '2026-03-02T17:00:00.000Z'],
])('%s is an instant', (text, iso) => {
  expect(readMoment(text)).toEqual({ at: Date.parse(iso), typed: text });
});

test('without an offset it is local time, and a day alone is its midnight', () => {
  expect(readMoment('2026-03-02T18:00').at).toBe(new Date(2026, 2, 2, 18).getTime());
  expect(readMoment('2026-03-02').at).toBe(new Date(2026, 2, 2).getTime());
});

test('anything that a duration takes is a length of time', () => {
  expect(readMoment('1h30m')).toEqual({ span: 5_400_000, typed: '1h30m' });
});

test.each(['', 'noon', 'today ', 'today18:00', '24:00', '8:60', '2026-13-45', '2026-03', '12', '-2h'])(
  '"%s" is neither',
  (text) => {
    expect(() => readMoment(text)).toThrow(BadValue);
  },
);

test.each([
  ['today', 0, 0],
  ['Yesterday', -1, 0],
  ['08:00', 0, 480],
  ['8:05', 0, 485],
  ['yesterday 18:30', -1, 1110],
  ['tomorrow 09:00', 1, 540],
])('%s is of a day near today', (typed, day, minutes) => {
  expect(readMoment(typed)).toEqual({ day, minutes, typed });
});
