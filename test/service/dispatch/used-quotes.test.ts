import { describe, expect, onTestFinished, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { engines } from '../../databases.ts';
import { deliveryQuotes } from '../delivery-runs.ts';
import { draftRoute, type Fixture, orderRequest, quotesOf, startFixture } from '../fixture.ts';
import { couriers } from '../remote-couriers.ts';

/** A draft route of one order, its cheapest quote, and a stored delivery for the same stops. */
interface World {
  fixture: Fixture;
  route_id: string;
  quote_id: string;
  stored: Delivery;
}

const ways: Record<string, (world: World) => Promise<unknown>> = {
  'the dispatch of its route': ({ fixture, route_id, quote_id }) =>
    fixture.client().dispatches.create({ params: { route_id }, body: { quote_id } }),
  'a delivery of version 1': ({ fixture, quote_id }) =>
    fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true, quote_id } }),
  'the initiation of a stored one': ({ fixture, quote_id, stored }) =>
    fixture.client().deliveries.initiate({ params: { deliveryid: stored.id }, body: { quote_id } }),
};

/** Every two ways, but the dispatch of a route twice, which is no draft then. */
const pairs = Object.keys(ways).flatMap((first) =>
  Object.keys(ways)
    .filter((second) => first !== second || first === 'a delivery of version 1')
    .map((second) => [first, second] as const),
);

/** Counts what the couriers are asked to carry. */
async function startWorld(location = ':memory:'): Promise<World & { booked: string[] }> {
  const booked: string[] = [];
  const providersOf = () =>
    couriers(() => false).map((provider) => ({
      ...provider,
      create: async (request: Parameters<typeof provider.create>[0]) => {
        booked.push(request.reference);
        return provider.create(request);
      },
    }));
  const fixture = await startFixture({ location, providersOf });
  onTestFinished(() => fixture.storage.close());
  const route = await draftRoute(fixture.client());
  const [quote] = await quotesOf(fixture, route.id);
  const { data: stored } = await fixture.client().deliveries.create({ body: orderRequest() });
  return { fixture, route_id: route.id, quote_id: quote?.id ?? '', stored, booked };
}

test.each(pairs)('a quote is used once: by %s, not by %s', async (first, second) => {
  const world = await startWorld();
  await ways[first]?.(world);
  const refused = { status: 409, code: 'quote_used' };
  const again = () => ways[second]?.(world);
  if (second !== 'the dispatch of its route' || first !== second)
    await expect(again()).rejects.toMatchObject(refused);
  // Also once it has expired.
  await world.fixture.pass(60 * 60_000);
  await expect(again()).rejects.toMatchObject(refused);
  expect(world.booked).toHaveLength(1);
});

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test('of its uses at one moment one succeeds, with one charge', async () => {
    const world = await startWorld(await engines[engine]());
    const calls = [...Object.values(ways), ...Object.values(ways)].map((use) => use(world));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const codes = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason.code] : []));
    const expected = ['quote_used', 'route_not_draft', 'delivery_not_initiable'];
    expect(codes.filter((code) => !expected.includes(code))).toEqual([]);
    expect((await world.fixture.client().charges.list()).data.data).toHaveLength(1);
    expect(world.booked).toHaveLength(1);
  });

  test('a stored delivery does not take its own quote after another has', async () => {
    const { fixture, booked } = await startWorld(await engines[engine]());
    const client = fixture.client();
    const [quote] = await deliveryQuotes(client);
    const body = { ...orderRequest(), quote_id: quote?.id ?? '' };
    const { data: stored } = await client.deliveries.create({ body });
    await client.deliveries.create({ body: { ...body, initiate: true } });
    const initiate = () => client.deliveries.initiate({ params: { deliveryid: stored.id }, body: {} });
    await expect(initiate()).rejects.toMatchObject({ code: 'quote_used' });
    await fixture.pass(60 * 60_000);
    await expect(initiate()).rejects.toMatchObject({ code: 'quote_used' });
    const other = (await deliveryQuotes(client))[0]?.id ?? '';
    await client.deliveries.initiate({ params: { deliveryid: stored.id }, body: { quote_id: other } });
    expect(booked).toHaveLength(2);
  });
});
