import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { EventType } from '../../../src/contract/vocabulary.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { messagesIn, newEndpoint, receiving } from './endpoint-fixture.ts';
import { eventsOf } from './received-events.ts';

const hour = 60 * 60_000;

/** The first event of a new delivery. */
async function eventOf(client: Client, type: EventType = 'delivery.created') {
  const [event] = (await client.events.list({ query: { type } })).data.data;
  if (event === undefined) throw new Error(`there is no event ${type}`);
  return { event_id: event.id };
}

test('a delivered event is sent again to all enabled subscribers', async () => {
  const { fixture, receiver, client } = await receiving();
  const [one, two] = [
    await newEndpoint(client, { url: `${receiver.url}/1` }),
    await newEndpoint(client, { url: `${receiver.url}/2`, events: ['*'] }),
  ];
  await newEndpoint(client, { url: `${receiver.url}/3`, events: ['order.failed'] });
  const { params: off } = await newEndpoint(client, { url: `${receiver.url}/4` });
  await client.webhooks.update({ params: off, body: { status: 'disabled' } });
  await newEndpoint(fixture.client(fixture.keys.live), { url: `${receiver.url}/5` });
  await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  receiver.received.splice(0);
  const params = await eventOf(client);
  const { data } = await client.events.resend({ params, body: {} });
  expect(data).toEqual({
    ...{ object: 'event_resend', event_id: params.event_id },
    webhook_endpoint_ids: [one.id, two.id].sort(),
  });
  expect((await client.webhooks.get(one)).data.waiting).toBe(1);
  await fixture.service.send();
  expect(receiver.received.map(({ path }) => path).sort()).toEqual(['/1', '/2']);
  expect(eventsOf(receiver.received).map(({ id }) => id)).toEqual([params.event_id, params.event_id]);
  const { data: attempts } = await client.webhooks.attempts({ params: one.params });
  expect(attempts.data.map(({ number, status }) => [number, status])).toEqual([
    [1, 'succeeded'],
    [1, 'succeeded'],
  ]);
});

test('a named endpoint gets any event of its mode', async () => {
  const { fixture, receiver, client } = await receiving();
  const { id } = await newEndpoint(client, { url: receiver.url, events: ['order.failed'] });
  await startedDelivery(client, 'happy_path');
  const params = await eventOf(client);
  const { data } = await client.events.resend({ params, body: { webhook_endpoint_id: id } });
  expect(data.webhook_endpoint_ids).toEqual([id]);
  await fixture.service.send();
  expect(eventsOf(receiver.received)).toMatchObject([{ id: params.event_id }]);
  const nobody = await client.events.resend({ params, body: {} });
  expect(nobody.data.webhook_endpoint_ids).toEqual([]);
});

test('an abandoned event starts again with the first attempt and does not delay its delivery', async () => {
  const { fixture, receiver, client } = await receiving((_, nth) => (nth <= 2 ? { status: 500 } : {}));
  const asked = { url: receiver.url, events: ['delivery.created' as const, 'delivery.updated' as const] };
  const { params: endpoint } = await newEndpoint(client, asked);
  const delivery = await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  await client.webhooks.update({ params: endpoint, body: { status: 'disabled' } });
  await fixture.pass(100 * hour);
  await client.webhooks.update({ params: endpoint, body: { status: 'enabled' } });
  const { data: before } = await client.webhooks.get({ params: endpoint });
  expect([before.waiting, before.exhausted > 5]).toEqual([0, true]);
  const params = await eventOf(client);
  await client.events.resend({ params, body: {} });
  const { data: after } = await client.webhooks.get({ params: endpoint });
  expect([after.waiting, after.exhausted]).toEqual([1, before.exhausted - 1]);
  await fixture.service.send();
  // It fails, and waits; new events of the same delivery do not wait for it.
  await client.deliveries.dispute({ params: { deliveryid: delivery.id }, body: { reason: 'Broken' } });
  await fixture.service.send();
  await fixture.pass(hour);
  await fixture.service.send();
  const events = eventsOf(receiver.received).map(({ id, sequence }) => [id === params.event_id, sequence]);
  expect(events.slice(0, 2)).toEqual([
    [true, 1],
    [true, 1],
  ]);
  expect(events.at(-1)).toEqual([true, 1]);
  expect(events[2]?.[1]).toBeGreaterThan(5);
  const query = { event_id: params.event_id };
  const { data } = await client.webhooks.attempts({ params: endpoint, query });
  expect(data.data.map(({ number }) => number)).toEqual([2, 1, 1]);
});

