import { expect, test } from 'vitest';
import {
  type Erasure,
  eraseDriverRecords,
  erasePerson,
  hasErasedEnd,
  isErasedDelivery,
} from '../../src/domain/erasure.ts';

const erasure = (changes: Partial<Erasure>): Erasure => ({
  ...{ ends: [], drivers: false, ids: new Set(['ord_1']), texts: [], ...changes },
});
const recipient = erasure({ ends: ['dropoff'], texts: ['Ross', 'Mia'] });
const sender = erasure({ ends: ['pickup'] });
const driver = erasure({ drivers: true });

test.each<[what: string, person: Erasure, record: object, expected?: object]>([
  ['the person at an end', recipient, { dropoff_name: 'Ross' }, { dropoff_name: 'erased' }],
  ['not the other end', recipient, { pickup_name: 'Bo' }],
  ['an unknown field of the end', recipient, { dropoff_eta: 'soon' }],
  [
    ...(['an end', recipient] as const),
    {
      dropoff: {
        name: 'Al',
        address: '1 A St',
        phone: '1',
        email: 'a',
        unit: '2',
        notes: 'n',
        coordinates: 1,
      },
    },
    { dropoff: { name: 'erased', address: 'erased', phone: '', email: '', unit: '', notes: '' } },
  ],
  [
    ...(['the point of an end', recipient] as const),
    { dropoff: { point: { lat: 41.88, precision: 'exact' }, size: 'big' } },
    { dropoff: { point: { lat: 41.9, precision: 'exact' }, size: 'big' } },
  ],
  ['not what is no point', recipient, { dropoff: { point: 7 } }],
  ['not a name that is unknown', driver, { courier_name: null }],
  ['both', erasure({ ends: ['dropoff'], drivers: true }), { note: 'x' }, { note: 'erased' }],
  ['an end without a point', recipient, { dropoff: { point: null } }],
  ['a text for an end, or none', recipient, { dropoff: null, a: { dropoff: 'x' } }],
  ['IDs and statuses', recipient, { id: 'Ross', order_ref: 'Ross', status: 'Ross' }],
  [
    'words of the person in other texts',
    recipient,
    { info: ['by Ross, Mia', 'Cross', 7, null] },
    { info: ['by erased, Mia', 'Cross', 7, null] },
  ],
  [
    'what was written',
    recipient,
    { note: 'x', text: '', tags: ['x'] },
    { note: 'erased', text: '', tags: [] },
  ],
  ['what is no text', recipient, { note: null, dispute_reason: null, lat: 'x' }],
  [
    'positions',
    recipient,
    { lat: 41.88, precision: 'exact', miles: 1.25 },
    { lat: 41.9, precision: 'zip', miles: 1.25 },
  ],
  [
    'the handover',
    recipient,
    { pin: '1', proof: ['x'], dispute_reason: 'x' },
    { pin: null, proof: [], dispute_reason: 'erased' },
  ],
  [
    'not the handover for the sender',
    sender,
    { pin: '1', dispute_reason: 'x', reason: 'x' },
    { pin: '1', dispute_reason: 'x', reason: 'erased' },
  ],
  ['not the driver for the recipient', recipient, { courier_name: 'Al', driver: { name: 'Al' } }],
  [
    ...(['the driver alone', driver] as const),
    {
      courier_name: 'Al',
      courier_img: null,
      courier_phone_number: '1',
      way: [1],
      pin: '1',
      note: 'x',
      lat: 41.88,
    },
    {
      courier_name: 'erased',
      courier_img: null,
      courier_phone_number: null,
      way: [],
      pin: '1',
      note: 'x',
      lat: 41.88,
    },
  ],
  [
    ...(['a driver', driver] as const),
    {
      driver: {
        name: 'Al',
        image: 'x',
        phone: '1',
        rating: 5,
        vehicle: { license_plate: 'x', color: 'red' },
      },
    },
    {
      driver: {
        name: 'erased',
        image: null,
        phone: null,
        rating: 5,
        vehicle: { license_plate: '', color: 'red' },
      },
    },
  ],
  ['a driver without a name', driver, { driver: { name: null, vehicle: null } }],
  ['no driver', driver, { driver: null, a: { driver: 'x' } }],
])('of a record are erased: %s', (_what, person, record, expected = structuredClone(record)) => {
  expect(erasePerson(record, person, true)).toEqual(expected);
});

test.each([
  [{ id: 'ord_1' }, true],
  [{ order_id: 'ord_1' }, true],
  [{ delivery_id: 'ord_1' }, true],
  [{ delivery_id: 'ord_2', ref: 'ord_1' }, false],
  [{ order_ids: ['ord_1'], kind: 'dropoff' }, true],
  [{ order_ids: ['ord_1', 'ord_2'], kind: 'dropoff' }, false],
  [{ order_ids: ['ord_1'], kind: 'pickup' }, false],
])('within another record %j is erased: %s', (ids, expected) => {
  const [erased] = [erasePerson({ note: 'kept', list: [{ ...ids, note: 'x', lat: 1 }] }, recipient, false)];
  expect(erased).toEqual({ note: 'kept', list: [{ ...ids, note: expected ? 'erased' : 'x', lat: 1 }] });
});

test.each([
  [
    { object: 'driver', phone_number: '1', name: 'Al', link: 'x' },
    { name: 'erased', phone_number: '', link: '' },
  ],
  [
    { object: 'driver', phone_number: '1', name: 'Al' },
    { name: 'erased', phone_number: '' },
  ],
  [{ object: 'driver', phone_number: '2', name: 'Al' }, {}],
  [{ object: 'driver', name: 'Al' }, {}],
  [{ object: 'order', phone_number: '1', name: 'Al' }, {}],
])('of the driver records with the phone number 1, %j becomes %j', (record, changes) => {
  const given = { data: [record, null, 7] };
  expect(eraseDriverRecords(given, '1')).toEqual({ data: [{ ...record, ...changes }, null, 7] });
});

test('an order, and a delivery in an event, can lose the address of either end', () => {
  const [kept, erased] = [{ address: '1 A St' }, { address: 'erased' }];
  expect(hasErasedEnd({ pickup: kept, dropoff: kept })).toBe(false);
  expect(hasErasedEnd({ pickup: erased, dropoff: kept })).toBe(true);
  expect(hasErasedEnd({ pickup: kept, dropoff: erased })).toBe(true);
  expect(isErasedDelivery({ pickup_address: 'x', dropoffs: [{ dropoff_address: 'x' }] })).toBe(false);
  expect(isErasedDelivery({ pickup_address: 'erased', dropoffs: [{ dropoff_address: 'x' }] })).toBe(true);
  expect(isErasedDelivery({ dropoffs: [{ dropoff_address: 'erased' }] })).toBe(true);
  expect(isErasedDelivery({})).toBe(false);
});
