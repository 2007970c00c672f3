import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { listCharges } from '../../src/storage/charges.ts';
import { sqliteBuilder } from '../../src/storage/sqlite-driver.ts';
import { openStorage } from '../../src/storage/storage.ts';
import { temporaryFolder } from './folder.ts';

test('the charges of a delivery are found by its index, those of the account by their order', async () => {
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
  const page = { account_id: 'acct_1', test_mode: 1, limit: 20 } as const;
  await listCharges(sqliteBuilder(database), page);
  expect(JSON.stringify(plan)).toContain('USING INDEX charges_newest (account_id=? AND test_mode=?)');
  await listCharges(sqliteBuilder(database), { ...page, delivery_id: 'dlv_1', created_after: 1 });
  expect(JSON.stringify(plan)).toContain('USING INDEX charges_delivery (delivery_id=? AND id>?)');
});
