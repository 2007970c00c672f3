import { expect, test } from 'vitest';
import { mapSection } from '../../../src/service/tracking-page/page.ts';
import { trackingDataOf } from '../../../src/service/tracking-page/tracked-delivery.ts';
import { minute, rowIn, seenAt, soonAfter, started_at } from './rows.ts';

const tiles = { url: 'https://tiles.example/{z}/{x}/{y}.png', attribution: '"<b>Maps</b>' };

const map = (row: ReturnType<typeof rowIn>, given: typeof tiles | null = tiles, now = soonAfter(row)) =>
  mapSection(trackingDataOf(row, seenAt(now)), given)?.markup ?? null;

/** The places that the script is told. */
function places(...given: Parameters<typeof map>) {
  const [, text = 'null'] = /data-places="([^"]*)"/.exec(map(...given) ?? '') ?? [];
  return JSON.parse(text.replaceAll('&quot;', '"'));
}

test('without tiles there is no map, and with them the texts of people are escaped', () => {
  const row = rowIn('enroute_dropoff');
  expect(map(row, null)).toBeNull();
  expect(map(row)).toContain('data-tiles="https://tiles.example/{z}/{x}/{y}.png"');
  expect(map(row)).toContain('data-attribution="&quot;&lt;b&gt;Maps&lt;/b&gt;"');
  expect(map(row)).toContain('aria-label="Map of the route from Pizza &amp; Friends to you"');
});

test.each([
  ['exact', true],
  ['street', true],
  [undefined, false],
] as const)('a house known as %s has a map: %s', (precision, isShown) => {
  const { pickup, dropoff } = JSON.parse(rowIn('enroute_dropoff').record);
  const placed = { ...dropoff, coordinates: precision && { ...dropoff.point, precision } };
  expect(map(rowIn('enroute_dropoff', { record: { dropoff: placed } })) !== null).toBe(isShown);
  const shop = { ...pickup, coordinates: precision && { ...pickup.point, precision } };
  expect(places(rowIn('enroute_dropoff', { record: { pickup: shop } })).pickup !== null).toBe(isShown);
});

test('the courier is at its path’s position of that instant', () => {
  const row = rowIn('enroute_dropoff');
  const at = (minutes: number) => places(row, tiles, started_at + minutes * minute);
  expect(at(26).courier).toMatchObject(at(26).dropoff);
  expect(at(20).courier).not.toEqual(at(21).courier);
  expect(Object.keys(at(20))).toEqual(['pickup', 'dropoff', 'courier']);
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
] as const)('in %s the courier is shown: %s', (status, isShown) => {
  // A path that continues: an ended delivery must not be followed.
  expect(places(rowIn(status)).courier !== null).toBe(isShown);
});

test('it says so if a courier does not share the location', () => {
  expect(map(rowIn('enroute_dropoff', { record: { way: [] } }))).toContain(
    'This courier does not share their location.',
  );
});
