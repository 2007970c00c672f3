import { expect, test } from 'vitest';
import { eventsBehind, listEvents } from '../../src/storage/events.ts';
import { planning } from './planning.ts';

const scope = { account_id: 'acct_1', test_mode: 1, limit: 20 } as const;
const followed = {
  ...scope,
  position: 1,
  until: 1_000_000,
  types: ['order.failed', 'delivery.updated'],
} as const;

test('the events of a delivery and of a batch are found by their indexes, those of the account by their order', async () => {
  const { db, plan } = await planning();
  const since = 1_700_000_000_000;
  for (const [narrow, index] of [
    [{}, 'events_newest (account_id=? AND test_mode=?'],
    [{ delivery_id: 'dlv_1', since }, 'events_delivery (delivery_id=?'],
    [{ batch_id: 'bat_1', since }, 'events_batch (batch_id=?'],
  ] as const) {
    await listEvents(db, { ...scope, ...narrow });
    expect(plan()).toContain(`USING INDEX ${index}`);
    await eventsBehind(db, { ...followed, ...narrow });
    expect(plan()).toContain(`USING INDEX ${index}`);
  }
});
