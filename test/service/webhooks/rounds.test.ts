import { expect, onTestFinished, test } from 'vitest';
import { realTimers } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { startFixture } from '../fixture.ts';
import { insertEndpoint } from './received-events.ts';
import { startReceiver } from './receiver.ts';

/** A service with an endpoint, and other services on its database. */
async function sharing(parts: Parameters<typeof startFixture>[0] = {}) {
  const fixture = await startFixture(parts);
  const receiver = await startReceiver();
  await insertEndpoint(fixture, receiver.url);
  const services = [fixture.service];
  const another = (changes: Partial<typeof fixture.config> = {}) => {
    const service = createService({ ...fixture.config, ...changes });
    services.push(service);
    return service;
  };
  onTestFinished(async () => {
    for (const service of services) await service.stop();
    await receiver.close();
    await fixture.storage.close();
  });
  return { fixture, receiver, another };
}

test('a request for a round as one ends gets a round that starts after it', async () => {
  const { fixture, another } = await sharing();
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
  const { fixture, receiver, another } = await sharing();
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
  const { fixture, receiver, another } = await sharing({ parts: { ownership: owner } });
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
