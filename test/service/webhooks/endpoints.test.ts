import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { max_retry_period_ms } from '../../../src/domain/retries.ts';
import { createService } from '../../../src/service/service.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startFixture } from '../fixture.ts';
import {
  attemptsIn,
  messagesIn,
  newEndpoint,
  offline,
  refusalOf,
  somewhere,
  startOffline,
} from './endpoint-fixture.ts';
import { insertEndpoint } from './received-events.ts';

const hour = 60 * 60_000;
const at = (ms: number) => new Date(ms).toISOString();

async function idsOf(client: Client, query: object = {}): Promise<string[]> {
  return (await client.webhooks.list({ query })).data.data.map(({ id }) => id);
}

test('a new endpoint subscribes to everything, and its secret is shown once', async () => {
  const { fixture, client } = await startOffline();
  const { data } = await client.webhooks.create({ body: { url: somewhere } });
  const { secret, ...endpoint } = data;
  expect(endpoint).toEqual({
    ...{ id: expect.stringMatching(/^whe_/), object: 'webhook_endpoint', url: somewhere, events: ['*'] },
    ...{ description: '', status: 'enabled', disabled_reason: '', test_mode: true },
    ...{ waiting: 0, exhausted: 0, previous_secret_until: null },
    ...{ created_at: at(fixture.now()), updated_at: at(fixture.now()) },
  });
  expect(secret).toMatch(/^whsec_/);
  expect(atob(secret?.slice('whsec_'.length) ?? '')).toHaveLength(32);
  expect((await client.webhooks.get({ params: { webhook_endpoint_id: data.id } })).data).toEqual(endpoint);
  expect((await client.webhooks.list()).data.data).toEqual([endpoint]);
});

test.each([
  [
    ['order.failed', 'batch.completed', 'order.failed'],
    ['order.failed', 'batch.completed'],
  ],
  [['order.failed', '*', 'batch.completed'], ['*']],
  [
    ['delivery.location_updated', '*', 'order.failed'],
    ['delivery.location_updated', '*'],
  ],
] as const)('subscribing to %j gives %j', async (events, kept) => {
  const { client } = await startOffline();
  const { params, ...made } = await newEndpoint(client, { events: [...events] });
  expect(made.events).toEqual(kept);
  const { data } = await client.webhooks.update({ params, body: { events: [...events] } });
  expect(data.events).toEqual(kept);
});

test('a service that is no sandbox sends to at most 25 endpoints of a mode at one host', async () => {
  const fixture = await startFixture({ sandbox: false, parts: { web: offline } });
  const client = fixture.client();
  const at = (host: string, index: number) => newEndpoint(client, { url: `https://${host}/${index}` });
  for (let count = 0; count < 24; count += 1) await at('shop.example', count);
  const last = await at('elsewhere.example', 24);
  await client.webhooks.update({ params: last.params, body: { url: 'https://shop.example/24' } });
  const refused = {
    code: 'limit_reached',
    message: expect.stringContaining('25 webhook endpoints at shop.example'),
  };
  await expect(at('SHOP.example:8443', 26)).rejects.toMatchObject(refused);
  const { params } = await at('other.example', 1);
  const moved = client.webhooks.update({ params, body: { url: 'https://shop.example/27' } });
  await expect(moved).rejects.toMatchObject(refused);
});

test('a service that is no sandbox sends ten requests at once to a host, and the others later', async () => {
  const { fixture, client } = await startOffline();
  for (let count = 0; count < 24; count += 1) await insertEndpoint(fixture, `https://shop.example/${count}`);
  await startedDelivery(client, 'happy_path');
  const hosted = createService({ ...fixture.config, sandbox: false });
  await hosted.send();
  expect(await attemptsIn(fixture)).toHaveLength(10);
  await hosted.stop();
});

