import { expect, test } from 'vitest';
import { greatCircleMiles } from '../../../src/domain/geography.ts';
import {
  acceptedRoute,
  feedOfOne,
  MINUTE,
  names,
  ordersFrom,
  provider,
  quoteRequest,
  tomorrow,
} from './requests.ts';

type Wish = NonNullable<Parameters<typeof feedOfOne>[1]>;

function assigned(name: string, wish: Wish = {}, changes: Parameters<typeof feedOfOne>[2] = {}) {
  const feed = feedOfOne(name, wish, changes);
  return feed.find(({ report }) => report.status === 'driver_assigned')?.report;
}

function proofs(name: string, wish: Wish = {}) {
  const reports = feedOfOne(name, wish).map(({ report }) => report);
  const withProof = reports.filter(({ proof, signature }) => proof !== undefined || signature !== undefined);
  return withProof.map(({ status, proof, signature }) => [
    status,
    proof?.map(({ type }) => type),
    signature?.name,
  ]);
}

const vehicle = { make: 'Norvane', model: 'Pico', color: 'red', license_plate: 'WB-5500' };
const car = { vehicle_type: 'car', vehicle: { type: 'car', ...vehicle } };
const van = { type: 'cargo_van', make: 'Aldera', model: 'Box 2', color: 'red', license_plate: 'WB-5500' };
const bike = { type: 'bicycle', make: 'Velora', model: 'City 7', color: 'red', license_plate: '' };
const person = {
  name: 'Grace Lindqvist',
  image: 'https://couriers.example/grace-lindqvist.jpg',
  phone: '13125550150',
};

test.each([
  ['swiftly', { ...person, ...car }],
  ['metrobike', { ...person, phone: null, vehicle_type: 'bicycle', vehicle: bike }],
  ['poolride', { ...person, image: null, ...car }],
  ['haulvan', { ...person, vehicle_type: 'cargo_van', vehicle: van }],
  ['nightowl', { ...person, image: null, phone: null, vehicle_type: null, vehicle: null }],
  ['flaky_co', { ...person, ...car }],
])('%s reports of its driver: %j', (name, driver) => {
  expect(assigned(name)?.driver).toEqual(driver);
  expect(assigned(name)?.way?.length).toBe(name === 'nightowl' ? 0 : 5);
});

test.each([0, 0.2, 0.7, 0.9999])(
  'the driver of the quote is the one who comes, with chance %d',
  async (fraction) => {
    const chance = () => fraction;
    const quote = await provider('swiftly').quote(quoteRequest(ordersFrom('60611', '60606'), { chance }));
    const driver = assigned('swiftly', {}, { chance })?.driver;
    expect(quote).toMatchObject({ courier_name: driver?.name, courier_image: driver?.image });
    expect(quote).toMatchObject({
      vehicle_id: driver?.vehicle?.license_plate.replace('WB-', 'swiftly-'),
    });
    expect(driver?.phone).toMatch(/^131255501\d\d$/);
    const feed = feedOfOne('swiftly', { scenario: 'driver_reassigned' }, { chance });
    const drivers = new Set(feed.flatMap(({ report }) => report.driver?.name ?? []));
    expect(drivers.size).toBe(2);
  },
);

test('a required vehicle is used', () => {
  const driver = assigned('haulvan', {}, { vehicles: ['box_truck'] })?.driver;
  expect(driver).toMatchObject({ vehicle_type: 'box_truck', vehicle: { type: 'box_truck' } });
});

test.each([0, 0.25, 0.6])('the path starts two miles from the pickup in any direction (%d)', (turn) => {
  const [start, ...rest] = assigned('swiftly', {}, { chance: () => turn })?.way ?? [];
  const [stop] = acceptedRoute(ordersFrom('60611', '60606')).stops;
  if (start === undefined || stop === undefined) throw new Error('no way');
  expect(greatCircleMiles(start, stop)).toBeCloseTo(2, 2);
  expect(rest[0]).toMatchObject({ lat: stop.lat, lng: stop.lng });
});

test('for a scheduled time the driver waits at the start', () => {
  const way = assigned('swiftly', {}, { pickup_at: tomorrow })?.way ?? [];
  const at = way.map((waypoint) => waypoint.at - tomorrow);
  expect(at.slice(0, 4)).toEqual([-15 * MINUTE, -400_000, 0, 4 * MINUTE]);
  expect({ ...way[1], at: 0 }).toEqual({ ...way[0], at: 0 });
});

test('scenarios leave out position and driver', () => {
  const whole = assigned('swiftly')?.way ?? [];
  expect(assigned('swiftly', { scenario: 'no_location' })?.way).toEqual([]);
  expect(assigned('swiftly', { scenario: 'stale_location' })?.way).toEqual(whole.slice(0, 1));
  const nobody = { name: null, image: null, phone: null, vehicle_type: null, vehicle: null };
  for (const name of names) {
    const feed = feedOfOne(name, { scenario: 'no_courier_details' });
    for (const { report } of feed) if (report.status !== null) expect(report.driver).toEqual(nobody);
    expect(assigned(name, { scenario: 'no_courier_details' })?.way).toEqual([]);
  }
});

test.each<[string, string[] | undefined, string[] | undefined]>([
  ['swiftly', ['photo', 'pin'], ['photo', 'signature']],
  ['metrobike', ['photo'], ['photo']],
  ['poolride', ['photo'], ['photo']],
  ['haulvan', ['photo'], ['photo', 'signature']],
  ['nightowl', undefined, undefined],
])('%s proves with %j; where a signature is asked for, with %j', (name, usual, signed) => {
  const rows = (types: string[] | undefined, signature?: string) =>
    types === undefined ? [] : [['delivered', types, signature]];
  expect(proofs(name)).toEqual(rows(usual));
  const signature = signed?.includes('signature') ? 'Recipient 0' : undefined;
  expect(proofs(name, { request_signature: true })).toEqual(rows(signed, signature));
  expect(proofs(name, { request_contactless: true })).toEqual(rows(usual?.slice(0, 1)));
});

test('proofs and signatures have distinct URLs', () => {
  const report = feedOfOne('swiftly', { request_signature: true }).at(-1)?.report;
  const folder = 'https://couriers.example/proofs/dsp_1/ord_0';
  expect(report?.proof?.map(({ url }) => url)).toEqual([`${folder}/photo.png`, `${folder}/signature.png`]);
  expect(report?.signature).toEqual({ name: 'Recipient 0', image_url: `${folder}/signature.png` });
});

test.each(names)('%s proves as the scenario says', (name) => {
  const late = feedOfOne(name, { scenario: 'proof_late' });
  const delivered = late.find(({ report }) => report.status === 'delivered');
  const proof = late.filter(({ report }) => report.proof !== undefined);
  expect(delivered?.report).not.toHaveProperty('proof');
  expect(new Set(proof.map(({ report }) => report.id))).toEqual(new Set(['dsp_1:1:proof:1']));
  expect(proof[0]?.report.status).toBeNull();
  expect(proof[0]?.due_at).toBe((delivered?.report.occurred_at ?? 0) + 10 * MINUTE);
  expect(proofs(name, { scenario: 'proof_missing', request_signature: true })).toEqual([]);
  const [left, ...others] = proofs(name, { scenario: 'left_at_door', request_signature: true });
  expect(left?.slice(1)).toEqual([['photo'], undefined]);
  expect(others).toHaveLength(name === 'flaky_co' ? 1 : 0);
});

test('undelivered orders have no proof', () => {
  for (const name of names) expect(proofs(name, { scenario: 'customer_refused' })).toEqual([]);
});
