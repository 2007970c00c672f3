import { describe, expect, onTestFinished, test } from 'vitest';
import { createService } from '../../src/service/service.ts';
import { newDatabase } from '../databases.ts';
import {
  clientOf,
  draftRoute,
  orderMade,
  orderRequest,
  quotesOf,
  sendTo,
  start,
  startFixture,
} from './fixture.ts';
import { couriers } from './remote-couriers.ts';
import { offline } from './webhooks/endpoint-fixture.ts';

describe.each(['sqlite', 'postgres'])('on %s', (engine) => {
  const started = async (parts = {}, options = {}) => {
    const location = engine === 'postgres' ? await newDatabase() : ':memory:';
    const fixture = await startFixture({ location, parts, ...options });
    onTestFinished(() => fixture.storage.close());
    return fixture;
  };

  test('of several dispatches of a route at the same time one succeeds and creates one set of deliveries', async () => {
    const fixture = await started();
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
  });

  test('of two routes created at the same time only one gets the order', async () => {
    const fixture = await started();
    const client = fixture.client();
    const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
    const attempts = [1, 2].map(() =>
      client.routes.create({ body: { order_ids: [data.id] } }).then(
        () => 'made',
        (error: { code: string }) => error.code,
      ),
    );
    expect((await Promise.all(attempts)).sort()).toEqual(['made', 'order_not_open']);
    expect((await client.routes.list()).data.data).toHaveLength(1);
  });

  test('a route that is deleted while its quotes are requested leaves no round of quotes behind', async () => {
    const fixture = await started();
    const client = fixture.client();
    const routes = await Promise.all(Array.from({ length: 8 }, () => draftRoute(client)));
    const calls = routes.flatMap(({ id: route_id }) => [
      client.quotes.request({ params: { route_id } }),
      client.routes.delete({ params: { route_id } }),
    ]);
    await Promise.allSettled(calls);
    const { jobs, tasks } = await fixture.storage.run(async (db) => ({
      jobs: await db.selectFrom('jobs').select('route_id').execute(),
      tasks: await db.selectFrom('tasks').select('subject').where('kind', '=', 'quote.ask').execute(),
    }));
    expect({ jobs, tasks }).toEqual({ jobs: [], tasks: [] });
    expect((await client.routes.list()).data.data).toEqual([]);
  });

  test('requests with the same idempotency key at the same time create one order', async () => {
    const fixture = await started();
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
  });

  test('a delivery and a dispatch that are requested several times at the same time are made once', async () => {
    const fixture = await started();
    const route = await draftRoute(fixture.client());
    const [quote] = await quotesOf(fixture, route.id);
    const other = createService(fixture.config);
    const requests = [
      ['/v1/delivery_information', { ...orderRequest(), initiate: true }],
      [`/v2/routes/${route.id}/dispatch`, { quote_id: quote?.id }],
    ] as const;
    for (const [path, sent] of requests) {
      const services = [fixture.service, other, fixture.service, other];
      const request = { body: sent, headers: { 'idempotency-key': path } };
      const answers = await Promise.all(
        services.map((service) => sendTo(service, fixture.keys.test)('POST', path, request)),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      expect(new Set(answers.map(({ body }) => body)).size).toBe(1);
      const replayed = answers.filter(({ headers }) => headers['idempotent-replayed'] === 'true');
      expect(replayed).toHaveLength(3);
    }
    expect((await fixture.client().deliveries.list()).data.data).toHaveLength(2);
  });

  test('of endpoints that are made at a host and moved to it at the same time no more than 25 are there', async () => {
    const fixture = await started({ web: offline }, { sandbox: false });
    const client = fixture.client();
    const create = (host: string, count: number) =>
      Array.from({ length: count }, (_, index) =>
        client.webhooks.create({ body: { url: `https://${host}/${index}` } }),
      );
    await Promise.all(create('shop.example', 24));
    const others = await Promise.all(create('other.example', 5));
    const moves = others.map(({ data: { id } }) =>
      client.webhooks.update({
        params: { webhook_endpoint_id: id },
        body: { url: `https://shop.example/${id}` },
      }),
    );
    const outcomes = await Promise.allSettled([...moves, ...create('shop.example', 5)]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('quote rounds of two routes that two workers answer at the same time all complete', async () => {
    const fixture = await started();
    const client = fixture.client();
    const routes = [await draftRoute(client), await draftRoute(client)];
    for (const route of routes) await client.quotes.request({ params: { route_id: route.id } });
    const others = [createService(fixture.config), createService(fixture.config)];
    await Promise.all([fixture.pass(5_000), ...others.map((worker) => worker.tick())]);
    fixture.passWall(20_000);
    await fixture.service.tick();
    for (const route of routes) {
      const { data } = await client.quotes.list({ params: { route_id: route.id } });
      expect(data.status).toBe('COMPLETE');
      expect(data.data).toHaveLength(4);
    }
  });

  test('advances by several processes at the same time run one after the other, each task once and in order', async () => {
    const asked: number[] = [];
    const providers = couriers(
      () => false,
      async (_, { now }) => void asked.push(now),
    );
    const fixture = await started({ providers });
    const routes = [await draftRoute(fixture.client()), await draftRoute(fixture.client())];
    for (const { id } of routes) await fixture.client().quotes.request({ params: { route_id: id } });
    const processes = Array.from({ length: 3 }, () => createService(fixture.config));
    const moves = processes.map((service) =>
      clientOf(service, fixture.keys.test).clock.advance({ body: { by: 60 } }),
    );
    const ends = (await Promise.all(moves)).map(({ data }) => [data.now, data.more]);
    const minutes = [1, 2, 3].map((minute) => [new Date(start + minute * 60_000).toISOString(), false]);
    expect(ends.sort()).toEqual(minutes);
    expect(asked).toEqual([1, 1, 2, 2, 3, 3, 3, 3, 4, 4].map((second) => start + second * 1_000));
  });
});
