import { expect, test } from 'vitest';
import { listCharges } from '../../src/storage/dispatches.ts';
import { planning } from './planning.ts';

test('charges are found by the delivery’s index, the account’s order, or the index of rare kinds', async () => {
  const { db, plan } = await planning();
  const page = { account_id: 'acct_1', test_mode: 1, limit: 20 } as const;
  await listCharges(db, page);
  expect(plan()).toContain('USING INDEX charges_newest (account_id=? AND test_mode=?)');
  await listCharges(db, { ...page, delivery_id: 'dlv_1', created_after: 1 });
  expect(plan()).toContain('USING INDEX charges_delivery (delivery_id=? AND id>?)');
  await listCharges(db, { ...page, kind: 'return', created_after: 1 });
  expect(plan()).toContain('USING INDEX charges_kind (account_id=? AND test_mode=? AND kind=? AND id>?)');
  await listCharges(db, { ...page, kind: 'delivery' });
  expect(plan()).toContain('USING INDEX charges_newest (account_id=? AND test_mode=?)');
  await listCharges(db, { ...page, kind: 'return', delivery_id: 'dlv_1' });
  expect(plan()).toContain('USING INDEX charges_delivery (delivery_id=?)');
});
