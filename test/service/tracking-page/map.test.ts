import { expect, test } from 'vitest';
import type { DeliveryRecord } from '../../../src/service/deliveries/delivery-view.ts';
import { mapSection, planeOf, size } from '../../../src/service/tracking-page/map.ts';
import { trackingDataOf } from '../../../src/service/tracking-page/tracked-delivery.ts';
import { minute, rowIn, seenAt, soonAfter, started_at } from './rows.ts';

const map = (...given: Parameters<typeof rowIn>) => {
  const row = rowIn(...given);
  return mapSection(trackingDataOf(row, seenAt(soonAfter(row)))).markup;
};

const chicago = { lat: 41.8925, lng: -87.6262 };
const places = [
  { lat: 41.8789, lng: -87.6359 },
  { lat: 41.95, lng: -87.6262 },
  { lat: 41.8925, lng: -87.2 },
  { lat: 41.8925, lng: -88.2 },
  { lat: 41.7, lng: -87.6262 },
  { lat: 41.9, lng: -87.62 },
];

test.each(places.flatMap((dropoff) => places.map((other) => [dropoff, other])))(
  'everything is on the drawing: %o, %o',
  (dropoff, other) => {
    const plane = planeOf([chicago, dropoff], [[other, dropoff]]);
    const spots = [...plane.line([chicago, dropoff]), ...plane.line([other, dropoff])];
    for (const { x, y } of spots) {
      expect(x).toBeGreaterThanOrEqual(45);
      expect(x).toBeLessThanOrEqual(size.width - 45);
      expect(y).toBeGreaterThanOrEqual(45);
      expect(y).toBeLessThanOrEqual(size.height - 45);
    }
  },
);

test('north is up, east is right', () => {
  const plane = planeOf([chicago, { lat: 41.95, lng: -87.5 }], []);
  const [from, to] = [plane.spot(chicago), plane.spot({ lat: 41.95, lng: -87.5 })];
  expect(to.x).toBeGreaterThan(from.x);
  expect(to.y).toBeLessThan(from.y);
});

test('half of the time is half of the curve', () => {
  const [from, to] = [chicago, { lat: 41.8925, lng: -87.5 }];
  const plane = planeOf([from, to], []);
  const middle = plane.spot({ lat: 41.8925, lng: (from.lng + to.lng) / 2 });
  expect(plane.line([from, to])[8]).toEqual(middle);
  expect(middle.x).toBeCloseTo(size.width / 2);
  expect(middle.y).toBeLessThan(plane.spot(from).y - 10);
});

test('the courier is at its path’s position of that instant', () => {
  const row = rowIn('enroute_dropoff');
  const at = (minutes: number) => {
    const { markup } = mapSection(trackingDataOf(row, seenAt(started_at + minutes * minute)));
    const [, x, y] = /class="courier" transform="translate\(([\d.]+) ([\d.]+)\)"/.exec(markup) ?? [];
    return [Number(x), Number(y)];
  };
  const home = /translate\(([\d.]+) ([\d.]+)\)"><circle class="pin home"/.exec(map('enroute_dropoff'));
  expect(at(26)).toEqual([Number(home?.[1]), Number(home?.[2])]);
  expect(at(20)).not.toEqual(at(21));
});

test.each([
  ['delivery_created', false],
  ['driver_assigned', true],
  ['enroute_dropoff', true],
  ['arrived_at_dropoff', true],
  ['driver_not_assigned', false],
  ['delivered', false],
  ['enroute_to_return', false],
  ['returned', false],
  ['provider_canceled', false],
  ['failed', false],
] as const)('in %s the courier is drawn: %s', (status, isDrawn) => {
  // A path that continues: an ended delivery must not be followed.
  expect(map(status).includes('class="courier"')).toBe(isDrawn);
});

test('only both ends and the courier are drawn, not the points of the path', () => {
  const { way }: DeliveryRecord = JSON.parse(rowIn('enroute_dropoff').record);
  const stranger = { lat: 41.99, lng: -87.9, at: started_at + 25 * minute };
  const passing = [...way.slice(0, 3), stranger, ...way.slice(3)];
  const direct = map('enroute_pickup');
  expect(map('enroute_pickup', { record: { way: passing } })).toBe(direct);
});

test('ends in one ZIP code are drawn side by side without a distance', () => {
  const { pickup, dropoff }: DeliveryRecord = JSON.parse(rowIn('enroute_dropoff').record);
  const near = { record: { dropoff: { ...dropoff, point: pickup.point } } };
  expect(map('enroute_dropoff', near)).toContain('Pizza &amp; Friends is in your area.');
  expect(map('enroute_dropoff', near)).toContain('class="courier" transform="translate(180 105)"');
  expect(map('arrived_at_dropoff', near)).toContain('class="courier" transform="translate(265 105)"');
  expect(map('enroute_pickup', near)).not.toContain('class="courier"');
  expect(map('enroute_pickup', near)).not.toContain('NaN');
});

test('the drawing has a title and a text alternative', () => {
  const shown = map('enroute_dropoff');
  expect(shown).toContain('role="img" aria-labelledby="map-title map-text"');
  expect(shown).toContain('<title id="map-title">Map of the route from Pizza &amp; Friends to you</title>');
  expect(shown).toContain('Pizza &amp; Friends is 1.1 miles from you. The courier is 0.5 miles from you.');
  expect(map('enroute_dropoff', { record: { way: [] } })).toContain(
    'This courier does not share their location.',
  );
});

test('a label does not overlap the courier', () => {
  const shown = map('enroute_pickup');
  const [, courierY] = /class="courier" transform="translate\([\d.]+ ([\d.]+)\)"/.exec(shown) ?? [];
  const [, labelY] = /<text x="[\d.]+" y="([\d.]+)">Pizza/.exec(shown) ?? [];
  expect(Math.abs(Number(labelY) - Number(courierY))).toBeGreaterThan(25);
});
