import { expect, test } from 'vitest';
import { realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { type Storage, StorageUnavailable } from '../../../src/storage/storage.ts';
import { newDatabase } from '../../databases.ts';
import { startedDelivery } from '../delivery-runs.ts';
import type { Fixture } from '../fixture.ts';
import { attemptsIn, messagesIn, receiving } from './endpoint-fixture.ts';
import { eventsOf, insertEndpoint, numbersTo, publishedEvents, sequencesOf } from './received-events.ts';
import type { Answering } from './receiver.ts';

const created = { events: '["delivery.created"]' };

test('a request for a round as one ends gets a round that starts after it', async () => {
  const { fixture, receiver, another } = await receiving();
  await insertEndpoint(fixture, receiver.url);
  let reads = 0;
  const { send } = another({
    storage: {
      ...fixture.storage,
      run: (work) => {
        reads += 1;
        return fixture.storage.run(work);
      },
    },
  });
  const unheard: number[] = [];
  for (let steps = 0; steps < 60; steps += 1) {
    const going = send();
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    const before = reads;
    await send();
    if (reads === before) unheard.push(steps);
    await going;
  }
  expect(unheard).toEqual([]);
});

test('a service stopped during a wake-up sends nothing more', async () => {
  const { fixture, receiver, another } = await receiving();
  await insertEndpoint(fixture, receiver.url);
  const wakes = new Set<() => void>();
  const after = (_ms: number, wake: () => void) => {
    wakes.add(wake);
    return () => wakes.delete(wake);
  };
  const service = another({ timers: { ...realTimers, after } });
  service.start();
  // Tasks and webhooks of each mode, and the deletion of old data.
  const loops = 5;
  await expect.poll(() => wakes.size).toBe(loops);
  await startedDelivery(fixture.client(), 'happy_path');
  for (const wake of wakes) wake();
  await service.stop();
  expect(receiver.received).toEqual([]);
});

test('what another process has sent since an interrupted round is not sent again', async () => {
  const owner = { whileOwner: (work: () => Promise<unknown>) => work().then(() => true) };
  const { fixture, receiver, another } = await receiving(undefined, { parts: { ownership: owner } });
  await insertEndpoint(fixture, receiver.url);
  for (let count = 0; count < 15; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  const sending = fixture.service.send();
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  await fixture.service.endSending();
  await sending;
  await another().send();
  await startedDelivery(fixture.client(), 'happy_path');
  await fixture.service.send();
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(ids.length);
});

/** Ends every lease, as time would: leases follow the clock of the database server. */
async function endLeases({ storage }: Pick<Fixture, 'storage'>): Promise<void> {
  await storage.run((db) => db.updateTable('webhook_messages').set({ claimed_until: 0 }).execute());
}

/** Three workers on one database. */
async function sharing(answer?: Answering) {
  const { fixture, receiver, another } = await receiving(answer, { location: await newDatabase() });
  return { fixture, receiver, services: [fixture.service, another(), another()] };
}

test('several workers on one database send each event once, and each delivery in order', async () => {
  const { fixture, receiver, services } = await sharing();
  for (let count = 0; count < 3; count += 1) await insertEndpoint(fixture, `${receiver.url}/${count}`);
  for (let count = 0; count < 6; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  await fixture.pass(2 * 60 * 60_000);
  const published = await publishedEvents(fixture);
  const sent = () => receiver.received.length;
  while (sent() < 3 * published.length) {
    const before = sent();
    await Promise.all(services.map(({ send }) => send()));
    expect(sent(), 'something is sent in each round').toBeGreaterThan(before);
  }
  expect(sent()).toBe(3 * published.length);
  for (const path of ['/0', '/1', '/2']) {
    const events = eventsOf(receiver.received.filter((one) => one.path === path));
    for (const sequence of sequencesOf(events).values()) expect(sequence).toEqual(numbersTo(sequence.length));
  }
});

test('a message claimed by an ended worker is sent by another after the lease', async () => {
  const { fixture, receiver, services } = await sharing();
  await insertEndpoint(fixture, receiver.url, created);
  await startedDelivery(fixture.client(), 'happy_path');
  await fixture.storage.run((db) =>
    db
      .updateTable('webhook_messages')
      .set({ claim: 1, claimed_until: Date.now() + 30_000 })
      .execute(),
  );
  await services[1]?.send();
  expect(receiver.received).toHaveLength(0);
  await endLeases(fixture);
  await services[1]?.send();
  expect(receiver.received).toHaveLength(1);
});

test('a worker suspended for longer than its lease settles nothing', async () => {
  const away = Promise.withResolvers<void>();
  const { fixture, receiver, services } = await sharing(async (_, nth) => {
    if (nth === 1) await away.promise;
    return { status: nth === 1 ? 200 : 500 };
  });
  await insertEndpoint(fixture, receiver.url, created);
  await startedDelivery(fixture.client(), 'happy_path');
  const late = fixture.service.send();
  await expect.poll(() => receiver.received.length).toBe(1);
  await endLeases(fixture);
  await services[1]?.send();
  expect(receiver.received).toHaveLength(2);
  away.resolve();
  await late;
  expect(await messagesIn(fixture)).toMatchObject([{ status: 'pending', attempts: 1 }]);
  expect(await attemptsIn(fixture)).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }]);
});

test('a queue without a due message is restarted and reported, once', async () => {
  const { fixture, receiver } = await receiving();
  await insertEndpoint(fixture, receiver.url);
  for (let count = 0; count < 2; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  const before = await messagesIn(fixture);
  await fixture.storage.run((db) => db.updateTable('webhook_messages').set({ due_at: null }).execute());
  fixture.service.start();
  const sent = () => receiver.received.map(({ headers }) => headers['webhook-id']).sort();
  await expect.poll(sent).toEqual(before.map(({ event_id }) => event_id).sort());
  const queues = new Set(before.map(({ queue }) => queue));
  expect(fixture.faults.map(String)).toEqual([
    `Error: ${queues.size} stalled webhook queues were restarted; please report this`,
  ]);
});

test('an attempt whose result cannot be written is not repeated, and is written later', async () => {
  const { fixture, receiver, another } = await receiving(undefined, {
    parts: { clock: wallClock, wall: wallClock },
  });
  let isFull = false;
  let refusals = 0;
  const storage: Storage = {
    ...fixture.storage,
    transaction: async (work) => {
      if (!isFull) return fixture.storage.transaction(work);
      refusals += 1;
      throw new StorageUnavailable('database or disk is full');
    },
  };
  const service = another({ storage });
  await insertEndpoint(fixture, receiver.url, created);
  for (let count = 0; count < 3; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);
  isFull = true;
  service.start();
  await expect.poll(() => new Set(ids()).size).toBe(3);
  // Nothing else is sent while outcomes cannot be recorded.
  await startedDelivery(fixture.client(), 'happy_path');
  await new Promise((resolve) => setTimeout(resolve, 1_800));
  expect(ids()).toHaveLength(3);
  expect(refusals).toBeGreaterThan(1);
  expect(refusals).toBeLessThan(8);
  isFull = false;
  await expect.poll(() => messagesIn(fixture)).toEqual([]);
  expect(new Set(ids()).size).toBe(4);
  expect(ids()).toHaveLength(4);
  expect((await attemptsIn(fixture)).map(({ status }) => status)).toEqual(Array(4).fill('succeeded'));
});
