import { expect, test } from 'vitest';
import { deliveryLateBy, dueText } from '../../../../src/cli/nouns/delivery.ts';
import type { AnyDelivery } from '../../../../src/contract/delivery-details.ts';
import { isLate } from '../../../../src/domain/lateness.ts';
import { at, delivery, type Entered, instant } from './records.ts';

const minute = 60_000;

test.each([
  [[['driver_assigned', 2]], 20, 0, 'in 10 min', false],
  [[['driver_assigned', 2]], 37, 7 * minute, '7 min late', true],
  [[['delivered', 28]], 90, -2 * minute, /^\d\d:\d\d$/, false],
  [[['driver_assigned', 2]], 34, 4 * minute, 'any minute', false],
  [[['delivered', 39]], 90, 9 * minute, /^\d\d:\d\d, 9 min late$/, true],
  [[['delivered', 34.5]], 90, 4.5 * minute, /^\d\d:\d\d$/, false],
] satisfies [Entered[], number, number, string | RegExp, boolean][])(
  '%j at minute %d',
  (entered, now, late_ms, due, late) => {
    const made = delivery(entered);
    expect(deliveryLateBy(made, instant(now))).toBe(late_ms);
    expect(isLate(deliveryLateBy(made, instant(now)))).toBe(late);
    expect(dueText(made, { now: instant(now), times: null })).toMatch(due);
  },
);

test('a delivery is held to its promise, whatever its courier expects now', () => {
  const details = {
    ...{ promised_at: at(30), late_seconds: 0, is_late: false },
    ...{ dropoff_email: '', dispute: null, next_attempt_at: null, pin_locked: false },
    ...{ pin_unverified: false, no_photo_reason: '', notes: [], matched: '' },
  };
  const made: AnyDelivery = { ...delivery([['driver_assigned', 2]]), details };
  const moved = { ...made, dropoffs: made.dropoffs.map((each) => ({ ...each, dropoff_eta: at(49) })) };
  const due = (minutes: number) => dueText(moved, { now: instant(minutes), times: null });
  expect(deliveryLateBy(moved, instant(10))).toBe(19 * minute);
  expect(due(10)).toMatch(/^promised \d\d:30, now \d\d:49$/);
  expect(due(50)).toBe('20 min late');
  const arrived = { ...moved, ...delivery([['delivered', 49]]), dropoffs: moved.dropoffs };
  expect(dueText(arrived, { now: instant(90), times: null })).toMatch(/^\d\d:49, 19 min late$/);
});

test('on its way back it has no expected time, but it can be late', () => {
  const made = delivery([['enroute_to_return', 9]]);
  expect(dueText(made, { now: instant(20), times: null })).toBe('');
  expect([
    isLate(deliveryLateBy(made, instant(37))),
    dueText(made, { now: instant(37), times: null }),
  ]).toEqual([true, '7 min late']);
});

test('a delivery that was not initiated is never late', () => {
  const made = delivery([]);
  for (const minutes of [20, 37]) {
    expect([deliveryLateBy(made, instant(minutes)), isLate(deliveryLateBy(made, instant(minutes)))]).toEqual([
      null,
      false,
    ]);
    expect(dueText(made, { now: instant(minutes), times: null })).toBe('');
  }
});

test('a delivery that ended without arriving is not late', () => {
  const others: Entered[][] = [[['failed', 1]], [['customer_canceled', 1]], [['returned', 9]]];
  for (const entered of others) {
    const made = delivery(entered);
    expect([
      deliveryLateBy(made, instant(90)),
      isLate(deliveryLateBy(made, instant(90))),
      dueText(made, { now: instant(90), times: null }),
    ]).toEqual([null, false, '']);
  }
});

test('a dispute does not change its arrival', () => {
  const disputed = delivery([
    ['delivered', 34],
    ['disputed', 50],
  ]);
  expect(deliveryLateBy(disputed, instant(90))).toBe(4 * minute);
});
