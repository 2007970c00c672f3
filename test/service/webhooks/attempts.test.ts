import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { newEndpoint, receiving, refusalOf } from './endpoint-fixture.ts';

type Input = Parameters<Client['webhooks']['attempts']>[0];

async function listed(client: Client, input: Input) {
  return (await client.webhooks.attempts(input)).data.data;
}

/** An endpoint whose only event was delivered with its third attempt. */
async function tried() {
  const { fixture, receiver, client } = await receiving((_, nth) =>
    nth < 3 ? { status: 500, body: `ouch ${nth}` } : {},
  );
  const { params, id } = await newEndpoint(client, { url: receiver.url });
  const delivery = await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  for (const seconds of [6, 331]) {
    await fixture.pass(seconds * 1000);
    await fixture.service.send();
  }
  return { fixture, client, params, endpoint_id: id, delivery };
}

test('every attempt is listed, newest first, each with the time of the next', async () => {
  const { fixture, client, params, endpoint_id, delivery } = await tried();
  const [third, second, first, ...others] = await listed(client, { params });
  expect(others).toEqual([]);
  const common = {
    ...{ object: 'webhook_attempt', webhook_endpoint_id: endpoint_id, event_id: third?.event_id },
    ...{ event_type: 'delivery.created', delivery_id: delivery.id, sequence: 1, test_mode: true },
  };
  const failed = { status: 'failed', status_code: 500 };
  expect(first).toMatchObject({ ...common, ...failed, number: 1, response: 'ouch 1' });
  expect(second).toMatchObject({ ...common, ...failed, number: 2, response: 'ouch 2' });
  const done = { status: 'succeeded', status_code: 200, reason: '', response: '', next_attempt_at: null };
  expect(third).toMatchObject({ ...common, ...done, number: 3 });
  expect(third?.created_at).toBe(new Date(fixture.now()).toISOString());
  for (const [attempt, after_ms] of [
    [first, 5_000],
    [second, 300_000],
  ] as const) {
    const planned_ms = Date.parse(attempt?.next_attempt_at ?? '') - Date.parse(attempt?.created_at ?? '');
    expect(planned_ms).toBeGreaterThanOrEqual(after_ms);
    expect(planned_ms).toBeLessThanOrEqual(after_ms * 1.1 + 1000);
  }
});

test('attempts are listed in pages, by status, by event, and as the last of each event', async () => {
  const { client, params } = await tried();
  await client.webhooks.test({ params });
  const all = await listed(client, { params });
  const numbers = async (query: NonNullable<Input['query']>) =>
    (await listed(client, { params, query })).map(({ event_type, number }) => `${event_type} ${number}`);
  const [tested = '', third = '', second = '', first = ''] = await numbers({});
  expect(all).toHaveLength(4);
  expect(tested).toBe('webhook.test 1');
  expect(await numbers({ status: 'failed' })).toEqual([second, first]);
  expect(await numbers({ status: 'succeeded' })).toEqual([tested, third]);
  expect(await numbers({ event_id: all[3]?.event_id })).toEqual([third, second, first]);
  expect(await numbers({ last: true })).toEqual([tested, third]);
  expect(await numbers({ last: true, status: 'failed' })).toEqual([]);
  const { data: page } = await client.webhooks.attempts({ params, query: { limit: 3 } });
  expect(page.data).toEqual(all.slice(0, 3));
  expect(page.has_more).toBe(true);
  expect(await numbers({ limit: 3, cursor: page.next_cursor ?? '' })).toEqual([first]);
  for (const cursor of ['zzz', btoa('evt_01KJQ6PSG0ARQQ5FV69EZ2ZJF3')]) {
    const refused = client.webhooks.attempts({ params, query: { cursor } });
    expect(await refusalOf(refused)).toEqual(['invalid_request', 'cursor']);
  }
});

test('an abandoned event has no further automatic attempt', async () => {
  const { fixture, receiver, client } = await receiving(() => ({ status: 500 }));
  const { params } = await newEndpoint(client, { url: receiver.url });
  await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  const givenUp = () => listed(client, { params, query: { last: true, status: 'failed' } });
  const [attempt] = await listed(client, { params });
  expect(attempt?.next_attempt_at).not.toBeNull();
  expect(await givenUp()).toEqual([]);
  await client.webhooks.update({ params, body: { status: 'disabled' } });
  await fixture.pass(100 * 60 * 60_000);
  await client.webhooks.update({ params, body: { status: 'enabled' } });
  expect(await givenUp()).toEqual([{ ...attempt, next_attempt_at: null }]);
});

test('an event abandoned before its first attempt is listed until it is resent', async () => {
  const { fixture, receiver, client } = await receiving();
  const { params } = await newEndpoint(client, { url: receiver.url, events: ['*'] });
  await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  const [arrived] = await listed(client, { params, query: { limit: 1 } });
  const resent = { event_id: arrived?.event_id ?? '' };
  await client.events.resend({ params: resent, body: {} });
  await client.webhooks.update({ params, body: { status: 'disabled' } });
  const { id } = await startedDelivery(client, 'happy_path');
  await fixture.pass(100 * 60 * 60_000);
  const { data: endpoint } = await client.webhooks.update({ params, body: { status: 'enabled' } });
  const query = { last: true, status: 'failed', limit: 100 } as const;
  const givenUp = await listed(client, { params, query });
  expect(givenUp).toHaveLength(endpoint.exhausted);
  expect(givenUp.filter(({ delivery_id }) => delivery_id === id).length).toBeGreaterThan(5);
  expect(givenUp.map(({ event_id }) => event_id)).toContain(resent.event_id);
  for (const attempt of givenUp) {
    expect(attempt).toMatchObject({ number: 0, status_code: null, next_attempt_at: null, duration_ms: 0 });
    expect(attempt.reason).toBe('not sent: it waited longer than the retry period');
    expect(attempt.created_at).toBe(new Date(fixture.now()).toISOString());
  }
  expect(new Set(givenUp.map((attempt) => attempt.id)).size).toBe(givenUp.length);
  await client.events.resend({ params: resent, body: {} });
  expect(await listed(client, { params, query })).toHaveLength(givenUp.length - 1);
  await fixture.service.send();
  expect(await listed(client, { params, query })).toHaveLength(givenUp.length - 1);
});
