import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { everyOperation } from '../../../src/contract/openapi.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import {
  draftRoute,
  type Fixture,
  orderMade,
  orderRequest,
  quotesOf,
  sendTo,
  startClient,
  startFixture,
} from '../fixture.ts';

const body = { orders: [orderRequest()] };
const headers = { 'idempotency-key': 'k-1' };

test('a repeat gets the first response byte for byte and creates nothing', async () => {
  const fixture = await startFixture();
  const first = await fixture.send('POST', '/v2/orders/create', { body, headers });
  await fixture.pass(60_000);
  const again = await fixture.send('POST', '/v2/orders/create', { body, headers });
  expect(again.body).toBe(first.body);
  expect(again.status).toBe(first.status);
  expect(first.headers['idempotent-replayed']).toBeUndefined();
  expect(again.headers['idempotent-replayed']).toBe('true');
  expect((await fixture.client().orders.list()).data.data).toHaveLength(1);
});

test('the alias header and the unversioned path belong to the same request', async () => {
  const fixture = await startFixture();
  const alias = { 'x-idempotency-key': 'k-1' };
  const first = await fixture.send('POST', '/v2/orders/create', { body, headers: alias });
  const again = await fixture.send('POST', '/orders/create', { body, headers });
  expect(again.body).toBe(first.body);
});

test('refusals of handlers are stored; refusals of validation are not', async () => {
  const fixture = await startFixture();
  const missing = { body: { order_ids: ['ord_nope'] }, headers };
  const first = await fixture.send('POST', '/v2/routes', missing);
  const again = await fixture.send('POST', '/v2/routes', missing);
  expect(first.status).toBe(404);
  expect(again.body).toBe(first.body);
  const wrong = { 'idempotency-key': 'k-2' };
  const unplaced = { orders: [orderRequest({ pickup_address: 'nowhere' })] };
  for (const bad of [{}, unplaced])
    await fixture.send('POST', '/v2/orders/create', { body: bad, headers: wrong });
  expect((await fixture.send('POST', '/v2/orders/create', { body, headers: wrong })).status).toBe(200);
});

test('a request that fails in its transaction leaves its key free', async () => {
  const fixture = await startFixture();
  const order = async () =>
    (await fixture.storage.run((db) => db.selectFrom('orders').selectAll().execute()))[0];
  await fixture.send('POST', '/v2/orders/create', { body });
  const made = await order();
  const keyed = () => fixture.send('POST', '/v2/orders/create', { body, headers });
  await fixture.storage.run((db) => sql`drop table search_documents`.execute(db));
  expect((await keyed()).status).toBe(500);
  const rows = await fixture.storage.run((db) => db.selectFrom('idempotency_keys').selectAll().execute());
  expect(rows).toEqual([]);
  expect(await order()).toEqual(made);
});

test('an idempotency key is valid for 24 hours of wall time', async () => {
  const fixture = await startFixture();
  const first = await fixture.send('POST', '/v2/orders/create', { body, headers });
  fixture.passWall(24 * 60 * 60_000 + 1);
  const later = await fixture.send('POST', '/v2/orders/create', { body, headers });
  expect(later.headers['idempotent-replayed']).toBeUndefined();
  expect(later.status).toBe(200);
  expect(first.status).toBe(200);
});

test('a key that is used again after that makes other records, also while the clock stands still', async () => {
  const fixture = await startFixture();
  const { pickup_address, dropoff_address } = orderRequest();
  const ids = async () => {
    const sent = { body: { pickup_address, dropoff_address }, headers };
    const quotes: { id: string }[] = JSON.parse((await fixture.send('POST', '/v1/quote', sent)).body);
    return quotes.map(({ id }) => id);
  };
  const first = await ids();
  fixture.passWall(24 * 60 * 60_000 + 1);
  const all = [...first, ...(await ids())];
  expect(new Set(all).size).toBe(first.length * 2);
});

const withSecrets = everyOperation.flatMap(({ id, secrets }) =>
  (secrets ?? []).map((name) => ({ id, name })),
);

test.each(withSecrets)(
  '$id: the $name is shown once, a repeat has null in its place',
  async ({ id, name }) => {
    const { fixture, client } = await startClient();
    const driver = await client.drivers.create({ body: { name: 'Sam', phone_number: '+13125550133' } });
    const endpoint = await client.webhooks.create({ body: { url: 'http://127.0.0.1:1/hooks' } });
    const paths: Record<string, [path: string, body?: object]> = {
      CreateApiKey: ['/v2/api_keys', { permission: 'read' }],
      CreateDriver: ['/v2/drivers', { name: 'Kim', phone_number: '+13125550133' }],
      RenewDriverLink: [`/v2/drivers/${driver.data.id}/link`],
      CreateWebhookEndpoint: ['/v2/webhook_endpoints', { url: 'http://127.0.0.1:1/hooks' }],
      RotateWebhookSecret: [`/v2/webhook_endpoints/${endpoint.data.id}/rotate_secret`],
    };
    const [path, sent] = paths[id] ?? [''];
    const send = async () => JSON.parse((await fixture.send('POST', path, { body: sent, headers })).body);
    const tables = ['api_keys', 'drivers', 'webhook_endpoints'] as const;
    const everything = () =>
      Promise.all(
        tables.map((table) => fixture.storage.run((db) => db.selectFrom(table).selectAll().execute())),
      );
    const first = await send();
    const made = await everything();
    expect(first[name]).toMatch(/.{32}/);
    expect(await send()).toEqual({ ...first, [name]: null });
    expect(await everything()).toEqual(made);
    const stored = await fixture.storage.run((db) =>
      db.selectFrom('idempotency_keys').select('body').execute(),
    );
    expect(JSON.stringify(stored)).not.toContain(first[name]);
  },
);