test('a mode has at most a hundred endpoints, also with concurrent creations', async () => {
  const { fixture, client } = await startOffline();
  for (let count = 0; count < 99; count += 1) await insertEndpoint(fixture, somewhere);
  const two = await Promise.allSettled([newEndpoint(client), newEndpoint(client)]);
  expect(two.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  await expect(newEndpoint(client)).rejects.toMatchObject({
    code: 'limit_reached',
    message: expect.stringContaining('The limit of 100 webhook endpoints in test mode'),
  });
  await newEndpoint(fixture.client(fixture.keys.live));
  const [newest = ''] = await idsOf(client);
  await client.webhooks.delete({ params: { webhook_endpoint_id: newest } });
  await newEndpoint(client);
});

test('endpoints are listed newest first, in pages, and by status', async () => {
  const { fixture, client } = await startOffline();
  const made: string[] = [];
  for (let count = 0; count < 5; count += 1) {
    made.unshift((await newEndpoint(client)).id);
    await fixture.pass(1);
  }
  const [first = '', second = '', third = ''] = made;
  await client.webhooks.update({ params: { webhook_endpoint_id: second }, body: { status: 'disabled' } });
  const { data } = await client.webhooks.list({ query: { limit: 2 } });
  expect(data.data.map(({ id }) => id)).toEqual([first, second]);
  expect(await idsOf(client, { limit: 3, cursor: data.next_cursor })).toEqual(made.slice(2));
  expect(await idsOf(client, { status: 'disabled' })).toEqual([second]);
  expect(await idsOf(client, { status: 'enabled', limit: 2 })).toEqual([first, third]);
});

test('an update changes only the given fields', async () => {
  const { fixture, client } = await startOffline();
  const { params, secret: _, ...before } = await newEndpoint(client, { description: 'till' });
  await fixture.pass(1000);
  const change = async (body: object) => (await client.webhooks.update({ params, body })).data;
  const url = 'https://other.example';
  const moved = { ...before, url, updated_at: at(fixture.now()) };
  expect(await change({ url: 'https://OTHER.example/' })).toEqual(moved);
  expect(await change({ description: '' })).toEqual({ ...moved, description: '' });
  expect(await refusalOf(change({}))).toEqual(['invalid_request', expect.anything()]);
  expect(await refusalOf(change({ secret: 'mine' }))).toEqual(['invalid_request', 'secret']);
  expect((await client.webhooks.get({ params })).data).toEqual({ ...moved, description: '' });
});

/** When waiting messages are due, in hours from now; null for blocked and given-up ones. */
async function dueIn(fixture: Fixture) {
  const all = await messagesIn(fixture);
  return all.map(({ status, due_at }) => [status, due_at === null ? null : (due_at - fixture.now()) / hour]);
}

test('events for a disabled endpoint wait and are sent once it is enabled', async () => {
  const { fixture, client } = await startOffline();
  const { params } = await newEndpoint(client, { events: ['delivery.created', 'delivery.updated'] });
  const status = async (wanted: 'enabled' | 'disabled') =>
    (await client.webhooks.update({ params, body: { status: wanted } })).data;
  const disabled = { status: 'disabled', disabled_reason: 'disabled by the merchant' };
  expect(await status('disabled')).toMatchObject(disabled);
  await startedDelivery(client, 'happy_path');
  await fixture.pass(2 * hour);
  const waiting = (await messagesIn(fixture)).length;
  expect(waiting).toBeGreaterThan(5);
  expect(await status('disabled')).toMatchObject({ ...disabled, waiting, exhausted: 0 });
  await fixture.pass(hour);
  const enabled = { status: 'enabled', disabled_reason: '', waiting, exhausted: 0 };
  expect(await status('enabled')).toMatchObject(enabled);
  const [first, ...others] = await dueIn(fixture);
  expect(first).toEqual(['pending', 0]);
  expect(others).toEqual(others.map(() => ['pending', null]));
});

test('events older than the longest retry are abandoned when the endpoint is enabled', async () => {
  const { fixture, client } = await startOffline();
  const { params } = await newEndpoint(client, { events: ['delivery.created', 'order.canceled'] });
  const disable = () => client.webhooks.update({ params, body: { status: 'disabled' } });
  await disable();
  await startedDelivery(client, 'happy_path');
  await fixture.pass(max_retry_period_ms - hour);
  await startedDelivery(client, 'happy_path');
  await fixture.pass(hour + 1);
  const { data } = await client.webhooks.update({ params, body: { status: 'enabled' } });
  expect(data).toMatchObject({ waiting: 1, exhausted: 1 });
  expect(await attemptsIn(fixture)).toMatchObject([{ number: 0 }]);
  expect(await dueIn(fixture)).toEqual([
    ['exhausted', null],
    ['pending', 0],
  ]);
  await fixture.pass(2 * max_retry_period_ms);
  const again = await client.webhooks.update({ params, body: { status: 'enabled' } });
  expect(again.data).toMatchObject({ waiting: 1, exhausted: 1 });
  // Nothing is kept for an endpoint that is disabled for that long.
  await disable();
  await fixture.pass(max_retry_period_ms + 1);
  await startedDelivery(client, 'happy_path');
  expect(await messagesIn(fixture)).toHaveLength(2);
});

test('an endpoint is deleted with its waiting events, also while more arrive', async () => {
  const { fixture, client } = await startOffline();
  const [{ params, id }, kept] = [await newEndpoint(client), await newEndpoint(client)];
  await client.webhooks.test({ params });
  await startedDelivery(client, 'happy_path');
  const [{ data }] = await Promise.all([
    client.webhooks.delete({ params }),
    startedDelivery(client, 'happy_path'),
  ]);
  expect(data).toEqual({ id, object: 'webhook_endpoint', deleted: true });
  await startedDelivery(client, 'happy_path');
  expect(await attemptsIn(fixture)).toEqual([]);
  const left = await messagesIn(fixture);
  expect(left.map(({ endpoint_id }) => endpoint_id)).toEqual([kept.id, kept.id, kept.id]);
  expect(await refusalOf(client.webhooks.delete({ params }))).toEqual(['record_not_found']);
});

test('a reset of the sandbox keeps the endpoints and deletes their waiting events', async () => {
  const { fixture, client } = await startOffline();
  const { params } = await newEndpoint(client);
  const live = await newEndpoint(fixture.client(fixture.keys.live));
  await startedDelivery(client, 'happy_path');
  await client.webhooks.test({ params });
  expect((await client.webhooks.attempts({ params })).data.data).toHaveLength(1);
  await client.sandbox.reset({ body: {} });
  expect((await client.webhooks.get({ params })).data).toMatchObject({ status: 'enabled', waiting: 0 });
  expect((await client.webhooks.attempts({ params })).data.data).toEqual([]);
  expect(await messagesIn(fixture)).toEqual([]);
  await startedDelivery(client, 'happy_path');
  expect((await client.webhooks.get({ params })).data.waiting).toBe(1);
  expect(await idsOf(fixture.client(fixture.keys.live))).toEqual([live.id]);
});
