import { expect, test } from 'vitest';
import { scenarios } from '../../../src/domain/scenarios.ts';
import { firstAccount } from '../../../src/storage/accounts.ts';
import {
  draftRoute,
  type Fixture,
  orderMade,
  orderRequest,
  startClient,
  start as startedAt,
  startFixture,
} from '../fixture.ts';
import { askedRoute } from '../route-runs.ts';

const at = (ms: number) => new Date(startedAt + ms).toISOString();

async function settingsOf(fixture: Fixture): Promise<unknown> {
  const row = await fixture.storage.run((db) => firstAccount(db));
  return JSON.parse(row?.test_settings ?? '');
}

async function refusal(fixture: Fixture, method: string, path: string, body?: unknown) {
  const answer = await fixture.send(method, path, { body });
  const { code, details = [] }: { code: string; details?: { path: string }[] } = JSON.parse(answer.body);
  return [code, ...details.map(({ path }) => path)];
}

/** The responses of a new round by provider, once complete. */
async function round(fixture: Fixture) {
  const params = await askedRoute(fixture.client());
  const statusAfter = async (ms: number) => {
    await fixture.pass(ms);
    return (await fixture.client().quotes.list({ params })).data;
  };
  return { statusAfter };
}

test('every scenario is listed with its phone number', async () => {
  const { data } = await (await startFixture()).client().sandbox.scenarios();
  expect(data.object).toBe('scenarios');
  expect(data.data.map(({ name }) => name)).toEqual(Object.keys(scenarios));
  expect(data.data.find(({ name }) => name === 'no_driver')).toEqual({
    name: 'no_driver',
    number: scenarios.no_driver.number,
    happens: scenarios.no_driver.happens,
    money: scenarios.no_driver.money,
  });
});

test('the default scenario can be set and removed, and applies to orders without one', async () => {
  const fixture = await startFixture();
  const { sandbox, deliveries } = fixture.client();
  expect((await sandbox.settings()).data).toEqual({ object: 'sandbox_settings', default_scenario: null });
  const chosen = await sandbox.updateSettings({ body: { default_scenario: 'payment_declined' } });
  expect(chosen.data.default_scenario).toBe('payment_declined');
  expect((await sandbox.settings()).data.default_scenario).toBe('payment_declined');
  const body = { ...orderRequest(), initiate: true };
  expect((await deliveries.create({ body })).data.status).toBe('failed');
  expect(await settingsOf(fixture)).toEqual({ default_scenario: 'payment_declined' });
  await sandbox.updateSettings({ body: {} });
  expect((await sandbox.settings()).data.default_scenario).toBeNull();
  expect(await settingsOf(fixture)).toEqual({});
  expect((await deliveries.create({ body })).data.status).toBe('delivery_created');
});

test('an unknown scenario is refused with similar names', async () => {
  const fixture = await startFixture();
  const answer = await fixture.send('PATCH', '/v2/sandbox/settings', {
    body: { default_scenario: 'driver' },
  });
  expect(answer.status).toBe(422);
  const { code, message }: { code: string; message: string } = JSON.parse(answer.body);
  expect(code).toBe('simulation_unknown');
  expect(message).toContain('no_driver');
});

test.each([
  ['GET', '/v2/sandbox/clock', undefined],
  ['POST', '/v2/sandbox/clock', { mode: 'manual' }],
  ['POST', '/v2/sandbox/clock/advance', { by: 1 }],
  ['GET', '/v2/sandbox/scenarios', undefined],
  ['GET', '/v2/sandbox/settings', undefined],
  ['PATCH', '/v2/sandbox/settings', { default_scenario: null }],
  ['GET', '/v2/sandbox/providers/swiftly', undefined],
  ['GET', '/v2/sandbox/deliveries/dlv_nope/steps', undefined],
  ['PATCH', '/v2/sandbox/providers/swiftly', { state: 'down' }],
  ['POST', '/v2/sandbox/reset', {}],
])('%s %s needs a test key of a sandbox', async (method, path, body) => {
  const fixture = await startFixture();
  const live = await fixture.send(method, path, { body, headers: { 'x-api-key': fixture.keys.live } });
  expect(JSON.parse(live.body)).toMatchObject({ code: 'simulation_not_allowed' });
  const hosted = await startFixture({ sandbox: false });
  expect(await refusal(hosted, method, path, body)).toEqual(['simulation_not_allowed']);
});

test('a provider that is down does not respond for the given service time', async () => {
  const fixture = await startFixture();
  const { sandbox } = fixture.client();
  const params = { name: 'swiftly' };
  const well = { object: 'sandbox_provider', name: 'swiftly', state: 'up', slow_seconds: null, until: null };
  expect((await sandbox.provider({ params })).data).toEqual(well);
  const down = await sandbox.updateProvider({ params, body: { state: 'down', for_seconds: 60 } });
  expect(down.data).toEqual({ ...well, state: 'down', until: at(60_000) });
  expect((await sandbox.provider({ params })).data).toEqual(down.data);
  const { data, reasons } = await (await round(fixture)).statusAfter(10_000);
  expect(data?.map(({ provider }) => provider).sort()).toEqual(['haulvan', 'metrobike', 'poolride']);
  const silent = { provider: 'swiftly', code: 'no_answer', reason: 'swiftly did not answer' };
  expect(reasons).toContainEqual(silent);
  await fixture.pass(50_000);
  expect((await sandbox.provider({ params })).data).toEqual(well);
  const later = await (await round(fixture)).statusAfter(10_000);
  expect(later.data?.map(({ provider }) => provider)).toContain('swiftly');
});

