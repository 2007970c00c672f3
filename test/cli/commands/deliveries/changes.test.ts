import { expect, test } from 'vitest';
import { maskedPhone } from '../../../../src/cli/kit/output/contacts.ts';
import { changesBetween } from '../../../../src/cli/nouns/delivery-words.ts';
import type { Delivery } from '../../../../src/contract/deliveries.ts';
import { at, delivery } from './records.ts';

const clock = (iso: string) => iso.slice(11, 16);
const created = delivery([['delivery_created', 0]]);
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
    phone: maskedPhone,
  }).map(({ at: iso, status, what }) => `${clock(iso)} ${status}: ${what}`);
}

test('the first poll lists all entered statuses and details of the current one', () => {
  expect(news(null, assigned)).toEqual([
    '12:00 delivery_created: swiftly has it',
    '12:02 driver_assigned: Ana, car, +1 312 *** **99',
  ]);
  expect(news(null, created)).toEqual(['12:00 delivery_created: swiftly looks for a driver']);
  expect(news(null, delivery([]))).toEqual(['12:00 request: stored; not sent to a courier yet']);
});

test('later polls list each new status, even several at once', () => {
  const after = delivery([
    ['delivery_created', 0],
    ['driver_assigned', 2],
    ['enroute_pickup', 3],
  ]);
  expect(news(created, after)).toEqual([
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
