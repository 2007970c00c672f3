import { expect, test } from 'vitest';
import { fakeNominatim, fakeServer, nominatimPlace } from '../../fakes/places/geocoder.ts';
import { startFixture } from '../fixture.ts';

const parts = (url: string) => ({
  places: { geocoder: { name: 'nominatim', url, per_second: 1_000 }, router: null } as const,
  // The rate is measured in real time.
  monotonic: { now: () => performance.now() },
});

test('addresses are found without an order', async () => {
  const fake = await fakeNominatim();
  const client = (await startFixture({ parts: parts(fake.url) })).client();
  const addresses = ['233 S Wacker Dr, Chicago, IL 60606', '1 Main St, Chicagoo, IL'];
  const { data } = (await client.places.find({ body: { addresses } })).data;
  expect(data).toMatchObject([
    { address: addresses[0], precision: 'house', problem: null },
    { address: addresses[1], latitude: null, problem: 'unknown_address' },
  ]);
  expect((await client.account.get()).data.geocoder).toBe('nominatim');
});

test('it says why an address is not found', async () => {
  const away = nominatimPlace({ lat: 41.88, lon: -87.63, address: { 'ISO3166-2-lvl4': 'US-IN' } });
  const answers: Record<string, string> = { '1 None St': '[]', '2 Away St': JSON.stringify([away]) };
  const fake = await fakeServer((url) => {
    const body = answers[url.searchParams.get('street') ?? ''];
    return body === undefined ? { status: 503 } : { body };
  });
  const client = (await startFixture({ parts: parts(fake.url) })).client();
  const addresses = ['1 None St', '2 Away St', '3 Late St'].map((street) => `${street}, Chicago, IL 60606`);
  const { data } = (await client.places.find({ body: { addresses } })).data;
  expect(data.map(({ problem }) => problem)).toEqual(['not_found', 'other_state', 'not_asked']);
});

test('without a geocoder there is no problem', async () => {
  const client = (await startFixture()).client();
  const { data } = (await client.places.find({ body: { addresses: ['233 S Wacker Dr, Chicago, IL 60606'] } }))
    .data;
  expect(data).toMatchObject([{ precision: 'zip', problem: null }]);
  expect((await client.account.get()).data.geocoder).toBeNull();
});