test('resending a waiting event sends it at once, after the earlier ones', async () => {
  const { fixture, receiver, client } = await receiving((_, nth) => (nth === 1 ? { status: 500 } : {}));
  const { params: endpoint } = await newEndpoint(client, {
    url: receiver.url,
    events: ['delivery.created', 'delivery.updated'],
  });
  const { id: deliveryid } = await startedDelivery(client, 'happy_path');
  await client.deliveries.edit({ params: { deliveryid }, body: { dropoff_notes: 'Ring' } });
  await fixture.service.send();
  await fixture.pass(1000);
  expect([await fixture.service.send(), receiver.received.length]).toEqual([0, 1]);
  const [before] = await messagesIn(fixture);
  const params = await eventOf(client, 'delivery.updated');
  const count = (await messagesIn(fixture)).length;
  await client.events.resend({ params, body: {} });
  const after = await messagesIn(fixture);
  expect(after).toHaveLength(count);
  expect(after[0]).toMatchObject({ event_id: before?.event_id, due_at: fixture.now(), attempts: 0 });
  await fixture.service.send();
  const [, ...arrived] = eventsOf(receiver.received);
  expect(arrived.map(({ sequence }) => sequence)).toEqual(arrived.map((_, index) => index + 1));
  expect(arrived.map(({ id }) => id)).toContain(params.event_id);
  expect((await client.webhooks.get({ params: endpoint })).data.waiting).toBe(0);
});

test('resent events of one delivery arrive in the order of the requests', async () => {
  const failures: boolean[] = [];
  const { fixture, receiver, client } = await receiving(() => (failures.shift() ? { status: 500 } : {}));
  const { params: endpoint } = await newEndpoint(client, {
    url: receiver.url,
    events: ['delivery.created', 'delivery.updated'],
  });
  const delivery = await startedDelivery(client, 'happy_path');
  await fixture.pass(hour);
  await fixture.service.send();
  const { data } = await client.events.list({ query: { delivery_id: delivery.id, limit: 100 } });
  const numbered = data.data.filter(({ sequence }) => sequence !== null).reverse();
  receiver.received.splice(0);
  for (const { id } of numbered) await client.events.resend({ params: { event_id: id }, body: {} });
  // The first fails: the following ones wait.
  failures.push(true);
  await fixture.service.send();
  await fixture.pass(hour);
  await fixture.service.send();
  const [failed, ...sequences] = eventsOf(receiver.received).map(({ sequence }) => sequence);
  expect(failed).toBe(1);
  expect(sequences.length).toBeGreaterThan(5);
  expect(sequences).toEqual(numbered.map(({ sequence }) => sequence));
  expect((await client.webhooks.get({ params: endpoint })).data.waiting).toBe(0);
});

test('resending twice, at once or by a repeat, sends once', async () => {
  const { fixture, receiver, client } = await receiving();
  await newEndpoint(client, { url: receiver.url });
  await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  const params = await eventOf(client);
  const send = () => client.events.resend({ params, body: {}, idempotencyKey: 'k' });
  const [first] = await Promise.all([send(), client.events.resend({ params, body: {} })]);
  expect((await send()).data).toEqual(first.data);
  expect(await messagesIn(fixture)).toHaveLength(1);
  await fixture.service.send();
  expect(receiver.received).toHaveLength(2);
  expect((await send()).replayed).toBe(true);
  expect(await messagesIn(fixture)).toEqual([]);
});

test.each([true, false])('a test event is resent to the tested endpoint; named: %s', async (isNamed) => {
  const { fixture, receiver, client } = await receiving();
  const { params: endpoint, id } = await newEndpoint(client, { url: receiver.url, events: ['*'] });
  await newEndpoint(client, { url: receiver.url, events: ['*'] });
  const { data } = await client.webhooks.test({ params: endpoint });
  const params = { event_id: data.event_id };
  await client.events.resend({ params, body: isNamed ? { webhook_endpoint_id: id } : {} });
  await fixture.service.send();
  expect(eventsOf(receiver.received).map((event) => event.id)).toEqual([data.event_id, data.event_id]);
  const { data: attempts } = await client.webhooks.attempts({ params: endpoint });
  expect(attempts.data.map(({ number }) => number)).toEqual([1, 1]);
});
