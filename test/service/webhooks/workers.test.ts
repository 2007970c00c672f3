import { expect, onTestFinished, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import { newDatabase } from '../../databases.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startFixture } from '../fixture.ts';
import { eventsOf, insertEndpoint, numbersTo, publishedEvents, sequencesOf } from './received-events.ts';
import { startReceiver } from './receiver.ts';

const hour = 60 * 60_000;

/** Ends every lease, as time would: leases follow the clock of the database server. */
async function endLeases({ storage }: Pick<Fixture, 'storage'>): Promise<void> {
  await storage.run((db) => db.updateTable('webhook_messages').set({ claimed_until: 0 }).execute());
}

async function sharing(answer?: Parameters<typeof startReceiver>[0]) {
  const fixture = await startFixture({ location: await newDatabase() });
  const receiver = await startReceiver(answer);
  const others = [1, 2].map(() => createService(fixture.config));
  const services = [fixture.service, ...others];
  onTestFinished(async () => {
    for (const service of services) await service.stop();
    await receiver.close();
    await fixture.storage.close();
  });
  return { fixture, receiver, services };
}

test('several workers on one database send each event once, and each delivery in order', async () => {
  const { fixture, receiver, services } = await sharing();
  for (let count = 0; count < 3; count += 1) await insertEndpoint(fixture, `${receiver.url}/${count}`);
  for (let count = 0; count < 6; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  await fixture.pass(2 * hour);
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
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
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
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  await startedDelivery(fixture.client(), 'happy_path');
  const late = fixture.service.send();
  await expect.poll(() => receiver.received.length).toBe(1);
  await endLeases(fixture);
  await services[1]?.send();
  expect(receiver.received).toHaveLength(2);
  away.resolve();
  await late;
  const read = (table: 'webhook_messages' | 'webhook_attempts') =>
    fixture.storage.run((db) => db.selectFrom(table).selectAll().orderBy('sequence').execute());
  expect(await read('webhook_messages')).toMatchObject([{ status: 'pending', attempts: 1 }]);
  expect(await read('webhook_attempts')).toMatchObject([{ status: 'failed' }, { status: 'succeeded' }]);
});
