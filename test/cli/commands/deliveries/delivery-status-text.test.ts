import { expect, test } from 'vitest';
import { summarizeDelivery } from '../../../../src/cli/assistants/lookup-tools.ts';
import { maskedPhone } from '../../../../src/cli/kit/output/safe-text.ts';
import { endingText, isUnproved } from '../../../../src/cli/nouns/delivery.ts';
import { changesBetween, courierText, statusText } from '../../../../src/cli/nouns/delivery-status-text.ts';
import { deliveryLateBy, dueText, lateText } from '../../../../src/cli/nouns/delivery-times.ts';
import type { AnyDelivery, Delivery } from '../../../../src/contract/deliveries.ts';
import { deliveryStatuses } from '../../../../src/contract/vocabulary.ts';
import { isLate } from '../../../../src/domain/lateness.ts';
import { plainShow } from '../../kit/output/plain.ts';
import { at, delivery, type Entered, instant } from './records.ts';

const served = { settings: { target: { kind: 'http', baseUrl: 'http://127.0.0.1:4010' } } } as const;

const clock = (iso: string) => iso.slice(11, 16);
const looking = delivery([['delivery_created', 0]]);
const driver = { courier_name: 'Ana', courier_vehicle_type: 'car', courier_phone_number: '13125550199' };
const assigned = delivery(
  [
    ['delivery_created', 0],
    ['driver_assigned', 2],
  ],
  driver,
);

function news(before: Delivery | null, after: Delivery): string[] {
  return changesBetween(before, after, {
    at: (iso, word = 'at') => `${word} ${clock(iso)}`,
    clock,
    phone: maskedPhone,
  }).map(({ at: iso, status, what }) => `${clock(iso)} ${status}: ${what}`);
}

test('the first poll lists all entered statuses and details of the current one', () => {
  expect(news(null, assigned)).toEqual([
    '12:00 delivery_created: swiftly has it',
    '12:02 driver_assigned: Ana, car, +1 312 *** **99',
  ]);
  expect(news(null, looking)).toEqual(['12:00 delivery_created: swiftly looks for a driver']);
  expect(news(null, delivery([]))).toEqual(['12:00 request: stored; not sent to a courier yet']);
});

test('later polls list each new status, even several at once', () => {
  const after = delivery([
    ['delivery_created', 0],
    ['driver_assigned', 2],
    ['enroute_pickup', 3],
  ]);
  expect(news(looking, after)).toEqual([
    '12:02 driver_assigned: a driver is found',
    '12:03 enroute_pickup: going to Grill, there about 12:10',
  ]);
});

test('the initiation of a stored delivery is a change', () => {
  const kept = delivery([]);
  expect(news(kept, delivery([['delivery_created', 5]]))).toEqual([
    '12:05 delivery_created: swiftly looks for a driver',
  ]);
});

test('with an unchanged status: courier, ETA, proof, money and edits', () => {
  const [dropoff] = assigned.dropoffs;
  if (dropoff === undefined) throw new Error('there is a dropoff');
  const after: Delivery = {
    ...assigned,
    courier_name: 'Ben',
    updated_at: at(9),
    dropoffs: [{ ...dropoff, dropoff_eta: at(45), dropoff_notes: 'Ring twice' }],
    proof_of_delivery: [{ type: 'photo', url: 'http://p/1', created_at: at(9) }],
    refunded_amount: 853,
    pickup_phone_number: '13125550177',
  };
  expect(news(assigned, after)).toEqual([
    '12:09 driver_assigned: Ben, car, +1 312 *** **99; expected at 12:45; proof: photo http://p/1; $8.53 given back; pickup phone number changed; dropoff notes changed',
  ]);
  expect(news(assigned, assigned)).toEqual([]);
});

test.each([
  ['delivered', true],
  ['disputed', true],
  ['failed', false],
] as const)('without a proof, %s: %j', (status, expected) => {
  expect(isUnproved({ ...assigned, status, proof_of_delivery: [], signature: null })).toBe(expected);
});

const windowPattern = /\d\d:[0-5][05] to \d\d:[0-5][05]/;

const wording = {
  at: (iso: string, word = 'at') => `${word} ${iso.slice(11, 16)}`,
  clock: (iso: string) => iso.slice(11, 16),
  phone: maskedPhone,
};

test('every status has a text, also for records with few fields', () => {
  for (const status of deliveryStatuses) {
    const made = delivery([[status, 0]]);
    expect(statusText(status, made, wording)).not.toMatch(/undefined|null|NaN/);
    expect(statusText(status, made, null)).not.toMatch(/undefined|null|NaN/);
  }
});

test('the message of a failure is shown, else its code', () => {
  const failed = (failure_message: string) =>
    delivery([['failed', 1]], { failure_reason: 'courier_failed', failure_message });
  expect(endingText(failed('the van broke down.'))).toBe('failed: the van broke down.');
  expect(statusText('failed', failed('the van broke down'), wording)).toBe('the van broke down');
  expect(endingText(failed(''))).toBe('failed: courier_failed.');
  const canceled = delivery([['provider_canceled', 1]], { cancellation_reason: 'No driver' });
  expect(endingText(canceled)).toBe('was canceled by swiftly: No driver.');
  expect(endingText(delivery([['customer_canceled', 1]]))).toBe('was canceled.');
  expect(endingText(delivery([['returned', 1]]))).toBe('went back to Grill.');
});

