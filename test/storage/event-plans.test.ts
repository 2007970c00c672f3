import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { eventsBehind, listEvents } from '../../src/storage/events.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { temporaryFolder } from './folder.ts';

const scope = { account_id: 'acct_1', test_mode: 1, limit: 20 } as const;
const followed = {
  ...scope,
  position: 1,
  until: 1_000_000,
  types: ['order.failed', 'delivery.updated'],
} as const;

test('the events of a delivery and of a batch are found by their indexes, those of the account by their order', async () => {
  const file = join(temporaryFolder(), 'waybill.db');
  await (await openStorage(file)).close();
  const database = new DatabaseSync(file);
  onTestFinished(() => database.close());
  const prepare = database.prepare.bind(database);
  let plan: unknown[] = [];
  database.prepare = (statement) => {
    plan = prepare(`explain query plan ${statement}`).all();
    return prepare(statement);
  };
  const db = sqliteBuilder(database);
  const since = 1_700_000_000_000;
  for (const [narrow, index] of [
    [{}, 'events_newest (account_id=? AND test_mode=?'],
    [{ delivery_id: 'dlv_1', since }, 'events_delivery (delivery_id=?'],
    [{ batch_id: 'bat_1', since }, 'events_batch (batch_id=?'],
  ] as const) {
    await listEvents(db, { ...scope, ...narrow });
    expect(JSON.stringify(plan)).toContain(`USING INDEX ${index}`);
    await eventsBehind(db, { ...followed, ...narrow });
    expect(JSON.stringify(plan)).toContain(`USING INDEX ${index}`);
  }
});