test('a slow provider responds later, by half a minute by default', async () => {
  const fixture = await startFixture();
  const { sandbox } = fixture.client();
  const params = { name: 'swiftly' };
  const slow = await sandbox.updateProvider({ params, body: { state: 'slow' } });
  expect(slow.data).toMatchObject({ state: 'slow', slow_seconds: 30, until: null });
  const first = await round(fixture);
  expect((await first.statusAfter(31_999)).status).toBe('PENDING');
  expect((await first.statusAfter(1)).status).toBe('COMPLETE');
  await sandbox.updateProvider({ params, body: { state: 'slow', slow_seconds: 5 } });
  const second = await round(fixture);
  expect((await second.statusAfter(6_999)).status).toBe('PENDING');
  expect((await second.statusAfter(1)).status).toBe('COMPLETE');
});

test('setting a provider to up removes its outage', async () => {
  const fixture = await startFixture();
  const { sandbox } = fixture.client();
  for (const name of ['swiftly', 'haulvan']) {
    await sandbox.updateProvider({ params: { name }, body: { state: 'no_capacity' } });
  }
  await sandbox.updateProvider({ params: { name: 'swiftly' }, body: { state: 'up' } });
  expect((await sandbox.provider({ params: { name: 'haulvan' } })).data.state).toBe('no_capacity');
  const outage = { state: 'no_capacity', slow_seconds: null, until: null };
  expect(await settingsOf(fixture)).toEqual({ outages: { haulvan: outage } });
});

test.each([
  ['an unknown provider', 'zoomly', { state: 'down' }, ['record_not_found']],
  [
    'seconds of slowness while down',
    'swiftly',
    { state: 'down', slow_seconds: 5 },
    ['invalid_request', 'slow_seconds'],
  ],
  ['a length of being up', 'swiftly', { state: 'up', for_seconds: 5 }, ['invalid_request', 'for_seconds']],
])('%s is refused', async (_what, name, body, expected) => {
  const fixture = await startFixture();
  expect(await refusal(fixture, 'PATCH', `/v2/sandbox/providers/${name}`, body)).toEqual(expected);
  expect(await refusal(fixture, 'GET', '/v2/sandbox/providers/zoomly')).toEqual(['record_not_found']);
});

test('a reset deletes all test records, tasks and sandbox settings', async () => {
  const { fixture, client } = await startClient();
  const live = fixture.client(fixture.keys.live);
  await orderMade(live.orders.create({ body: { orders: [orderRequest()] } }));
  await client.deliveries.create({ body: { ...orderRequest(), initiate: true } });
  await draftRoute(client);
  await client.sandbox.updateSettings({ body: { default_scenario: 'no_driver' } });
  await client.sandbox.updateProvider({ params: { name: 'swiftly' }, body: { state: 'down' } });
  expect((await client.clock.get()).data.next_due_at).not.toBeNull();
  const reset = await client.sandbox.reset({ body: {} });
  expect(reset.data).toEqual({ object: 'sandbox_reset', deleted: 1 });
  expect((await client.orders.list()).data.data).toEqual([]);
  expect((await client.deliveries.list()).data.data).toEqual([]);
  expect((await client.clock.get()).data.next_due_at).toBeNull();
  expect(await settingsOf(fixture)).toEqual({});
  expect((await live.orders.list()).data.data).toHaveLength(1);
  expect((await client.account.get()).data.test_mode).toBe(true);
});

test('a reset returns to real time and never sets time back', async () => {
  const { fixture, client } = await startClient();
  await client.clock.set({ body: { mode: 'manual' } });
  await client.clock.advance({ body: { by: 3_600 } });
  await client.sandbox.reset({ body: {} });
  expect((await client.clock.get()).data).toMatchObject({ mode: 'real', rate: 1, now: at(3_600_000) });
  await client.clock.set({ body: { mode: 'manual' } });
  await fixture.pass(2 * 3_600_000);
  await client.sandbox.reset({ body: {} });
  expect((await client.clock.get()).data.now).toBe(at(2 * 3_600_000));
});

test('a repeated reset gets the same response and deletes nothing more', async () => {
  const { fixture, client } = await startClient();
  const body = { ...orderRequest(), initiate: true };
  await client.deliveries.create({ body });
  const send = () => fixture.send('POST', '/v2/sandbox/reset', { headers: { 'idempotency-key': 'again' } });
  const first = await send();
  await client.deliveries.create({ body });
  expect((await send()).body).toBe(first.body);
  expect(JSON.parse(first.body).deleted).toBe(1);
  expect((await client.deliveries.list()).data.data).toHaveLength(1);
});
