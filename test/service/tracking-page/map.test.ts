import { expect, test } from 'vitest';
import { greatCircleMiles } from '../../../src/domain/geography.ts';
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
    const { spot } = planeOf([chicago, dropoff, other]);
    const spots = [chicago, dropoff, other].map(spot);
    for (const { x, y } of spots) {
      expect(x).toBeGreaterThanOrEqual(45);
      expect(x).toBeLessThanOrEqual(size.width - 45);
      expect(y).toBeGreaterThanOrEqual(45);
      expect(y).toBeLessThanOrEqual(size.height - 45);
    }
  },
);

test('north is up, east is right, and both are to one scale', () => {
  const [north, east] = [
    { lat: 41.95, lng: chicago.lng },
    { lat: chicago.lat, lng: -87.5 },
  ];
  const { spot, units_per_mile } = planeOf([chicago, north, east]);
  const [at, up, right] = [spot(chicago), spot(north), spot(east)];
  expect(at.y - up.y).toBeCloseTo(greatCircleMiles(chicago, north) * units_per_mile, 0);
  expect(right.x - at.x).toBeCloseTo(greatCircleMiles(chicago, east) * units_per_mile, 0);
});

test('the scale is a bar of a round number of miles', () => {
  const [, end, length] =
    /class="scale" d="M12 \d+v5H([\d.]+)v-5"\/>\n<text[^>]*>([^<]*) miles</.exec(map('enroute_dropoff')) ??
    [];
  const { pickup, dropoff }: DeliveryRecord = JSON.parse(rowIn('enroute_dropoff').record);
  const { units_per_mile } = planeOf([pickup.point, dropoff.point]);
  expect(Number(end) - 12).toBeCloseTo(Number(length) * units_per_mile, 0);
});

test('two houses of one ZIP code are drawn to scale if their places are known', () => {
  const { pickup, dropoff }: DeliveryRecord = JSON.parse(rowIn('enroute_dropoff').record);
  const coordinates = { lat: pickup.point.lat + 0.001, lng: pickup.point.lng, precision: 'exact' } as const;
  const near = { record: { dropoff: { ...dropoff, point: pickup.point, coordinates } } };
  expect(map('enroute_dropoff', near)).toContain('North is up. Streets are not drawn.');
});

test('a tile server is named in the page, with the texts of people escaped', () => {
  const row = rowIn('enroute_dropoff');
  const tiles = { url: 'https://tiles.example/{z}/{x}/{y}.png', attribution: '"<b>Maps</b>' };
  const { markup } = mapSection(trackingDataOf(row, seenAt(soonAfter(row))), tiles);
  expect(markup).toContain('data-tiles="https://tiles.example/{z}/{x}/{y}.png"');
  expect(markup).toContain('data-attribution="&quot;&lt;b&gt;Maps&lt;/b&gt;"');
  expect(map('enroute_dropoff')).not.toContain('data-tiles');
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
