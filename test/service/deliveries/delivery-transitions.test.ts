import { expect, test } from 'vitest';
import { applyTransition } from '../../../src/service/deliveries/delivery-transitions.ts';
import { seededChance } from '../../../src/service/runtime/random.ts';
import { loadDelivery } from '../../../src/storage/deliveries.ts';
import { again, startedDelivery } from '../delivery-runs.ts';
import { startClient } from '../fixture.ts';

test('the times of a history never decrease, even if a change started before the previous one', async () => {
  const { fixture, client } = await startClient();
  const { id } = await startedDelivery(client, 'happy_path');
  const began_at = fixture.now();
  await fixture.pass(10 * 60_000);
  const before = await again(client, { id });
  await fixture.storage.transaction(async (db) => {
    const row = await loadDelivery(db, id);
    if (row === undefined) throw new Error('no delivery');
    const context = { db, chance: seededChance('late'), now: began_at, providers: fixture.config.providers };
    await applyTransition(context, row, 'customer_canceled');
  });
  const after = await again(client, { id });
  expect(after.status_history.at(-1)?.created_at).toBe(before.status_history.at(-1)?.created_at);
  expect(after.updated_at).toBe(before.updated_at);
});
