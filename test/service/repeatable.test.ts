import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Order } from '../../src/contract/orders.ts';
import type { Route } from '../../src/contract/routes.ts';
import { takeRandomPart } from '../../src/service/runtime/ids.ts';
import { createService } from '../../src/service/service.ts';
import { newDatabase } from '../databases.ts';
import { scenarioHeader } from './delivery-runs.ts';
import { type Fixture, orderRequest, sendTo, startFixture } from './fixture.ts';
import { dispatchToFleet, phone } from './fleet/fleet.ts';

async function posted<T>(fixture: Fixture, path: string, body: unknown, headers = {}): Promise<T> {
  const answer = await fixture.send('POST', path, { body, headers });
  expect(answer.status, answer.body).toBeLessThan(300);
  return JSON.parse(answer.body);
}

/** A service on the fixture's database without a chosen seed, each like a separate process. */
function unseeded(fixture: Fixture): Fixture {
  const { seed: _, ...config } = fixture.config;
  const service = createService(config);
  return { ...fixture, service, send: sendTo(service, fixture.keys.test) };
}

test('a sandbox that is reset to a seed repeats the run, also from other processes', async () => {
  const fixture = await startFixture();
  const runs: string[][] = [];
  for (let run = 0; run < 2; run += 1) {
    await posted(unseeded(fixture), '/v2/sandbox/reset', { seed: '11' });
    const ids: string[] = [];
    for (let count = 0; count < 4; count += 1) {
      const body = { orders: [orderRequest()] };
      ids.push(takeRandomPart((await posted<Order>(unseeded(fixture), '/v2/orders/create', body)).id));
    }
    runs.push(ids);
  }
  expect(new Set(runs[0]).size).toBe(4);
  expect(runs[1]).toEqual(runs[0]);
});

test('without a chosen seed no request is counted', async () => {
  const fixture = await startFixture();
  const service = unseeded(fixture);
  const body = { orders: [orderRequest()] };
  const [first, second] = [
    await posted<Order>(service, '/v2/orders/create', body),
    await posted<Order>(service, '/v2/orders/create', body),
  ];
  expect(takeRandomPart(first.id)).not.toBe(takeRandomPart(second.id));
  const counted = await fixture.storage.run((db) =>
    db.selectFrom('settings').select('key').where('key', 'like', 'requests %').execute(),
  );
  expect(counted).toEqual([]);
});

test.each(['sqlite', 'postgres'])('concurrent requests get distinct numbers on %s', async (engine) => {
  const location = engine === 'sqlite' ? ':memory:' : await newDatabase();
  const fixture = await startFixture({ location });
  const body = { orders: [orderRequest()] };
  const made = await Promise.all(
    Array.from({ length: 20 }, () => posted<Order>(fixture, '/v2/orders/create', body)),
  );
  expect(new Set(made.map(({ id }) => id)).size).toBe(20);
  await fixture.storage.close();
});

/** The same orders of one account, each request with a random key or none; returns what people see of them. */
async function fates(
  seed: string,
  { keyed, location }: { keyed: boolean; location?: string },
): Promise<string[]> {
  const fixture = await startFixture(location === undefined ? {} : { location });
  const post = <T>(path: string, body?: unknown, headers = {}) =>
    posted<T>(fixture, path, body, { ...(keyed && { 'idempotency-key': randomUUID() }), ...headers });
  await post('/v2/sandbox/reset', { seed });
  for (let count = 0; count < 6; count += 1) {
    const body = { ...orderRequest({ external_order_ref: `#${count % 3}` }), initiate: true };
    await post('/v1/delivery_information', body, scenarioHeader('chaos'));
  }
  await fixture.client().account.update({
    body: { fleet: { per_delivery: 0, per_mile: 0, ask_pin: true } },
  });
  const ana = await phone(fixture, 'Ana');
  const request = orderRequest({ external_order_ref: '#own' });
  await dispatchToFleet(fixture, { requests: [request], driver_id: ana.id });
  const { id } = await post<Order>('/v2/orders/create', { orders: [orderRequest()] });
  const route = await post<Route>('/v2/routes', { order_ids: [id] });
  await post(`/v2/routes/${route.id}/quotes`);
  await fixture.pass(5_000);
  const { data: quotes } = await fixture.client().quotes.list({ params: { route_id: route.id } });
  const swiftly = quotes.data?.find(({ provider }) => provider === 'swiftly');
  await post(`/v2/routes/${route.id}/dispatch`, { quote_id: swiftly?.id });
  for (let hour = 0; hour < 25; hour += 1) await fixture.pass(60 * 60_000);
  const { data } = await fixture.client().deliveries.list();
  const prices = quotes.data?.map((each) =>
    [each.provider, each.cost_of_delivery, each.courier_name].join(' '),
  );
  const seen = data.data.map((delivery) => {
    const { service, payment_amount, courier_name, handover_pin, status_history } = delivery;
    const statuses = status_history.map(({ status }) => status);
    return [service, payment_amount, courier_name, handover_pin, ...statuses].join(' ');
  });
  await fixture.storage.close();
  return [...(prices ?? []), ...seen];
}

test('a chosen seed gives the same statuses, prices and drivers with other IDs, keys and databases', async () => {
  const first = await fates('7', { keyed: true });
  expect(first.length).toBeGreaterThan(10);
  expect(await fates('7', { keyed: true })).toEqual(first);
  expect(await fates('7', { keyed: false })).toEqual(first);
  expect(await fates('7', { keyed: true, location: await newDatabase() })).toEqual(first);
  expect(await fates('8', { keyed: true })).not.toEqual(first);
  expect(new Set(first).size).toBeGreaterThan(7);
});
