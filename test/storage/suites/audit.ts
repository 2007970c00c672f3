import { expect, test } from 'vitest';
import { deleteEmptyAccount } from '../../../src/storage/accounts.ts';
import {
  type AuditQuery,
  deleteOldAuditEntries,
  insertAuditEntry,
  listAuditEntries,
} from '../../../src/storage/audit.ts';
import type { AuditRow } from '../../../src/storage/database.ts';
import { insertDriver } from '../../../src/storage/drivers.ts';
import { driver, idAt, noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshDatabase, FreshStorage } from '../suite.ts';

function entry(number: number, change: Partial<AuditRow> = {}): AuditRow {
  const created_at = change.created_at ?? noon;
  return {
    ...scope,
    id: idAt('aud_', created_at, number),
    ...{ actor: 'key', actor_name: null, driver_id: null, detail: null },
    key_id: 'key_a',
    key_last_four: 'abcd',
    operation: 'CancelDelivery',
    record_id: 'dlv_a',
    address: null,
    created_at,
    ...change,
  };
}

const entries = [
  entry(1, { address: '203.0.113.7' }),
  entry(2, { key_id: 'key_b', record_id: 'dlv_b' }),
  entry(3, { ...otherMode, record_id: 'dlv_c' }),
  entry(4, otherAccount),
  entry(5, { created_at: noon + 1_000, operation: 'UpdateAccount', record_id: null }),
  entry(6, { created_at: noon + 2_000 }),
];

async function filled(fresh: FreshStorage): Promise<FreshDatabase> {
  const storage = await fresh();
  for (const each of entries) await insertAuditEntry(storage.db, each);
  return storage;
}

export function auditSuite(fresh: FreshStorage): void {
  test('audit entries are listed within their account and mode, newest first', async () => {
    const { db } = await filled(fresh);
    const [first, second, third, fourth, fifth, sixth] = entries;
    const list = (query: AuditQuery) => listAuditEntries(db, query);
    expect(await list({ ...scope, limit: 2 })).toEqual({ rows: [sixth, fifth], has_more: true });
    const rest = { ...scope, limit: 2, after_id: fifth?.id };
    expect(await list(rest)).toEqual({ rows: [second, first], has_more: false });
    expect((await list({ ...otherMode, limit: 9 })).rows).toEqual([third]);
    expect((await list({ ...otherAccount, limit: 9 })).rows).toEqual([fourth]);
  });

  test('audit entries are filtered by key, operation, record and time', async () => {
    const { db } = await filled(fresh);
    const found = async (query: Partial<AuditQuery>) => {
      const { rows } = await listAuditEntries(db, { ...scope, limit: 9, ...query });
      return rows.map((row) => entries.findIndex(({ id }) => id === row.id) + 1);
    };
    expect(await found({ key_id: 'key_b' })).toEqual([2]);
    expect(await found({ operation: 'UpdateAccount' })).toEqual([5]);
    expect(await found({ record_ids: ['dlv_a'] })).toEqual([6, 1]);
    expect(await found({ record_ids: ['dlv_c'] })).toEqual([]);
    expect(await found({ record_ids: ['dlv_a'], key_id: 'key_b' })).toEqual([]);
    expect(await found({ record_ids: ['dlv_a'], record_id: 'dlv_a' })).toEqual([6, 1]);
    expect(await found({ record_ids: ['dlv_a'], record_id: 'dlv_b' })).toEqual([]);
    expect(await found({ created_after: noon })).toEqual([6, 5]);
    expect(await found({ created_before: noon + 1_000 })).toEqual([2, 1]);
  });

  test('the audit entries of an account are deleted with it, and no others', async () => {
    const { db } = await filled(fresh);
    expect(await deleteEmptyAccount(db, scope.account_id)).toBe(true);
    const rows = await db.selectFrom('audit_entries').selectAll().execute();
    expect(rows).toEqual([entries[3]]);
  });

  test('an account with a driver is not deleted', async () => {
    const { db } = await filled(fresh);
    await insertDriver(db, driver(1, scope));
    expect(await deleteEmptyAccount(db, scope.account_id)).toBe(false);
    expect(await db.selectFrom('drivers').select('id').execute()).toHaveLength(1);
  });

  test('old audit entries are deleted oldest first, in batches', async () => {
    const { db } = await filled(fresh);
    const left = async () => {
      const rows = await db.selectFrom('audit_entries').select('id').orderBy('id').execute();
      return rows.map((row) => entries.findIndex(({ id }) => id === row.id) + 1);
    };
    const batch = { created_before: noon + 2_000, limit: 3 };
    expect(await deleteOldAuditEntries(db, { ...batch, created_before: noon })).toBe(0);
    expect(await deleteOldAuditEntries(db, batch)).toBe(3);
    expect(await left()).toEqual([4, 5, 6]);
    expect(await deleteOldAuditEntries(db, batch)).toBe(2);
    expect(await left()).toEqual([6]);
  });
}
