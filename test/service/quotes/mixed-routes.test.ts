import { expect, test } from 'vitest';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { draftRoute, orderRequest, quotesOf, startClient, startFixture } from '../fixture.ts';

async function quoters(requests: OrderRequest[], wait_ms = 0): Promise<string[]> {
  const fixture = await startFixture();
  const route = await draftRoute(fixture.client(), requests);
  await fixture.pass(wait_ms);
  return (await quotesOf(fixture, route.id)).map(({ provider }) => provider).sort();
}

test('the vehicles that any order requires narrow the providers', async () => {
  const [car, suv] = [orderRequest({ vehicle: 'car' }), orderRequest({ vehicle: 'suv' })];
  expect(await quoters([car, suv])).toEqual([]);
  expect(await quoters([suv, car])).toEqual([]);
  expect(await quoters([suv, orderRequest()])).toEqual(['haulvan']);
});

test('a pickup time that has passed is quoted as soon as possible', async () => {
  const soon = orderRequest({ pickup_at: '2026-03-02T12:01:00Z' });
  expect(await quoters([soon])).toContain('nightowl');
  expect(await quoters([soon], 60 * 60_000)).toEqual(['haulvan', 'metrobike', 'poolride', 'swiftly']);
});

test('a route is scheduled as a whole: its deliveries share type and times', async () => {
  const { fixture, client } = await startClient();
  const pickup_at = '2026-03-02T12:30:00.000Z';
  const route = await draftRoute(client, [orderRequest({ pickup_at }), orderRequest()]);
  const quote = (await quotesOf(fixture, route.id)).find(({ provider }) => provider === 'swiftly');
  await fixture.pass(3_000);
  const { data } = await client.dispatches.create({
    params: { route_id: route.id },
    body: { quote_id: quote?.id ?? '' },
  });
  const [first, second] = data.deliveries;
  expect(first).toMatchObject({ status: 'scheduled', delivery_type: 'scheduled', pickup_eta: pickup_at });
  expect(second).toMatchObject({ status: 'scheduled', delivery_type: 'scheduled', pickup_eta: pickup_at });
});

test('a dropoff and the next pickup at one address count as one halt in the price', async () => {
  const middle = '233 S Wacker Dr, Chicago, IL 60606';
  const fixture = await startFixture();
  const route = await draftRoute(fixture.client(), [
    orderRequest({ dropoff_address: middle }),
    orderRequest({ pickup_address: middle, dropoff_address: '1 N Clark St, Chicago, IL 60614' }),
  ]);
  expect(route.stops.map(({ kind, leg_miles }) => [kind, leg_miles])).toEqual([
    ['pickup', 0],
    ['pickup', 1.9],
    ['dropoff', 0],
    ['dropoff', 3.8],
  ]);
  const swiftly = (await quotesOf(fixture, route.id)).find(({ provider }) => provider === 'swiftly');
  // 599 + 4.7 mi beyond the first at 1.25, and one extra stop.
  expect(swiftly?.cost_of_delivery).toBe(599 + 588 + 250);
});
