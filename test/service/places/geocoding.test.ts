import { expect, test } from 'vitest';
import type { ServiceConfig } from '../../../src/service/runtime/context.ts';
import type { Observe } from '../../../src/service/runtime/service-ports.ts';
import { writeGeocodedPlace } from '../../../src/storage/places.ts';
import { type FakeAnswer, fakeNominatim, fakeServer, nominatimPlace } from '../../fakes/places/geocoder.ts';
import { type Fixture, orderMade, orderRequest, startFixture } from '../fixture.ts';

type Observation = Parameters<Observe>[0];

/** A service with a geocoder. */
async function placedFixture(url: string, parts: Partial<ServiceConfig> = {}) {
  const seen: Observation[] = [];
  const places = { geocoder: { name: 'nominatim', url, per_second: 1_000 }, router: null } as const;
  const observe = (each: Observation) => seen.push(each);
  // The rate is measured in real time.
  const monotonic = { now: () => performance.now() };
  const fixture = await startFixture({ parts: { places, observe, monotonic, ...parts } });
  const outcomes = () => seen.flatMap((each) => (each.type === 'geocoding' ? [each.outcome] : []));
  return { fixture, outcomes };
}

async function newOrder(fixture: Fixture, changes: Parameters<typeof orderRequest>[0] = {}) {
  const body = { orders: [orderRequest(changes)] };
  return (await orderMade(fixture.client().orders.create({ body }))).data;
}

test('an order has the houses that the geocoder finds, which are asked for once', async () => {
  const fake = await fakeNominatim();
  const { fixture, outcomes } = await placedFixture(fake.url);
  const first = await newOrder(fixture);
  expect(first).toMatchObject({ pickup_precision: 'house', dropoff_precision: 'house' });
  expect([fake.requests.length, outcomes()]).toEqual([2, ['house', 'house']]);
  const again = await newOrder(fixture, { dropoff_address: '233 S WACKER DR,Chicago, il 60606' });
  expect(again.dropoff_latitude).toBe(first.dropoff_latitude);
  expect(fake.requests).toHaveLength(2);
  fixture.passWall(366 * 24 * 60 * 60_000);
  await newOrder(fixture);
  expect(fake.requests).toHaveLength(4);
});

