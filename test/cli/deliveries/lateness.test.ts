import { expect, test } from 'vitest';
import { dueText, isLate, lateBy } from '../../../src/cli/deliveries/lateness.ts';
import { delivery, type Entered, instant } from './records.ts';

const minute = 60_000;

test.each([
  [[['driver_assigned', 2]], 20, -10 * minute, 'in 10 min', false],
  [[['driver_assigned', 2]], 37, 7 * minute, '7 min late', true],
  [[['delivered', 28]], 90, -2 * minute, /^\d\d:\d\d$/, false],
  [[['delivered', 34]], 90, 4 * minute, /^\d\d:\d\d, 4 min late$/, true],
  [[['delivered', 30.5]], 90, 30_000, /^\d\d:\d\d$/, false],
] satisfies [Entered[], number, number, string | RegExp, boolean][])(
  '%j at minute %d',
  (entered, now, late_ms, due, late) => {
    const made = delivery(entered);
    expect(lateBy(made, instant(now))).toBe(late_ms);
    expect(isLate(made, instant(now))).toBe(late);
    expect(dueText(made, instant(now))).toMatch(due);
  },
);

test('while nobody comes there is no time to come at; but it gets late all the same', () => {
  for (const entered of [[], [['enroute_to_return', 9]]] satisfies Entered[][]) {
    const made = delivery(entered);
    expect([lateBy(made, instant(20)), dueText(made, instant(20))]).toEqual([null, '']);
    expect([isLate(made, instant(37)), dueText(made, instant(37))]).toEqual([true, '7 min late']);
  }
});

test('nobody waits for what ended elsewhere', () => {
  const others: Entered[][] = [[['failed', 1]], [['customer_canceled', 1]], [['returned', 9]]];
  for (const entered of others) {
    const made = delivery(entered);
    expect([lateBy(made, instant(90)), isLate(made, instant(90)), dueText(made, instant(90))]).toEqual([
      null,
      false,
      '',
    ]);
  }
});

test('a dispute changes nothing about when it came', () => {
  const disputed = delivery([
    ['delivered', 34],
    ['disputed', 50],
  ]);
  expect(lateBy(disputed, instant(90))).toBe(4 * minute);
});
