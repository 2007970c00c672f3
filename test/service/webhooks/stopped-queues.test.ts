import { expect, onTestFinished, test } from 'vitest';
import { startedDelivery } from '../delivery-runs.ts';
import { startFixture } from '../fixture.ts';
import { insertEndpoint } from './received-events.ts';
import { startReceiver } from './receiver.ts';

test('a queue without a due message is restarted and reported, once', async () => {
  const fixture = await startFixture();
  const receiver = await startReceiver();
  onTestFinished(async () => {
    await fixture.service.stop();
    await receiver.close();
  });
  await insertEndpoint(fixture, receiver.url);
  for (let count = 0; count < 2; count += 1) await startedDelivery(fixture.client(), 'happy_path');
  const before = await fixture.storage.run((db) =>
    db.selectFrom('webhook_messages').select(['queue', 'event_id']).execute(),
  );
  await fixture.storage.run((db) => db.updateTable('webhook_messages').set({ due_at: null }).execute());
  fixture.service.start();
  const sent = () => receiver.received.map(({ headers }) => headers['webhook-id']).sort();
  await expect.poll(sent, { timeout: 5_000 }).toEqual(before.map(({ event_id }) => event_id).sort());
  const queues = new Set(before.map(({ queue }) => queue));
  expect(fixture.faults.map(String)).toEqual([
    `Error: ${queues.size} stalled webhook queues were restarted; please report this`,
  ]);
});