test('a scheduled delivery has its agreed or expected pickup time', () => {
  expect(statusText('scheduled', delivery([['scheduled', 0]]), wording)).toBe(
    'swiftly comes for it at 12:10',
  );
  const agreed = delivery([['scheduled', 0]], { pickup_at: at(120) });
  expect(statusText('scheduled', agreed, wording)).toBe('swiftly comes for it at 14:00');
});

test('the text has what the provider reports of a driver', () => {
  expect(courierText(delivery([], { courier_name: 'Ana', courier_vehicle_type: 'car' }), maskedPhone)).toBe(
    'Ana, car',
  );
  expect(courierText(delivery([]), maskedPhone)).toBe('a driver is found');
});

const minute = 60_000;

test.each([
  [[['driver_assigned', 2]], 20, 0, /^in 10 min$/],
  [[['driver_assigned', 2]], 37, 7 * minute, /^7 min late$/],
  [[['delivered', 28]], 90, -2 * minute, /^came \d\d:\d\d$/],
  [[['driver_assigned', 2]], 34, 4 * minute, /^any minute$/],
  [[['delivered', 39]], 90, 9 * minute, /^came \d\d:\d\d, 9 min late$/],
  [[['delivered', 34.5]], 90, 4.5 * minute, /^came \d\d:\d\d$/],
  [
    [
      ['delivered', 34],
      ['disputed', 50],
    ],
    90,
    4 * minute,
    /^came \d\d:\d\d$/,
  ],
  // One that was not initiated, comes back, or ended without arriving is never late.
  [[], 20, null, /^$/],
  [[], 37, null, /^$/],
  [[['enroute_to_return', 9]], 20, null, /^$/],
  [[['enroute_to_return', 9]], 37, null, /^$/],
  [[['failed', 1]], 90, null, /^$/],
  [[['customer_canceled', 1]], 90, null, /^$/],
  [[['returned', 9]], 90, null, /^$/],
] satisfies [Entered[], number, number | null, RegExp][])('%j at minute %d', (entered, now, late_ms, due) => {
  const made = delivery(entered);
  expect(deliveryLateBy(made, instant(now))).toBe(late_ms);
  expect(isLate(deliveryLateBy(made, instant(now)))).toBe((late_ms ?? 0) > 5 * minute);
  expect(dueText(made, { now: instant(now), times: null })).toMatch(due);
});

test('a delivery is held to its promise, whatever its courier expects now', () => {
  const details: NonNullable<AnyDelivery['details']> = {
    ...{ promised_at: at(30), late_seconds: 0, is_late: false, eta_precision: null },
    ...{ dropoff_email: '', dispute: null, next_attempt_at: null, closes_order: false, pin_locked: false },
    ...{ pickup_latitude: 41.9, pickup_longitude: -87.6, pickup_precision: 'zip' },
    ...{ dropoff_latitude: 41.9, dropoff_longitude: -87.6, dropoff_precision: 'zip' },
    ...{ pin_unverified: false, no_photo_reason: '', max_cost: null, last_report_at: null },
    ...{ tried_again: null, matched: '', notes: [] },
    charges: {
      delivery: 0,
      tip: 0,
      return: 0,
      refund: 0,
      cancellation: 0,
      adjustment: 0,
      later_cost: 0,
      total_cost: 0,
    },
  };
  const made: AnyDelivery = { ...delivery([['driver_assigned', 2]]), details };
  const moved = { ...made, dropoffs: made.dropoffs.map((each) => ({ ...each, dropoff_eta: at(49) })) };
  const due = (minutes: number) => dueText(moved, { now: instant(minutes), times: null });
  expect(deliveryLateBy(moved, instant(10))).toBe(19 * minute);
  expect(due(10)).toMatch(/^\d\d:30, now \d\d:49, in 39 min$/);
  expect(due(50)).toBe('20 min late');
  const arrived = { ...moved, ...delivery([['delivered', 49]]), dropoffs: moved.dropoffs };
  expect(dueText(arrived, { now: instant(90), times: null })).toMatch(/^came \d\d:49, 19 min late$/);
});

const rough = { ...delivery([['enroute_dropoff', 2]]), service: 'fleet' };

test.each([
  ['a list', (made: AnyDelivery) => dueText(made, { now: instant(10), times: null }), /^in about 20 min$/],
  [
    'a list with times',
    (made: AnyDelivery) => dueText(made, { now: instant(10), times: 'local' }),
    windowPattern,
  ],
  ['explain', (made: AnyDelivery) => lateText(made, 0, { ...plainShow, now: instant(10) }), windowPattern],
  ['watch', (made: AnyDelivery) => statusText('enroute_dropoff', made, wording), windowPattern],
  [
    'an assistant',
    (made: AnyDelivery) => JSON.stringify(summarizeDelivery(served, made).dropoff_window),
    /"from".*"to"/,
  ],
])(
  'without the house of a recipient %s says no minute, also of a record without details',
  (_, textOf, expected) => {
    expect(textOf(rough)).toMatch(expected);
    expect(textOf({ ...rough, service: 'swiftly' })).not.toMatch(expected);
  },
);
