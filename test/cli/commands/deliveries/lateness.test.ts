import { expect, test } from 'vitest';
import { dueText, isLate, lateBy } from '../../../../src/cli/commands/deliveries/lateness.ts';
import { delivery, type Entered, instant } from './records.ts';

const minute = 60_000;

test.each([
  [[['driver_assigned', 2]], 20, -10 * minute, 'in 10 min', false],
  [[['driver_assigned', 2]], 37, 7 * minute, '7 min late', true],
  [[['delivered', 28]], 90, -2 * minute, /^\d\d:\d\d$/, false],
  [[['driver_assigned', 2]], 34, 4 * minute, 'any minute', false],
  [[['delivered', 39]], 90, 9 * minute, /^\d\d:\d\d, 9 min late$/, true],
  [[['delivered', 34.5]], 90, 4.5 * minute, /^\d\d:\d\d$/, false],
] satisfies [Entered[], number, number, string | RegExp, boolean][])(
  '%j at minute %d',
  (entered, now, late_ms, due, late) => {
    const made = delivery(entered);
    expect(lateBy(made, instant(now))).toBe(late_ms);
    expect(isLate(made, instant(now))).toBe(late);
    expect(dueText(made, { now: instant(now), times: null })).toMatch(due);
  },
);

test('on its way back it has no expected time, but it can be late', () => {
  const made = delivery([['enroute_to_return', 9]]);
  expect([lateBy(made, instant(20)), dueText(made, { now: instant(20), times: null })]).toEqual([null, '']);
  expect([isLate(made, instant(37)), dueText(made, { now: instant(37), times: null })]).toEqual([
    true,
    '7 min late',
  ]);
});

test('a delivery that was not initiated is never late', () => {
  const made = delivery([]);
  for (const minutes of [20, 37]) {
    expect([lateBy(made, instant(minutes)), isLate(made, instant(minutes))]).toEqual([null, false]);
    expect(dueText(made, { now: instant(minutes), times: null })).toBe('');
  }
});

test('a delivery that ended without arriving is not late', () => {
  const others: Entered[][] = [[['failed', 1]], [['customer_canceled', 1]], [['returned', 9]]];
  for (const entered of others) {
    const made = delivery(entered);
    expect([
      lateBy(made, instant(90)),
      isLate(made, instant(90)),
      dueText(made, { now: instant(90), times: null }),
    ]).toEqual([null, false, '']);
  }
});

test('a dispute does not change its arrival', () => {
  const disputed = delivery([
    ['delivered', 34],
    ['disputed', 50],
  ]);
  expect(lateBy(disputed, instant(90))).toBe(4 * minute);
});
