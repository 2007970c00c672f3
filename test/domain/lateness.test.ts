import { expect, test } from 'vitest';
import {
  canBeLate,
  isLate,
  isTooLate,
  late_tolerance_ms,
  measureLateness,
  overdueBy,
  promiseIn,
  promiseOf,
} from '../../src/domain/lateness.ts';
import { delivery } from '../cli/commands/deliveries/records.ts';
import { overdueCases } from './overdue-cases.ts';

const now = Date.parse('2026-03-02T12:00:00.000Z');
const minutes = (count: number) => now + count * 60_000;

test.each([
  ['ahead', minutes(30), 0, minutes(30)],
  ['before the ETA', minutes(1), 0, minutes(25)],
  ['before the ETA, with an older quote', minutes(1), late_tolerance_ms + 1, minutes(25)],
  // An order agreed for 12:00 that is dispatched at 12:00 would be late from its first moment.
  ['now', now, 0, minutes(25)],
  ['now, with an older quote', now, late_tolerance_ms + 1, minutes(25) + late_tolerance_ms + 1],
  ['past', minutes(-30), 0, minutes(25)],
  ['past, with a quote as old as the tolerance', minutes(-30), late_tolerance_ms, minutes(25)],
  ['past, with an older quote', minutes(-30), late_tolerance_ms + 1, minutes(25) + late_tolerance_ms + 1],
  ['none', null, 0, minutes(25)],
])('an agreed time that is %s', (_when, dropoff_at, passed_ms, promise) => {
  expect(promiseOf({ dropoff_at, quoted_eta: minutes(25), passed_ms, now })).toBe(promise);
});

test.each([
  [null, false],
  [0, false],
  [late_tolerance_ms, false],
  [late_tolerance_ms + 1, true],
])('%s ms after the promise', (late_ms, expected) => {
  expect(isLate(late_ms)).toBe(expected);
});

/** A delivery with the ETA and the arrival in milliseconds after its promise. */
test.each([
  ['is expected in time', 0, null, 0],
  ['is expected before', -90_000, null, -90_000],
  // A quote is some seconds old when it is accepted.
  ['is expected two seconds later', 2_000, null, 0],
  ['is expected a minute later', 60_000, null, 60_000],
  ['arrived two seconds later', 0, 2_000, 2_000],
])('the lateness of what %s', (_what, expected, arrived, late_ms) => {
  const after = (ms: number) => new Date(minutes(25) + ms).toISOString();
  const { dropoffs, ...started } = delivery([['enroute_dropoff', 1]]);
  const arrival = { status: 'delivered' as const, created_at: after(arrived ?? 0) };
  const late = {
    ...{ ...started, dropoffs: dropoffs.map((each) => ({ ...each, dropoff_eta: after(expected) })) },
    ...(arrived !== null && { status: arrival.status, status_history: [arrival] }),
  };
  expect(measureLateness(late, { promised_at: after(0) }, now)).toBe(late_ms);
});

test.each([
  ['request', false],
  ['scheduled', true],
  ['enroute_pickup', true],
  ['enroute_dropoff', true],
  ['arrived_at_dropoff', true],
  ['enroute_to_return', false],
  ['delivered', false],
  ['returned', false],
] as const)('a delivery that is %s can be late: %s', (status, expected) => {
  expect(canBeLate(status)).toBe(expected);
});

test.each([
  ['the promise', 'a', 'b', 'c', 'a'],
  ['the agreed time without a promise', undefined, 'b', 'c', 'b'],
  ['the agreed time of an empty promise', '', 'b', 'c', 'b'],
  ['the ETA without an agreed time', undefined, null, 'c', 'c'],
  ['nothing', undefined, null, '', null],
])('what was promised is %s', (_what, promised_at, dropoff_at, dropoff_eta, expected) => {
  const started = delivery([['enroute_dropoff', 1]]);
  const details = promised_at === undefined ? undefined : { promised_at };
  const dropoffs = started.dropoffs.map((each) => ({ ...each, dropoff_at, dropoff_eta }));
  expect(promiseIn({ ...started, details, dropoffs } as Parameters<typeof promiseIn>[0])).toBe(expected);
});

test.each<[pickup_at: number | null, dropoff_at: number | null, isLate: boolean]>([
  [null, null, false],
  [null, minutes(25), false],
  [null, minutes(25) - 1, true],
  [minutes(10), null, false],
  [minutes(10) - late_tolerance_ms, null, false],
  [minutes(10) - late_tolerance_ms - 1, null, true],
])('agreed for %s and %s, expected in 10 and 25 minutes', (pickup_at, dropoff_at, expected) => {
  const etas = { pickup_eta: minutes(10), dropoff_eta: minutes(25) };
  expect(isTooLate({ pickup_at, dropoff_at, ...etas })).toBe(expected);
});

const instant = (minute: number | null) => (minute === null ? '' : new Date(minutes(minute)).toISOString());

test.each(overdueCases)(
  'the report that is due of $status, last changed in $updated_at min, expected in $pickup_eta and $dropoff_eta min',
  ({ status, updated_at, pickup_eta, dropoff_eta, overdue }) => {
    const times = { updated_at: instant(updated_at), pickup_eta: instant(pickup_eta) };
    const found = overdueBy({ status, ...times, dropoffs: [{ dropoff_eta: instant(dropoff_eta) }] }, now);
    expect(found <= 0 ? null : found).toBe(overdue === null ? null : overdue * 60_000);
  },
);
