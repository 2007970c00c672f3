import { expect, test } from 'vitest';
import { createService } from '../../src/service/service.ts';
import { readSetting } from '../../src/storage/settings.ts';
import { draftRoute, type Fixture, orderRequest, sendTo, start, startFixture } from './fixture.ts';
import { receiving } from './webhooks/endpoint-fixture.ts';
import { insertEndpoint } from './webhooks/received-events.ts';

const hour_ms = 3_600_000;
const at = (ms: number) => new Date(start + ms).toISOString();

/** The x-service-time of an answer to a key. */
async function timeOf(fixture: Fixture, key: string, path = '/v2/account'): Promise<string | undefined> {
  return (await fixture.send('GET', path, { headers: { 'x-api-key': key } })).headers['x-service-time'];
}

/** The status of the only order of a live batch. */
async function liveBatch(fixture: Fixture) {
  const live = fixture.client(fixture.keys.live);
  const settings = { mechanism: 'auto', retry_window: 3_600, retry_interval: 600 } as const;
  await live.orders.create({ body: { orders: [orderRequest()], settings } });
  await fixture.service.tick();
  return async () => (await live.batches.list()).data.data[0]?.counts;
}

test('a test key sets the clock of test mode only', async () => {
  const fixture = await startFixture();
  const { test: testKey, live } = fixture.keys;
  await fixture.client().clock.advance({ body: { by: 3_600 } });
  await fixture.client().clock.set({ body: { mode: 'scaled', rate: 60 } });
  expect([await timeOf(fixture, testKey), await timeOf(fixture, live)]).toEqual([at(hour_ms), at(0)]);
  await fixture.pass(1_000);
  expect([await timeOf(fixture, testKey), await timeOf(fixture, live)]).toEqual([
    at(hour_ms + 60_000),
    at(1_000),
  ]);
  const { data } = await fixture.client(live).deliveries.create({ body: orderRequest() });
  expect(data.created_at).toBe(at(1_000));
});

test('requests without a valid key see the clock of live mode', async () => {
  const fixture = await startFixture();
  await fixture.client().clock.advance({ body: { by: 3_600 } });
  expect(await timeOf(fixture, '', '/health')).toBe(at(0));
  expect(await timeOf(fixture, 'wb_test_nobody')).toBe(at(0));
});

test.each([{ drain: true }, { by: 86_400 }, { next: true }])(
  'an advance by %o does no live work',
  async (body) => {
    const fixture = await startFixture();
    const counts = await liveBatch(fixture);
    await fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true } });
    const { data } = await fixture.client().clock.advance({ body });
    expect(data.steps).toBeGreaterThan(0);
    expect(await counts()).toMatchObject({ pending: 1 });
    // The last attempt of the window.
    for (let minutes = 10; minutes <= 60; minutes += 10) await fixture.pass(10 * 60_000);
    expect(await counts()).toMatchObject({ pending: 0, unfulfilled: 1 });
  },
);

test('the next due time of test mode ignores live work', async () => {
  const fixture = await startFixture();
  await liveBatch(fixture);
  expect((await fixture.client().clock.get()).data.next_due_at).toBeNull();
});

test('a manual clock delays neither live work nor live webhooks', async () => {
  const { fixture, receiver } = await receiving((_request, nth) => (nth === 1 ? { status: 500 } : {}));
  await insertEndpoint(fixture, receiver.url, { test_mode: 0, events: '["delivery.created"]' });
  await fixture.client().clock.set({ body: { mode: 'manual' } });
  const counts = await liveBatch(fixture);
  await fixture.client(fixture.keys.live).deliveries.create({ body: orderRequest() });
  await fixture.service.send();
  for (let minutes = 10; minutes <= 60; minutes += 10) await fixture.pass(10 * 60_000);
  expect(await counts()).toMatchObject({ unfulfilled: 1 });
  expect([await fixture.service.send(), receiver.received.length]).toEqual([1, 2]);
});

test('an advance sends no live webhooks', async () => {
  const { fixture, receiver } = await receiving();
  await insertEndpoint(fixture, receiver.url, { test_mode: 0 });
  await fixture.client(fixture.keys.live).deliveries.create({ body: orderRequest() });
  await fixture.client().clock.advance({ body: { by: 60 } });
  expect(receiver.received).toEqual([]);
  expect([await fixture.service.send(), receiver.received.length]).toEqual([1, 1]);
});

test('a rotated secret of a live endpoint expires by the clock of live mode', async () => {
  const { fixture, receiver } = await receiving();
  const live = fixture.client(fixture.keys.live);
  const { id } = await insertEndpoint(fixture, receiver.url, { test_mode: 0, events: '["batch.completed"]' });
  const params = { webhook_endpoint_id: id };
  await live.webhooks.rotate({ params });
  const signatures = async () => {
    await live.webhooks.test({ params });
    return String(receiver.received.at(-1)?.headers['webhook-signature']).split(' ').length;
  };
  await fixture.client().clock.advance({ body: { by: 30 * 86_400 } });
  expect(await signatures()).toBe(2);
  await fixture.pass(30 * 24 * hour_ms);
  expect(await signatures()).toBe(1);
});

test('a reset with a seed changes the randomness of test records only', async () => {
  const idOf = async (seed: string | null) => {
    const fixture = await startFixture();
    const live = fixture.client(fixture.keys.live);
    if (seed !== null) await fixture.client().sandbox.reset({ body: { seed } });
    const made = async (client: typeof live) =>
      (await client.stores.create({ body: store, idempotencyKey: 'same' })).data.id;
    return [await made(live), await made(fixture.client())];
  };
  const [live, ofTest] = await idOf(null);
  const [liveAgain, other] = await idOf('another');
  expect(liveAgain).toBe(live);
  expect(other).not.toBe(ofTest);
});

const store = { name: 'Shop', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' };

test('a tracking page uses the clock of its delivery’s mode', async () => {
  const fixture = await startFixture();
  const pageOf = async (key: string) => {
    const body = { ...orderRequest(), initiate: false };
    const { data } = await fixture.client(key).deliveries.create({ body });
    const { pathname } = new URL(data.tracking_url);
    await fixture.client().clock.advance({ body: { by: 3_600 } });
    return (await fixture.send('GET', pathname, { headers: { 'x-api-key': '' } })).body;
  };
  expect(await pageOf(fixture.keys.live)).toContain(`data-now="${at(0)}"`);
  expect(await pageOf(fixture.keys.test)).toContain(`data-now="${at(2 * hour_ms)}"`);
});

test('an interrupted advance does not block live requests', async () => {
  const fixture = await startFixture();
  await fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true } });
  const stopping = createService({
    ...fixture.config,
    crash: (point) => {
      if (point === 'clock.between_steps') void stopping.stop();
    },
  });
  const advance = sendTo(stopping, fixture.keys.test)('POST', '/v2/sandbox/clock/advance', {
    body: { drain: true },
  });
  expect((await advance).status).toBe(503);
  const isCutOff = async () => {
    const clock = await fixture.storage.run((db) => readSetting(db, 'clock'));
    return JSON.parse(clock ?? '').advance !== null;
  };
  expect(await isCutOff()).toBe(true);
  await draftRoute(fixture.client(fixture.keys.live));
  expect(await isCutOff()).toBe(true);
  await draftRoute(fixture.client());
  expect(await isCutOff()).toBe(false);
});
