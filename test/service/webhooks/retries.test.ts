import { expect, test } from 'vitest';
import { startedDelivery } from '../delivery-runs.ts';
import { attemptsIn, messagesIn, receiving } from './endpoint-fixture.ts';
import { eventsOf, insertEndpoint, numbersTo, publishedEvents, sequencesOf } from './received-events.ts';

const minute = 60_000;
const hour = 60 * minute;

const created = { events: '["delivery.created"]' };

test('a failed attempt is retried by the schedule, and after the tenth the event is abandoned', async () => {
  const { fixture, receiver, client } = await receiving(() => ({ status: 500 }));
  await insertEndpoint(fixture, receiver.url, created);
  await startedDelivery(client, 'happy_path');
  await client.clock.advance({ body: { by: 84 * 3600 } });
  const made = await attemptsIn(fixture);
  expect(made.map(({ number }) => number)).toEqual(numbersTo(10));
  const waits = made.slice(1).map(({ created_at }, index) => created_at - (made[index]?.created_at ?? 0));
  const table = [5_000, 5 * minute, 30 * minute, ...[2, 5, 10, 14, 20, 24].map((hours) => hours * hour)];
  for (const [index, wait] of waits.entries()) {
    expect(wait / (table[index] ?? 0)).toBeGreaterThanOrEqual(1);
    expect(wait / (table[index] ?? 0)).toBeLessThanOrEqual(1.1);
  }
  expect(new Set(waits.map((wait, index) => (wait / (table[index] ?? 0)).toFixed(3))).size).toBeGreaterThan(
    3,
  );
  expect(made.map(({ next_attempt_at }) => next_attempt_at)).toEqual([
    ...made.slice(1).map(({ created_at }) => created_at),
    null,
  ]);
  expect(await messagesIn(fixture)).toMatchObject([{ status: 'exhausted', due_at: null, attempts: 10 }]);
});

test('while a delivery’s first event is retried the rest wait; once it is abandoned the next is sent', async () => {
  const { fixture, receiver, client } = await receiving(({ body }) => {
    const { sequence }: { sequence: number } = JSON.parse(body);
    return { status: sequence === 2 ? 500 : 200 };
  });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created","delivery.updated"]' });
  await startedDelivery(client, 'happy_path');
  await client.clock.advance({ body: { by: 74 * 3600 } });
  const [before = []] = sequencesOf(eventsOf(receiver.received)).values();
  expect(before).toEqual([1, ...Array.from({ length: 9 }, () => 2)]);
  await client.clock.advance({ body: { by: 12 * 3600 } });
  const [after = []] = sequencesOf(eventsOf(receiver.received)).values();
  const published = await publishedEvents(fixture);
  const numbered = published.filter(({ type }) => type.startsWith('delivery.')).length;
  expect(after).toEqual([...before, 2, ...numbersTo(numbered).slice(2)]);
});

test('one waiting delivery does not delay others at the same endpoint', async () => {
  let bad = '';
  const { fixture, receiver, client } = await receiving(({ body }) => ({
    status: JSON.parse(body).data.id === bad ? 500 : 200,
  }));
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created","delivery.updated"]' });
  bad = (await startedDelivery(client, 'happy_path')).id;
  for (let count = 0; count < 3; count += 1) await startedDelivery(client, 'happy_path');
  await client.clock.advance({ body: { by: 2 * 3600 } });
  const sequences = sequencesOf(eventsOf(receiver.received));
  expect(sequences.get(bad)?.every((sequence) => sequence === 1)).toBe(true);
  sequences.delete(bad);
  for (const one of sequences.values()) expect(one).toEqual(numbersTo(one.length));
  expect([...sequences.values()].every(({ length }) => length > 5)).toBe(true);
});

test('Retry-After of an endpoint is followed by the service clock', async () => {
  const { fixture, receiver, client } = await receiving((_, nth) =>
    nth === 1 ? { status: 429, headers: { 'retry-after': '90' } } : {},
  );
  await insertEndpoint(fixture, receiver.url, created);
  await startedDelivery(client, 'happy_path');
  await client.clock.advance({ body: { by: 89 } });
  expect(await attemptsIn(fixture)).toHaveLength(1);
  await client.clock.advance({ body: { by: 1 } });
  expect(await attemptsIn(fixture)).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }]);
});

test.each([
  ['429 in seconds', { status: 429, headers: { 'retry-after': '600' } }, 600],
  ['503 in seconds', { status: 503, headers: { 'retry-after': '900' } }, 900],
  ['429 for ever', { status: 429, headers: { 'retry-after': '999999999' } }, 24 * 3600],
] as const)(
  'Retry-After (%s) holds all events of the endpoint, and then all arrive',
  async (_, answer, wait) => {
    const { fixture, receiver, client } = await receiving((_request, nth) => (nth === 1 ? answer : {}));
    await insertEndpoint(fixture, receiver.url);
    for (let count = 0; count < 3; count += 1) await startedDelivery(client, 'happy_path');
    await fixture.service.send();
    // Those that were under way with the first one.
    const asked = receiver.received.length;
    expect(asked).toBeLessThanOrEqual(4);
    await client.clock.advance({ body: { by: wait - 1 } });
    expect(receiver.received).toHaveLength(asked);
    await client.clock.advance({ body: { by: 600 } });
    const published = await publishedEvents(fixture);
    expect(new Set(eventsOf(receiver.received).map(({ id }) => id)).size).toBe(published.length);
    for (const one of sequencesOf(eventsOf(receiver.received.slice(asked))).values())
      expect(one).toEqual([...one].sort((a, b) => a - b));
  },
);

test('what an endpoint asked for is over once it is changed or enabled', async () => {
  const { fixture, receiver, client } = await receiving((_, nth) =>
    nth === 1 ? { status: 429, headers: { 'retry-after': '9000' } } : {},
  );
  const { id } = await insertEndpoint(fixture, receiver.url, created);
  await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  await startedDelivery(client, 'happy_path');
  await fixture.service.send();
  expect(receiver.received).toHaveLength(1);
  await client.webhooks.update({ params: { webhook_endpoint_id: id }, body: { status: 'enabled' } });
  await fixture.service.send();
  expect(receiver.received).toHaveLength(2);
});

test('410 disables the endpoint; its waiting events are sent once it is enabled again', async () => {
  const { fixture, receiver, client } = await receiving((_, nth) => (nth === 3 ? { status: 410 } : {}));
  const { id } = await insertEndpoint(fixture, receiver.url);
  await startedDelivery(client, 'happy_path');
  await client.clock.advance({ body: { by: 48 * 3600 } });
  expect(receiver.received).toHaveLength(3);
  expect((await attemptsIn(fixture)).map(({ next_attempt_at }) => next_attempt_at)).toEqual([
    null,
    null,
    null,
  ]);
  const params = { webhook_endpoint_id: id };
  expect((await client.webhooks.get({ params })).data).toMatchObject({ status: 'disabled' });
  await client.webhooks.update({ params, body: { status: 'enabled' } });
  await fixture.service.send();
  const published = await publishedEvents(fixture);
  const events = eventsOf(receiver.received);
  expect(new Set(events.map((event) => event.id)).size).toBe(published.length);
  expect(events).toHaveLength(published.length + 1);
});
