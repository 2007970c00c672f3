import { expect, test } from 'vitest';
import { deleteOldAuditEntries, listAuditEntries } from '../../src/storage/audit.ts';
import { planning } from './planning.ts';

test('audit entries are found by the order of their account or the index of their record', async () => {
  const { db, plan } = await planning();
  const page = { account_id: 'acct_1', test_mode: 1, limit: 20 } as const;
  await listAuditEntries(db, { ...page, created_after: 1 });
  expect(plan()).toContain('USING INDEX audit_entries_scope (account_id=? AND test_mode=? AND id>?)');
  await listAuditEntries(db, { ...page, record_ids: ['dlv_1'], operation: 'CancelDelivery' });
  expect(plan()).toContain('USING INDEX audit_entries_record (record_id=?)');
});

test('old audit entries are found by their id', async () => {
  const { db, plan } = await planning();
  await deleteOldAuditEntries(db, { created_before: 1, limit: 10 });
  expect(plan()).toContain('(id<?)');
});
