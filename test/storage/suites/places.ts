import { expect, test } from 'vitest';
import {
  deleteOldPlaces,
  deletePlacesOfAddresses,
  deleteStore,
  findStore,
  geocodedPlaces,
  insertStore,
  listStores,
  placesOfAddresses,
  updateStore,
  writeGeocodedPlace,
} from '../../../src/storage/places.ts';
import { noon, otherAccount, otherMode, scope, store } from '../records.ts';
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

  test('stores are found and listed within their account and mode, newest first', async () => {
    const { db } = await fresh();
    for (const row of [store(1), store(2), store(3, otherMode), store(4, otherAccount), store(5)]) {
      await insertStore(db, row);
    }
    expect(await findStore(db, scope, store(1).id)).toEqual(store(1));
    for (const stranger of [otherMode, otherAccount]) {
      expect(await findStore(db, stranger, store(1).id)).toBeUndefined();
    }
    expect(await listStores(db, { ...scope, limit: 2 })).toEqual({
      rows: [store(5), store(2)],
      has_more: true,
    });
    const after = { ...scope, limit: 2, after_id: store(2).id };
    expect(await listStores(db, after)).toEqual({ rows: [store(1)], has_more: false });
  });

  test('a store changes and goes, and nothing else with it', async () => {
    const { db } = await fresh();
    await insertStore(db, store(1));
    await insertStore(db, store(2));
    const change = { id: store(1).id, record: '{"name":"Moved"}', updated_at: noon + 5 };
    expect(await updateStore(db, change)).toBe(true);
    expect(await findStore(db, scope, store(1).id)).toEqual(store(1, change));
    expect(await updateStore(db, { ...change, id: 'str_none' })).toBe(false);
    expect(await deleteStore(db, store(1).id)).toBe(true);
    expect(await deleteStore(db, store(1).id)).toBe(false);
    expect((await listStores(db, { ...scope, limit: 9 })).rows).toEqual([store(2)]);
  });
}