test('the same request in the other mode is a separate request', async () => {
  const fixture = await startFixture();
  await fixture.send('POST', '/v2/orders/create', { body, headers });
  const live = await fixture.send('POST', '/v2/orders/create', {
    body,
    headers: { ...headers, 'x-api-key': fixture.keys.live },
  });
  expect(live.headers['idempotent-replayed']).toBeUndefined();
  expect(JSON.parse(live.body)).toMatchObject({ test_mode: false });
});

test('an interrupted dispatch has a stored response, which its continuation replaces', async () => {
  const statuses: string[] = [];
  let repeat = async () => {};
  const providers = simulatedProviders(memoryRecords()).map((provider) => ({
    ...provider,
    create: async () => {
      await repeat();
      return { kind: 'refused' as const, reason: 'full' };
    },
  }));
  const fixture = await startFixture({ parts: { providers } });
  const route = await draftRoute(fixture.client());
  const [quote] = await quotesOf(fixture, route.id);
  const send = () =>
    fixture.send('POST', `/v2/routes/${route.id}/dispatch`, { body: { quote_id: quote?.id }, headers });
  // As a process would repeat it after a crash.
  repeat = async () => {
    const { body } = await send();
    statuses.push(JSON.parse(body).deliveries[0].status);
  };
  const first = await send();
  expect(statuses).toEqual(['delivery_created']);
  expect(JSON.parse(first.body).deliveries[0].status).toBe('failed');
  expect((await send()).body).toBe(first.body);
  expect((await fixture.client().deliveries.list()).data.data).toHaveLength(1);
});

/** Two processes on one database; the first is held in a request until `go`. */
async function heldUp() {
  const dead: string[] = [];
  const reached = Promise.withResolvers<void>();
  const { promise, resolve: go } = Promise.withResolvers<void>();
  const isGone = (runner: string) => dead.includes(runner);
  const fixture = await startFixture();
  const { config, keys } = fixture;
  const secrets = {
    base62: async (length: number) => {
      reached.resolve();
      await promise;
      return config.secrets.base62(length);
    },
  };
  const first = createService({ ...config, secrets, runners: { self: 'one', isGone } });
  const second = createService({ ...config, runners: { self: 'two', isGone } });
  const create = (service: typeof first) =>
    sendTo(service, keys.test)('POST', '/v2/api_keys', { body: { permission: 'read' }, headers });
  const held = create(first);
  await reached.promise;
  return { fixture, dead, go, held, repeat: () => create(second) };
}

test('the idempotency key of a killed process is free immediately', async () => {
  const { fixture, dead, repeat } = await heldUp();
  expect((await repeat()).status).toBe(409);
  dead.push('one');
  const answer = await repeat();
  expect(answer.status).toBe(200);
  expect(answer.headers['idempotent-replayed']).toBeUndefined();
  expect((await repeat()).headers['idempotent-replayed']).toBe('true');
  expect((await fixture.client().keys.list()).data.data).toHaveLength(2);
});

test('a process that was wrongly considered ended stores nothing of its request', async () => {
  const { fixture, dead, go, held, repeat } = await heldUp();
  dead.push('one');
  const answer = await repeat();
  go();
  expect((await held).status).toBe(409);
  const again = await repeat();
  expect(JSON.parse(again.body)).toEqual({ ...JSON.parse(answer.body), key: null });
  expect((await fixture.client().keys.list()).data.data).toHaveLength(2);
});

test('keys older than a day are deleted by the hourly cleaning', async () => {
  const after = (ms: number, wake: () => void) => realTimers.after(ms === 10 * 60_000 ? 1 : ms, wake);
  const fixture = await startFixture({ parts: { timers: { ...realTimers, after } } });
  await fixture.send('POST', '/v2/orders/create', { body, headers });
  fixture.passWall(25 * 60 * 60_000);
  const route = await draftRoute(fixture.client());
  await quotesOf(fixture, route.id);
  fixture.service.start();
  onTestFinished(() => fixture.service.stop());
  const keys = async () => {
    const rows = await fixture.storage.run((db) => db.selectFrom('idempotency_keys').select('key').execute());
    return rows.map(({ key }) => key);
  };
  await expect.poll(keys).not.toContain('k-1');
  expect((await keys()).length).toBeGreaterThan(0);
});

