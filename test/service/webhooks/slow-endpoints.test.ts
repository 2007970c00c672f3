import { expect, test } from 'vitest';
import { wallClock } from '../../../src/service/runtime/time.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { orderRequest } from '../fixture.ts';
import { hasty, receiving } from './endpoint-fixture.ts';
import { eventsOf, insertEndpoint, publishedEvents } from './received-events.ts';
import type { Answering, Received } from './receiver.ts';

// Real time passes here, because slowness is measured in it.

const slowly = (answer: Answering) => receiving(answer, { parts: { wall: wallClock, timers: hasty } });

const at = (path: string, { received }: { received: readonly Received[] }) =>
  received.filter((one) => one.path === path);

test('a stalled endpoint delays neither an advance of the clock nor other endpoints', async () => {
  const { fixture, receiver, client } = await slowly(({ path }) => (path === '/dead' ? 'hang' : {}));
  await insertEndpoint(fixture, `${receiver.url}/dead`);
  await insertEndpoint(fixture, `${receiver.url}/well`);
  const { id } = await startedDelivery(client, 'happy_path');
  // On a busy machine one request of an advance ends before all is done.
  for (let more = true; more; ) {
    const body = { until: { delivery_id: id, status: 'delivered' } } as const;
    more = (await client.clock.advance({ body })).data.more;
  }
  const published = await publishedEvents(fixture);
  expect(at('/well', receiver)).toHaveLength(published.length);
  expect(at('/dead', receiver).length).toBeLessThan(5);
});

test('deliveries with stalled requests delay no others at the endpoint, however often they are retried', async () => {
  const bad = (body: string) => body.includes('"external_order_ref":"bad');
  const { fixture, receiver, client } = await slowly(({ body }, nth) => {
    if (!bad(body)) return {};
    return nth < 5 ? { status: 500 } : 'hang';
  });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  await startedDelivery(client, 'happy_path', { external_order_ref: 'good-0' });
  await fixture.service.send();
  for (let count = 0; count < 8; count += 1) {
    await startedDelivery(client, 'happy_path', { external_order_ref: `bad-${count}` });
  }
  void fixture.service.send();
  await expect.poll(() => receiver.received.length).toBe(9);
  for (let count = 1; count <= 30; count += 1) {
    await client.deliveries.create({ body: { ...orderRequest(), external_order_ref: `good-${count}` } });
  }
  const good = () => receiver.received.filter(({ body }) => !bad(body));
  await expect.poll(() => good().length).toBe(31);
});

test('many stalled endpoints leave room for one that responds', async () => {
  const { fixture, receiver, client } = await slowly(({ path }) => (path === '/well' ? {} : 'hang'));
  for (let count = 0; count < 60; count += 1) await insertEndpoint(fixture, `${receiver.url}/${count}`);
  await insertEndpoint(fixture, `${receiver.url}/well`);
  for (let count = 0; count < 20; count += 1) await startedDelivery(client, 'happy_path');
  void fixture.service.send();
  const published = await publishedEvents(fixture);
  await expect.poll(() => at('/well', receiver).length).toBe(published.length);
});

test('a change of an endpoint applies to everything sent after it', async () => {
  const { fixture, receiver, client } = await slowly(async () => {
    await new Promise((resolve) => setTimeout(resolve, 150));
    return {};
  });
  const { data: endpoint } = await client.webhooks.create({ body: { url: `${receiver.url}/old` } });
  const params = { webhook_endpoint_id: endpoint.id };
  for (let count = 0; count < 100; count += 1) await client.deliveries.create({ body: orderRequest() });
  const sending = fixture.service.send();
  await expect.poll(() => receiver.received.length).toBeGreaterThan(3);
  await client.webhooks.update({ params, body: { url: `${receiver.url}/new` } });
  await client.webhooks.rotate({ params });
  const before = at('/old', receiver).length;
  await sending;
  expect(receiver.received.length).toBeLessThanOrEqual(120);
  // At most the running attempts were sent after it.
  expect(at('/old', receiver).length - before).toBeLessThanOrEqual(20);
  const late = at('/new', receiver);
  expect(late.length).toBeGreaterThan(0);
  const twoSignatures = late.slice(1).every(({ headers }) => `${headers['webhook-signature']}`.includes(' '));
  expect(twoSignatures).toBe(true);
});

test('an event resent during an attempt is sent again as soon as that has failed', async () => {
  const answered = Promise.withResolvers<void>();
  const { fixture, receiver, client } = await slowly(async (_, nth) => {
    if (nth === 1) await answered.promise;
    return { status: nth === 1 ? 500 : 200 };
  });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  await startedDelivery(client, 'happy_path');
  const sending = fixture.service.send();
  await expect.poll(() => receiver.received.length).toBe(1);
  const [event] = eventsOf(receiver.received);
  await client.events.resend({ params: { event_id: event?.id ?? '' }, body: {} });
  answered.resolve();
  await sending;
  expect(eventsOf(receiver.received).map(({ id }) => id)).toEqual([event?.id, event?.id]);
});

test('after a change of URL waiting events are sent at once', async () => {
  const { fixture, receiver, client } = await slowly(({ path }) => ({
    status: path === '/right' ? 200 : 500,
  }));
  const { data: endpoint } = await client.webhooks.create({ body: { url: `${receiver.url}/wrong` } });
  await startedDelivery(client, 'happy_path');
  await client.clock.advance({ body: { by: 2 * 3600 } });
  const url = `${receiver.url}/right`;
  await client.webhooks.update({ params: { webhook_endpoint_id: endpoint.id }, body: { url } });
  await fixture.service.send();
  expect(at('/right', receiver)).toHaveLength((await publishedEvents(fixture)).length);
});

test('the next due message may be a resent one', async () => {
  const { fixture, receiver, client } = await slowly((_, nth) => ({ status: nth === 1 ? 500 : 200 }));
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  await client.deliveries.create({ body: orderRequest() });
  await fixture.service.send();
  const { data } = await client.clock.advance({ body: { next: true } });
  expect(Date.parse(data.now) - fixture.now()).toBeGreaterThanOrEqual(5_000);
  expect(receiver.received).toHaveLength(2);
});
