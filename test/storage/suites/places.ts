import { expect, test } from 'vitest';
import {
  deleteOldPlaces,
  deletePlacesOfAddresses,
  geocodedPlaces,
  placesOfAddresses,
  writeGeocodedPlace,
} from '../../../src/storage/places.ts';
import { noon } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

const row = (address: string, changes: object = {}) => ({
  ...{ address, geocoder: 'census', found: '{"problem":"not_found"}', found_at: noon },
  ...changes,
});

export function placesSuite(fresh: FreshStorage): void {
  test('the latest answer of a geocoder about an address is found while it is young enough', async () => {
    const { db } = await fresh();
    await writeGeocodedPlace(db, row('a'));
    await writeGeocodedPlace(db, row('a', { found: '{}', found_at: noon + 1 }));
    await writeGeocodedPlace(db, row('a', { geocoder: 'nominatim' }));
    const find = (since: number, ...addresses: string[]) =>
      geocodedPlaces(db, { geocoder: 'census', addresses, since });
    expect(await find(noon, 'a', 'b')).toEqual([row('a', { found: '{}', found_at: noon + 1 })]);
    expect(await find(noon + 2, 'a')).toEqual([]);
    expect(await find(noon)).toEqual([]);
  });

  test('the answers about an address are deleted, and old ones by their age', async () => {
    const { db } = await fresh();
    for (const [index, address] of ['a', 'b', 'c', 'd'].entries())
      await writeGeocodedPlace(db, row(address, { found_at: noon + index }));
    await deletePlacesOfAddresses(db, ['d']);
    expect(await deleteOldPlaces(db, { before: noon + 2, limit: 1 })).toBe(1);
    expect((await placesOfAddresses(db, ['a', 'b', 'c', 'd'])).map(({ address }) => address)).toEqual([
      'b',
      'c',
    ]);
    expect(await deleteOldPlaces(db, { before: noon + 2, limit: 5 })).toBe(1);
    expect(await placesOfAddresses(db, ['a', 'b', 'c'])).toEqual([row('c', { found_at: noon + 2 })]);
  });
}