/** Refusals that pass: the request, and what lets it pass. */
const passing: Record<
  string,
  (fixture: Fixture) => Promise<{ path: string; sent?: object; pass: () => unknown }>
> = {
  quotes_not_ready: async (fixture) => {
    const client = fixture.client();
    const { id: route_id } = await draftRoute(client);
    await client.quotes.request({ params: { route_id } });
    // Its quotes have no ids yet: later it is refused because it has no such quote.
    const sent = { quote_id: 'rq_none' };
    return { path: `/v2/routes/${route_id}/dispatch`, sent, pass: () => fixture.pass(5_000) };
  },
  order_not_open: async ({ client }) => {
    const route = await draftRoute(client());
    const pass = () => client().routes.delete({ params: { route_id: route.id } });
    return { path: '/v2/routes', sent: { order_ids: route.order_ids }, pass };
  },
  duplicate_ref: async ({ client }) => {
    const orders = [orderRequest({ external_order_ref: 'A-1' })];
    const { data } = await orderMade(client().orders.create({ body: { orders } }));
    const pass = () => client().orders.cancel({ params: { order_id: data.id } });
    return { path: '/v2/orders/create', sent: { orders, unique_ref: true }, pass };
  },
  cost_above_limit: async ({ client }) => {
    const { pickup_address = '', dropoff_address, ...others } = orderRequest();
    const places = { pickup_address, dropoff_address };
    const [cheapest] = (await client().deliveries.quote({ body: places })).data;
    const { service: name = '', fee: max_cost = 0 } = cheapest ?? {};
    const set = (state: 'up' | 'down') =>
      client().sandbox.updateProvider({ params: { name }, body: { state } });
    await set('down');
    const sent = { ...places, ...others, initiate: true, max_cost };
    return { path: '/v1/delivery_information', sent, pass: () => set('up') };
  },
  webhook_endpoint_disabled: async ({ client }) => {
    const { data } = await client().webhooks.create({ body: { url: 'http://127.0.0.1:1/hooks' } });
    const params = { webhook_endpoint_id: data.id };
    await client().webhooks.update({ params, body: { status: 'disabled' } });
    const pass = () => client().webhooks.update({ params, body: { status: 'enabled' } });
    return { path: `/v2/webhook_endpoints/${data.id}/test`, pass };
  },
};

test.each(Object.entries(passing))('%s is not kept under a key', async (code, make) => {
  const fixture = await startFixture();
  const { path, sent, pass } = await make(fixture);
  const send = () => fixture.send('POST', path, { body: sent, headers });
  expect(JSON.parse((await send()).body).code).toBe(code);
  await pass();
  const passed = await send();
  expect(passed.headers['idempotent-replayed']).toBeUndefined();
  expect(JSON.parse(passed.body).code).not.toBe(code);
});

test('an empty key is refused, and creates nothing', async () => {
  const fixture = await startFixture();
  for (const empty of ['', ' '])
    for (const name of ['idempotency-key', 'x-idempotency-key']) {
      const answer = await fixture.send('POST', '/v2/orders/create', { body, headers: { [name]: empty } });
      expect([answer.status, JSON.parse(answer.body).param]).toEqual([400, 'Idempotency-Key']);
    }
  expect((await fixture.client().orders.list()).data.data).toEqual([]);
});

test('a repeat may have its fields in another order, not its lists', async () => {
  const fixture = await startFixture();
  const send = (text: string) => fixture.send('POST', '/v2/orders/create', { body: text, headers });
  const { items: _, ...order } = orderRequest();
  const items = [{ name: 'A', quantity: 1 }, { name: 'B' }];
  const first = await send(JSON.stringify({ orders: [{ ...order, items }] }));
  const turned = Object.fromEntries(Object.entries(order).toReversed());
  const again = await send(
    JSON.stringify({ orders: [{ items: [{ quantity: 1, name: 'A' }, items[1]], ...turned }] }),
  );
  expect([again.status, again.body]).toEqual([200, first.body]);
  const other = await send(JSON.stringify({ orders: [{ ...order, items: items.toReversed() }] }));
  expect(JSON.parse(other.body).code).toBe('idempotency_key_reuse');
});

test('a request that changes nothing has its key, too, and no other operation may use it', async () => {
  const fixture = await startFixture();
  const places = { body: { addresses: ['43 E Ohio St, Chicago, IL 60611'] }, headers };
  const first = await fixture.send('POST', '/v2/places', places);
  expect(first.status).toBe(200);
  const again = await fixture.send('POST', '/v2/places', places);
  expect([again.body, again.headers['idempotent-replayed']]).toEqual([first.body, 'true']);
  const other = { body: {}, headers: { 'idempotency-key': 'k-2' } };
  const codes = [];
  for (const name of ['cancel', 'initiate'])
    codes.push(JSON.parse((await fixture.send('POST', `/v1/delivery/dlv_nope/${name}`, other)).body).code);
  expect(codes).toEqual(['record_not_found', 'idempotency_key_reuse']);
});
