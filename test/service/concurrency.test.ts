import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PostgresServer, startPostgres } from '../postgres.ts';
import { draftRoute, orderRequest, quotesOf, startFixture } from './fixture.ts';

let postgres: PostgresServer;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(async () => {
  await postgres.stop();
});

describe.each(['sqlite', 'postgres'])('on %s', (engine) => {
  const location = async () => (engine === 'postgres' ? await postgres.newDatabase() : ':memory:');

  test('of several dispatches of one route at the same moment one wins, and one set of deliveries exists', async () => {
    const fixture = await startFixture({ location: await location() });
    const client = fixture.client();
    const route = await draftRoute(client, [orderRequest(), orderRequest()]);
    const [quote] = await quotesOf(fixture, route.id);
    const attempts = Array.from({ length: 5 }, () =>
      client.dispatches.create({ params: { route_id: route.id }, body: { quote_id: quote?.id ?? '' } }).then(
        () => 'dispatched',
        (error: { code: string }) => error.code,
      ),
    );
    const outcomes = await Promise.all(attempts);
    expect(outcomes.sort()).toEqual(['dispatched', ...Array.from({ length: 4 }, () => 'route_not_draft')]);
    expect((await client.deliveries.list()).data.data).toHaveLength(2);
    await fixture.storage.close();
  });

  test('an order goes into one of two routes made at the same moment', async () => {
    const fixture = await startFixture({ location: await location() });
    const client = fixture.client();
    const { data } = await client.orders.create({ body: { orders: [orderRequest()] } });
    const attempts = [1, 2].map(() =>
      client.routes.create({ body: { order_ids: [data.id] } }).then(
        () => 'made',
        (error: { code: string }) => error.code,
      ),
    );
    expect((await Promise.all(attempts)).sort()).toEqual(['made', 'order_not_open']);
    expect((await client.routes.list()).data.data).toHaveLength(1);
    await fixture.storage.close();
  });

  test('the same idempotency key at the same moment makes one order', async () => {
    const fixture = await startFixture({ location: await location() });
    const body = { orders: [orderRequest()] };
    const headers = { 'idempotency-key': 'once' };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => fixture.send('POST', '/v2/orders/create', { body, headers })),
    );
    const made = answers.filter(({ status }) => status === 200);
    expect(new Set(made.map((answer) => answer.body)).size).toBe(1);
    expect(
      answers.every(({ status, body: text }) => status === 200 || text.includes('idempotency_key_in_use')),
    ).toBe(true);
    expect((await fixture.client().orders.list()).data.data).toHaveLength(1);
    await fixture.storage.close();
  });

  test('rounds of two routes answered by two workers at once all complete', async () => {
    const fixture = await startFixture({ location: await location() });
    const client = fixture.client();
    const routes = [await draftRoute(client), await draftRoute(client)];
    for (const route of routes) await client.quotes.request({ params: { route_id: route.id } });
    await Promise.all([fixture.pass(5_000), fixture.service.tick(), fixture.service.tick()]);
    fixture.passWall(20_000);
    await fixture.service.tick();
    for (const route of routes) {
      const { data } = await client.quotes.list({ params: { route_id: route.id } });
      expect(data.status).toBe('COMPLETE');
      expect(data.data).toHaveLength(4);
    }
    await fixture.storage.close();
  });
});
