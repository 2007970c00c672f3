/**
 * What places and plans cost: an order whose addresses the geocoder has answered before beside one without a geocoder, in
 * turn, and a rush of 60 orders from two shops, each given to one of eight own drivers, with a router.
 */
import { join } from 'node:path';
import { fakeHttp } from '../fakes/fake-http.ts';
import { type Fixture, orderRequest, startFixture } from '../service/fixture.ts';
import { phone } from '../service/fleet/fleet.ts';
import { inFolder } from './output.ts';

const orders = 200;
const rush = 60;
/** A driver takes eight orders at most. */
const driver_names = ['Ana', 'Ben', 'Cem', 'Dee', 'Eve', 'Fay', 'Gus', 'Hal'];

export async function places(): Promise<void> {
  // Answers as Nominatim and OSRM document it; it is neither.
  const fake = await fakeHttp(({ path, query }) => ({
    status: 200,
    body: path === '/search' ? housesOf(query) : tableOf(path, query),
  }));
  await inFolder(async (folder) => {
    console.log('| Places | Measured | Goal |\n|---|---|---|');
    const added_ms = await geocodingCost(folder, fake.url);
    console.log(`| an order with cached addresses, besides the order | ${added_ms.toFixed(2)} ms | 1 ms |`);
    const planned = await rushTimes(join(folder, 'rush.db'), fake.url);
    const [median, slowest] = [planned[Math.floor(planned.length / 2)] ?? 0, planned.at(-1) ?? 0];
    console.log(
      `| ${planned.length} orders of a rush, each planned and given to a driver | ${median.toFixed(1)} ms, at most ${slowest.toFixed(1)} | 50 ms |`,
    );
  }).finally(fake.close);
}

function housesOf(query: URLSearchParams): object[] {
  const house_number = /^\d+/.exec(query.get('street') ?? '')?.[0] ?? '';
  const address = { house_number, road: 'Street', 'ISO3166-2-lvl4': 'US-IL', country_code: 'us' };
  return [{ lat: String(41.87 + Number(house_number) / 20_000), lon: '-87.63', address }];
}

function tableOf(path: string, query: URLSearchParams): object {
  const count = path.split(';').length;
  const sources = (query.get('sources') ?? '').split(';');
  const row = (source: number) => Array.from({ length: count }, (_, to) => Math.abs(to - source) * 60);
  return { code: 'Ok', durations: sources.map((source) => row(Number(source))) };
}

function placesAt(url: string) {
  return { geocoder: { name: 'nominatim', url, per_second: 1_000 }, router: url } as const;
}

/** The median of the milliseconds that the geocoder adds to an order. */
async function geocodingCost(folder: string, url: string): Promise<number> {
  const without = await startFixture({ location: join(folder, 'without.db') });
  const placed = await startFixture({
    location: join(folder, 'placed.db'),
    parts: { places: placesAt(url) },
  });
  const create = (fixture: Fixture) => async (): Promise<number> => {
    const started = performance.now();
    await fixture.client().orders.create({ body: { orders: [orderRequest()] } });
    return performance.now() - started;
  };
  const [usual, located] = [create(without), create(placed)];
  const differences: number[] = [];
  for (let count = 0; count < orders; count++) {
    const first = count % 2 === 0 ? [await usual(), await located()] : [await located(), await usual()];
    const [one = 0, other = 0] = count % 2 === 0 ? first : first.toReversed();
    // The first orders load the code, and ask the geocoder.
    if (count >= orders / 4) differences.push(other - one);
  }
  await without.storage.close();
  await placed.storage.close();
  differences.sort((left, right) => left - right);
  return differences[Math.floor(differences.length / 2)] ?? 0;
}

const shops = ['43 E Ohio St, Chicago, IL 60611', '233 S Wacker Dr, Chicago, IL 60606'];

/** The milliseconds in which each order of a rush was dispatched to a driver, with all new times, the shortest first. */
async function rushTimes(location: string, url: string): Promise<number[]> {
  const fixture = await startFixture({ location, parts: { places: placesAt(url) } });
  const client = fixture.client();
  const drivers = await Promise.all(driver_names.map((name) => phone(fixture, name)));
  for (const [index, driver] of drivers.entries()) await driver.at(41.88 + index / 100, -87.63);
  const planned: number[] = [];
  for (let number = 0; number < rush; number++) {
    const dropoff_address = `${100 + number * 7} N State St, Chicago, IL 60602`;
    const pickup_address = shops[number % shops.length] ?? '';
    const body = { orders: [orderRequest({ pickup_address, dropoff_address })] };
    const { data } = await client.orders.create({ body });
    if (data.object !== 'order') throw new Error('no order');
    const { data: route } = await client.routes.create({ body: { order_ids: [data.id] } });
    await client.quotes.request({ params: { route_id: route.id } });
    await fixture.pass(5_000);
    const { data: quotes } = await client.quotes.list({ params: { route_id: route.id } });
    const quote = quotes.data?.find(({ provider }) => provider === 'fleet');
    const driver_id = drivers[number % drivers.length]?.id;
    if (quote === undefined || driver_id === undefined) continue;
    const started = performance.now();
    const params = { route_id: route.id };
    await client.dispatches.create({ params, body: { quote_id: quote.id, driver_id } });
    planned.push(performance.now() - started);
    await fixture.pass(5_000);
  }
  await fixture.storage.close();
  return planned.sort((left, right) => left - right);
}
