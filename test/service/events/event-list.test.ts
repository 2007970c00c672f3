import { expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import type { EventType } from '../../../src/contract/vocabulary.ts';
import { farAway, newBatch } from '../auto-dispatch/batches.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { everyEvent } from '../event-rows.ts';
import { type Fixture, startClient } from '../fixture.ts';

type Query = NonNullable<NonNullable<Parameters<Client['events']['list']>[0]>['query']>;

async function listed(client: Client, query: Query) {
  return (await client.events.list({ query })).data.data;
}

/** A delivery that has ended, and a batch of two, one of them without quotes. */
async function lived(): Promise<{ fixture: Fixture; client: Client; delivery_id: string; batch_id: string }> {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, 'happy_path');
  await fixture.pass(3_600_000);
  const batch_id = await newBatch(client, [{}, farAway], { retry_window: 0 });
  for (let second = 0; second < 6; second += 1) await fixture.pass(1000);
  return { fixture, client, delivery_id: delivery.id, batch_id };
}

test('a delivery’s events are numbered without gaps, newest first, each with the record of its moment', async () => {
  const { client, delivery_id } = await lived();
  const events = await listed(client, { delivery_id, limit: 100 });
  const sequenced = events.filter(({ sequence }) => sequence !== null);
  expect(sequenced.map(({ sequence }) => sequence)).toEqual(
    sequenced.map((_, index) => sequenced.length - index),
  );
  expect(sequenced.at(-1)).toMatchObject({
    type: 'delivery.created',
    data: { status: 'delivery_created' },
  });
  expect(sequenced[0]).toMatchObject({
    object: 'event',
    type: 'delivery.updated',
    data: { status: 'delivered' },
  });
  const { data } = await client.deliveries.get({ params: { deliveryid: delivery_id } });
  // The link is a secret that the log does not contain: it is added when an event is returned.
  expect(sequenced[0]?.data).toEqual(data);
});

test('filters by type, batch and time, in pages in order of writing', async () => {
  const { fixture, client, batch_id } = await lived();
  const types = (await listed(client, { batch_id })).map(({ type }) => type);
  const ends: EventType[] = ['batch.completed', 'order.unfulfilled', 'order.dispatched'];
  expect(types.toSorted()).toEqual(ends.toSorted());
  expect(types[0]).toBe('batch.completed');
  const completed = await listed(client, { type: 'route_quotes.completed' });
  expect(completed).toHaveLength(2);
  const several = await listed(client, { type: 'route_quotes.completed,batch.completed' });
  expect(several.map(({ type }) => type).toSorted()).toEqual([
    'batch.completed',
    ...completed.map(({ type }) => type),
  ]);
  await expect(listed(client, { type: 'batch.completed,order.fail' })).rejects.toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'type', message: 'order.fail is not an event type; expected order.failed' }],
  });
  const since = new Date(fixture.now() - 6_000).toISOString();
  const recent = await listed(client, { since, limit: 100 });
  const all = await listed(client, { limit: 100 });
  expect(recent.length).toBeLessThan(all.length);
  expect(recent).toEqual(all.slice(0, recent.length));
  expect(await everyEvent(client, 3)).toEqual(all);
});

test('an event is read by its id; ids of the other mode and unknown ids are not found', async () => {
  const { fixture, client, delivery_id } = await lived();
  const [event] = await listed(client, { delivery_id, limit: 1 });
  if (event === undefined) throw new Error('there is no event');
  const params = { event_id: event.id };
  expect((await client.events.get({ params })).data).toEqual(event);
  const live = fixture.client(fixture.keys.live);
  await expect(live.events.get({ params })).rejects.toMatchObject({ code: 'record_not_found' });
  expect(await listed(live, {})).toEqual([]);
  const none = client.events.get({ params: { event_id: 'evt_none' } });
  await expect(none).rejects.toMatchObject({ code: 'record_not_found' });
});
