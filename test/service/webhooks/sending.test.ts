import { expect, test } from 'vitest';
import { startedDelivery } from '../delivery-runs.ts';
import { draftRoute, quotesOf } from '../fixture.ts';
import { attemptsIn, hasty, receiving } from './endpoint-fixture.ts';
import { eventsOf, insertEndpoint, numbersTo, publishedEvents, sequencesOf } from './received-events.ts';

const hour = 60 * 60_000;

test('an endpoint gets every event once, and those of a delivery in order', async () => {
  const { fixture, receiver } = await receiving();
  await insertEndpoint(fixture, receiver.url);
  for (let count = 0; count < 5; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  await fixture.pass(2 * hour);
  await fixture.service.send();
  const events = eventsOf(receiver.received);
  const published = await publishedEvents(fixture);
  expect(events.map(({ id }) => id).sort()).toEqual(published.map(({ id }) => id).sort());
  const sequences = [...sequencesOf(events).values()];
  expect(sequences).toHaveLength(5);
  for (const sequence of sequences) expect(sequence).toEqual(numbersTo(sequence.length));
});

test('the sent event is the listed one', async () => {
  const { fixture, receiver } = await receiving();
  await insertEndpoint(fixture, receiver.url);
  const client = fixture.client();
  await client.account.update({ body: { public_url: 'https://parcels.example' } });
  await startedDelivery(client, 'happy_path');
  await quotesOf(fixture, (await draftRoute(client)).id);
  await fixture.service.send();
  const { data } = await client.events.list({ query: { limit: 100 } });
  expect(eventsOf(receiver.received).sort(byId)).toEqual(data.data.toSorted(byId));
});

function byId(one: { id: string }, other: { id: string }): number {
  return one.id < other.id ? -1 : 1;
}

test('a read request sends nothing', async () => {
  const { fixture, receiver } = await receiving();
  await insertEndpoint(fixture, receiver.url);
  await startedDelivery(fixture.client(), 'happy_path');
  await fixture.pass(2 * hour);
  expect(receiver.received).toEqual([]);
  expect(await fixture.service.send()).toBeGreaterThan(5);
});

test('an endpoint gets the types it subscribes to, of its mode', async () => {
  const { fixture, receiver } = await receiving();
  await insertEndpoint(fixture, `${receiver.url}/created`, { events: '["delivery.created"]' });
  await insertEndpoint(fixture, `${receiver.url}/live`, { test_mode: 0 });
  await insertEndpoint(fixture, `${receiver.url}/off`, { status: 'disabled', disabled_at: 0 });
  await startedDelivery(fixture.client(), 'happy_path');
  await fixture.pass(2 * hour);
  await fixture.service.send();
  expect(receiver.received.map(({ path }) => path)).toEqual(['/created']);
  expect(eventsOf(receiver.received)).toMatchObject([{ type: 'delivery.created', sequence: 1 }]);
});

test('a failing endpoint gets one attempt at a time', async () => {
  const { fixture, receiver } = await receiving((_, nth) => (nth <= 12 ? { status: 500 } : 'hang'), {
    parts: { timers: hasty },
  });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  for (let count = 0; count < 25; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  const sending = fixture.service.send();
  await expect.poll(() => receiver.received.length).toBeGreaterThan(12);
  await fixture.service.stop();
  await sending;
  expect(receiver.received.length).toBeLessThanOrEqual(16);
});

test('the process that owns the database does not send a running message again', async () => {
  const owner = { whileOwner: async (work: () => Promise<unknown>) => work().then(() => true) };
  let pass = () => {};
  const { fixture, receiver } = await receiving(
    async (_, nth) => {
      // Some take longer than buffered messages stay valid.
      if (nth % 10 === 1) await new Promise((resolve) => setTimeout(resolve, 300));
      pass();
      return {};
    },
    { parts: { ownership: owner } },
  );
  pass = () => fixture.passWall(200);
  await insertEndpoint(fixture, receiver.url);
  for (let count = 0; count < 20; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  await fixture.pass(2 * hour);
  await fixture.service.send();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids).toHaveLength((await publishedEvents(fixture)).length);
});

test('an interrupted attempt is not counted and is sent again with the same id', async () => {
  const { fixture, receiver } = await receiving((_, nth) => (nth === 1 ? 'hang' : {}), {
    parts: { timers: hasty },
  });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  await startedDelivery(fixture.client(), 'happy_path');
  const sending = fixture.service.send();
  await expect.poll(() => receiver.received.length).toBe(1);
  await fixture.service.stop();
  expect(await sending).toBe(1);
  expect(await attemptsIn(fixture)).toEqual([]);
  await fixture.service.send();
  expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  expect(await attemptsIn(fixture)).toMatchObject([{ number: 1, status: 'succeeded', status_code: 200 }]);
});
