import { expect, test } from 'vitest';
import {
  calledFault,
  datesOf,
  monthFirst,
  plainTime,
  splitDay,
  withLengthsInDigits,
} from '../../src/domain/typed-days.ts';

test.each([
  ['quarter to nine tonight', '8:45 tonight'],
  ['quarter to one this afternoon', '12:45 this afternoon'],
  ['half past eight this evening', '8:30 this evening'],
  ['quarter past 9 in the morning', '9:15 in the morning'],
  ['Friday,  eleven am', 'Friday 11 am'],
  ['Friday 9 in the evening', 'Friday 9 in the evening'],
  ['Friday at six', 'Friday at six'],
])('%s is in digits %s', (typed, plain) => {
  expect(plainTime(typed)).toBe(plain);
});

test('a length is in digits', () => {
  expect(withLengthsInDigits('twelve hours and one minute, seven')).toBe('12 hours and 1 minute, seven');
});

test.each([
  ['tomorrow 6pm', { day: 1, time: '6pm' }],
  ['6pm on Friday', { day: { weekday: 5 }, time: '6pm' }],
  ['last Sat', { day: { weekday: 6, isLast: true }, time: '' }],
  ['tonight at 8', { day: 0, time: '8pm' }],
  ['tonight at 8pm', { day: 0, time: '8pm' }],
  ['tonight at 4', { day: 0, time: '4' }],
  ['today at 8', { day: 0, time: '8' }],
  ['12/5/26 noon', { day: { month: 11, date: 5, year: 2026 }, time: 'noon' }],
  ['31.12.2026', { day: { month: 11, date: 31, year: 2026, isDayFirst: true }, time: '' }],
  ['5.5.2026', { day: { month: 4, date: 5, year: 2026 }, time: '' }],
  ['Sat the 5th of dec', { day: { month: 11, date: 5, called: 6 }, time: '' }],
  ['2/29', { day: { month: 1, date: 29 }, time: '' }],
  ['2/30', null],
  ['12/0', null],
  ['6pm', null],
])('%s is split into %j', (text, split) => {
  expect(splitDay(text)).toEqual(split);
});

const friday = { year: 2026, month: 11, day: 4 };
test.each([
  [1, ['2026-11-5']],
  [{ weekday: 5 }, ['2026-11--3', '2026-11-4', '2026-11-11']],
  [{ weekday: 4 }, ['2026-11-3', '2026-11-10', '2026-11-17']],
  [{ weekday: 4, isLast: true as const }, ['2026-11-3']],
  [{ month: 1, date: 29 }, ['2020-1-29', '2024-1-29', '2028-1-29', '2032-1-29']],
  [{ month: 1, date: 3, year: 2027 }, ['2027-1-3']],
])('of %j the dates are %j', (day, dates) => {
  expect(datesOf(day, friday).map(({ year, month, day }) => `${year}-${month}-${day}`)).toEqual(dates);
});

test.each([
  [1, null],
  [{ weekday: 6 }, null],
  [{ month: 11, date: 4 }, null],
  [{ month: 11, date: 4, called: 5 }, null],
  [{ month: 11, date: 4, called: 6 }, 'must not be called a Saturday: that day is a Friday'],
])('%j on a Friday: %s', (day, fault) => {
  expect(calledFault(day, friday)).toBe(fault);
});

test.each([
  ['13/12/2026', '12/13/2026'],
  ['31.1.2026 6pm', '1/31/2026'],
  ['12/12/2026', null],
  ['32/12/2026', null],
  ['13/0/2026', null],
  ['13/13/2026', null],
  ['noon', null],
])('%s with its month first is %s', (typed, text) => {
  expect(monthFirst(typed)).toBe(text);
});