test('given coordinates are not looked up, and a store and a quote of version 1 are', async () => {
  const fake = await fakeNominatim();
  const { fixture } = await placedFixture(fake.url);
  const client = fixture.client();
  const given = { dropoff_latitude: 41.87888, dropoff_longitude: -87.63591 };
  const place = { address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' };
  const { data: store } = await client.stores.create({ body: { name: 'Grill', ...place } });
  expect(store.precision).toBe('house');
  const { dropoff_address } = orderRequest();
  await client.deliveries.quote({ body: { dropoff_address, ...given, pickup_store_id: store.id } });
  expect(fake.requests).toHaveLength(1);
  await client.deliveries.quote({ body: { dropoff_address, pickup_store_id: store.id } });
  expect(fake.requests).toHaveLength(2);
  const moved = await client.stores.update({
    params: { store_id: store.id },
    body: { address: '1060 W Addison St, Chicago, IL 60613' },
  });
  expect([moved.data.precision, fake.requests.length]).toEqual(['house', 3]);
});

const html = { status: 200, type: 'text/html', body: '<html>Access blocked</html>' };
const elsewhere = { status: 302, headers: { location: '/moved' } };

test.each<[string, FakeAnswer]>([
  ['a page', html],
  ['a redirection', elsewhere],
  ['too many requests', { ...html, status: 429 }],
  ['blocked', { ...html, status: 403 }],
  ['out of order', { status: 503, body: 'timeout' }],
  ['half an answer', { body: '[{"lat":"41' }],
])('%s: the order is taken with its ZIP code, and the operator is told once', async (_, answer) => {
  const fake = await fakeServer(() => answer);
  const { fixture, outcomes } = await placedFixture(fake.url);
  for (let count = 0; count < 4; count++) {
    expect(await newOrder(fixture)).toMatchObject({ pickup_precision: 'zip', dropoff_precision: 'zip' });
  }
  expect(fixture.faults).toEqual([
    expect.stringMatching(/^geocoder 127\.0\.0\.1:\d+: .*; places are known by ZIP code only/),
  ]);
  expect(outcomes()).toEqual(Array.from({ length: 8 }, () => 'no_answer'));
  // The fifth fault in a row opens the circuit breaker.
  expect(fake.requests.length).toBeLessThanOrEqual(6);
  expect(fake.requests).not.toContain('/moved');
});

test('a fault that comes back after an answer is told again', async () => {
  const fake = await fakeServer(() => html);
  const { fixture } = await placedFixture(fake.url);
  await newOrder(fixture);
  fake.answer(() => ({ body: '[]' }));
  await newOrder(fixture);
  fake.answer(() => html);
  await newOrder(fixture, { dropoff_address: '1060 W Addison St, Chicago, IL 60613' });
  expect(fixture.faults).toHaveLength(2);
});

test('an order waits for two seconds, and not for an answer', async () => {
  const slow = await fakeServer(() => undefined);
  const { fixture } = await placedFixture(slow.url);
  const started = performance.now();
  expect(await newOrder(fixture)).toMatchObject({ dropoff_precision: 'zip' });
  // The server never answers.
  expect(performance.now() - started).toBeGreaterThan(1_900);
});

test.each([
  ['in another state', { lat: 41.88, lon: -87.63, address: { 'ISO3166-2-lvl4': 'US-IN' } }, 'other_state'],
  ['in another country', { lat: 41.88, lon: -87.63, address: { country_code: 'ca' } }, 'other_state'],
  ['far from the ZIP code', { lat: 40.1, lon: -87.63 }, 'too_far'],
] as const)('a place %s is not used', async (_, place, outcome) => {
  const fake = await fakeServer(() => ({ body: JSON.stringify([nominatimPlace(place)]) }));
  const { fixture, outcomes } = await placedFixture(fake.url);
  expect(await newOrder(fixture)).toMatchObject({ dropoff_precision: 'zip' });
  await newOrder(fixture);
  expect([outcomes(), fixture.faults]).toEqual([[outcome, outcome], []]);
});

test('the orders of a batch are taken at once, and their places are found before their quotes', async () => {
  const fake = await fakeNominatim();
  const { fixture } = await placedFixture(fake.url);
  const client = fixture.client();
  const streets = ['1060 W Addison St, Chicago, IL 60613', '233 S Wacker Dr, Chicago, IL 60606'];
  const orders = streets.map((dropoff_address) => orderRequest({ dropoff_address }));
  const { data } = await client.orders.create({ body: { orders, settings: { mechanism: 'auto' } } });
  if (data.object !== 'batch') throw new Error('no batch');
  expect(fake.requests).toEqual([]);
  const list = async () => (await client.orders.list({ query: { batch_id: data.batch_id } })).data.data;
  expect((await list()).map((each) => each.dropoff_precision)).toEqual(['zip', 'zip']);
  await fixture.pass(10_000);
  await fixture.pass(10_000);
  const placed = await list();
  expect(placed.map((each) => [each.status, each.dropoff_precision])).toEqual([
    ['dispatched', 'house'],
    ['dispatched', 'house'],
  ]);
  expect(fake.requests).toHaveLength(3);
  const { data: route } = await client.routes.get({ params: { route_id: placed[0]?.route_id ?? '' } });
  expect(route.stops.map(({ precision }) => precision)).toEqual(['house', 'house']);
  // Known places do not delay the next batch.
  await client.orders.create({ body: { orders, settings: { mechanism: 'auto' } } });
  expect((await client.orders.list({ query: { limit: 1 } })).data.data[0]?.dropoff_precision).toBe('house');
});

test('a batch is dispatched although the geocoder is down', async () => {
  const fake = await fakeServer(() => html);
  const { fixture } = await placedFixture(fake.url);
  const client = fixture.client();
  const body = { orders: [orderRequest(), orderRequest()], settings: { mechanism: 'auto' } } as const;
  await client.orders.create({ body: { ...body, orders: [...body.orders] } });
  await fixture.pass(10_000);
  await fixture.pass(10_000);
  const { data } = await client.orders.list({ query: {} });
  expect(data.data.map((each) => [each.status, each.dropoff_precision])).toEqual([
    ['dispatched', 'zip'],
    ['dispatched', 'zip'],
  ]);
});

test('a batch is dispatched although a stored place cannot be read', async () => {
  const { fixture } = await placedFixture((await fakeNominatim()).url);
  const client = fixture.client();
  const order = orderRequest();
  const body = { orders: [order, order], settings: { mechanism: 'auto' as const } };
  const { data } = await client.orders.create({ body });
  const address = `${order.dropoff_address.toLowerCase()}, usa`;
  const row = { address, geocoder: 'nominatim', found: '{', found_at: fixture.now() };
  await fixture.storage.write((db) => writeGeocodedPlace(db, row));
  for (let second = 0; second < 40; second++) await fixture.pass(1_000);
  const params = { batch_id: data.object === 'batch' ? data.batch_id : '' };
  expect((await client.batches.get({ params })).data.counts).toMatchObject({ dispatched: 2 });
});

test('imported orders get their places in the background', async () => {
  const fake = await fakeNominatim();
  const { fixture } = await placedFixture(fake.url);
  const client = fixture.client();
  const { data } = await client.orders.createMany({ body: { orders: [orderRequest(), orderRequest()] } });
  await fixture.pass(5_000);
  const params = { order_id: data.order_ids[1] ?? '' };
  expect((await client.orders.get({ params })).data.dropoff_precision).toBe('house');
  expect(fake.requests).toHaveLength(2);
});

test('a single order does not wait behind other lookups', async () => {
  const fake = await fakeNominatim();
  const places = { geocoder: { name: 'nominatim', url: fake.url, per_second: 2 }, router: null } as const;
  const { fixture } = await placedFixture(fake.url, { places });
  const client = fixture.client();
  const addresses = Array.from({ length: 12 }, (_, index) => `${index + 1} W Addison St, Chicago, IL 60613`);
  const asked = client.places.find({ body: { addresses } });
  await new Promise((resolve) => setTimeout(resolve, 50));
  const given = { pickup_latitude: 41.8925, pickup_longitude: -87.6282 };
  expect(await newOrder(fixture, given)).toMatchObject({ dropoff_precision: 'house' });
  const { data } = (await asked).data;
  expect(data.filter(({ problem }) => problem === 'not_asked').length).toBeGreaterThan(5);
});

test('addresses are found without an order', async () => {
  const fake = await fakeNominatim();
  const client = (await placedFixture(fake.url)).fixture.client();
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
  const client = (await placedFixture(fake.url)).fixture.client();
  const addresses = ['1 None St', '2 Away St', '3 Late St'].map((street) => `${street}, Chicago, IL 60606`);
  const { data } = (await client.places.find({ body: { addresses } })).data;
  expect(data.map(({ problem }) => problem)).toEqual(['not_found', 'other_state', 'not_asked']);
});

test('without a geocoder there is no problem, and nothing is kept', async () => {
  const { client, storage } = await startFixture();
  const addresses = ['233 S Wacker Dr, Chicago, IL 60606'];
  const { data } = (await client().places.find({ body: { addresses } })).data;
  expect(data).toMatchObject([{ precision: 'zip', problem: null }]);
  const rows = await storage.read((db) => db.selectFrom('geocoded_places').selectAll().execute());
  expect(rows).toEqual([]);
  expect((await client().account.get()).data.geocoder).toBeNull();
});
