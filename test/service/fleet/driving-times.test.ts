import { expect, test } from 'vitest';
import { fakeServer } from '../../fakes/places/geocoder.ts';
import { fakeRouter, pointsIn } from '../../fakes/places/router.ts';
import { deliveryOf } from '../delivery-runs.ts';
import { orderRequest, startFixture } from '../fixture.ts';
import { dispatchToFleet, phone } from './fleet.ts';

const minute = 60_000;
const shop = { pickup_latitude: 41.8925, pickup_longitude: -87.6282 };
const near = { dropoff_latitude: 41.8925, dropoff_longitude: -87.6482 };

async function routed(router: string | null) {
  const fixture = await startFixture({ parts: { places: { geocoder: null, router } } });
  const ana = await phone(fixture, 'Ana');
  await ana.at(41.8925, -87.6283);
  /** The minutes from the pickup to the dropoff of a new delivery. */
  const minutes = async () => {
    const requests = [orderRequest({ ...shop, ...near })];
    const { deliveries } = await dispatchToFleet(fixture, { requests, driver_id: ana.id });
    const data = await deliveryOf(fixture, deliveries[0]?.id ?? '');
    const eta = data.dropoffs[0]?.dropoff_eta ?? '';
    return Math.round((Date.parse(eta) - Date.parse(data.pickup_eta)) / minute);
  };
  return { fixture, minutes };
}

/** A halt of four minutes, and 1.3 miles of road to a mile at 18 miles an hour. */
const straight = 8;

test('own drivers are planned by the times of the router', async () => {
  const fake = await fakeRouter(20);
  const { minutes } = await routed(fake.url);
  expect(await minutes()).toBe(25);
  const url = new URL(fake.requests[0] ?? '', fake.url);
  expect(pointsIn(url)).toContainEqual({ lat: 41.8925, lng: -87.6482 });
  const asked = fake.requests.length;
  await minutes();
  // The same ways are not asked for again.
  expect(fake.requests).toHaveLength(asked);
  expect(await (await routed(null)).minutes()).toBe(straight);
});

test('a way that the router does not have is estimated alone', async () => {
  const fake = await fakeRouter(20, (_, to, seconds) => (to.lng < -87.64 ? null : seconds));
  expect(await (await routed(fake.url)).minutes()).toBe(straight);
});

test.each([
  ['a page', { type: 'text/html', body: '<html></html>' }],
  ['no code', { status: 429, body: '{"message":"Too Many Requests"}' }],
  ['an error', { status: 400, body: '{"code":"NoSegment","message":"no segment"}' }],
  ['out of order', { status: 503 }],
])('%s: straight lines, and the operator is told once', async (name, answer) => {
  const fake = await fakeServer(() => answer);
  const { fixture, minutes } = await routed(fake.url);
  expect(await minutes()).toBe(straight);
  await minutes();
  const told =
    name === 'an error' ? [] : [expect.stringMatching(/^router 127\.0\.0\.1:\d+.* straight lines/)];
  expect(fixture.faults).toEqual(told);
  const { router } = (await fixture.client().account.get()).data;
  expect(router).toBe(name === 'an error' ? 'answering' : 'failing');
});

test('a router that hangs is waited for a second, and then left alone', async () => {
  const fake = await fakeServer(() => undefined);
  const { minutes } = await routed(fake.url);
  expect(await minutes()).toBe(straight);
});
