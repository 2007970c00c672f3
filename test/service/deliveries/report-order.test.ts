import { expect, test } from 'vitest';
import { newDatabase } from '../../databases.ts';
import { again, startedDelivery, statusesOf } from '../delivery-runs.ts';
import { startFixture } from '../fixture.ts';

const minute = 60_000;

test('a report that another worker is late with does not keep the delivery from its end', async () => {
  const fixture = await startFixture({ location: await newDatabase() });
  const client = fixture.client();
  const delivery = await startedDelivery(client, 'customer_unreachable');
  // As if its worker had died a moment ago.
  const { numUpdatedRows } = await fixture.storage.run((db) =>
    db
      .updateTable('tasks')
      .set({ claim: 1, claimed_until: Date.now() + 60 * minute })
      .where('kind', '=', 'report.take')
      .where('payload', 'like', '%"status":"enroute_to_return"%')
      .executeTakeFirst(),
  );
  expect(numUpdatedRows).toBe(1n);
  for (let passed = 0; passed < 24 * 60; passed += 10) await fixture.pass(10 * minute);
  const ended = await again(client, delivery);
  expect(statusesOf(ended).slice(-2)).toEqual(['enroute_to_return', 'returned']);
  expect(ended.failure_reason).toBe('recipient_unreachable');
  const left = await fixture.storage.run((db) => db.selectFrom('tasks').select('id').execute());
  expect(left).toEqual([]);
  await fixture.storage.close();
});
