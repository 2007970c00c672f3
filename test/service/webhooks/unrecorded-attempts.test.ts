import { expect, onTestFinished, test } from 'vitest';
import { wallClock } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { type Storage, StorageUnavailable } from '../../../src/storage/storage.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { startFixture } from '../fixture.ts';
import { insertEndpoint } from './received-events.ts';
import { startReceiver } from './receiver.ts';

test('an attempt whose result cannot be written is not repeated, and is written later', async () => {
  const fixture = await startFixture({ parts: { clock: wallClock, wall: wallClock } });
  const receiver = await startReceiver();
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
  const service = createService({ ...fixture.config, storage });
  onTestFinished(async () => {
    await service.stop();
    await receiver.close();
  });
  await insertEndpoint(fixture, receiver.url, { events: '["delivery.created"]' });
  for (let count = 0; count < 3; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  const ids = () => receiver.received.map(({ headers }) => headers['webhook-id']);
  isFull = true;
  service.start();
  await expect.poll(() => new Set(ids()).size, { timeout: 5_000 }).toBe(3);
  // Nothing else is sent while outcomes cannot be recorded.
  await startedDelivery(fixture.client(), 'happy_path');
  await new Promise((resolve) => setTimeout(resolve, 1_800));
  expect(ids()).toHaveLength(3);
  expect(refusals).toBeGreaterThan(1);
  expect(refusals).toBeLessThan(8);
  isFull = false;
  const waiting = () =>
    fixture.storage.run((db) => db.selectFrom('webhook_messages').select('event_id').execute());
  await expect.poll(waiting, { timeout: 8_000 }).toEqual([]);
  expect(new Set(ids()).size).toBe(4);
  expect(ids()).toHaveLength(4);
  const attempts = await fixture.storage.run((db) =>
    db.selectFrom('webhook_attempts').select('status').execute(),
  );
  expect(attempts).toEqual(Array(4).fill({ status: 'succeeded' }));
});
