import { expect, test } from 'vitest';
import {
  deleteEmptyAccount,
  deleteOldAuditEntries,
  insertAuditEntry,
  insertKey,
  keyByHash,
  writeKeyUse,
} from '../../../src/storage/accounts.ts';
import type { AuditRow } from '../../../src/storage/database.ts';
import { insertDriver } from '../../../src/storage/drivers.ts';
import { claimKey } from '../../../src/storage/idempotency.ts';
import { insertQuotes } from '../../../src/storage/quotes.ts';
import { readSetting, replaceSetting } from '../../../src/storage/settings.ts';
import { driver, idAt, key, noon, otherAccount, otherMode, quote, scope } from '../records.ts';
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

const foreign = { account_id: otherAccount.account_id };

async function withEntries(fresh: FreshStorage): Promise<FreshDatabase> {
  const storage = await fresh();
  for (const each of entries) await insertAuditEntry(storage.db, each);
  return storage;
}

export function accountsSuite(fresh: FreshStorage): void {
  test('a setting is replaced only where it is what the caller believes', async () => {
    const { db } = await fresh();
    expect(await replaceSetting(db, 'clock', { believed: '1', value: '2' })).toBe(false);
    expect(await replaceSetting(db, 'clock', { believed: null, value: '1' })).toBe(true);
    expect(await replaceSetting(db, 'clock', { believed: null, value: '9' })).toBe(false);
    expect(await replaceSetting(db, 'clock', { believed: '2', value: '9' })).toBe(false);
    expect(await replaceSetting(db, 'clock', { believed: '1', value: '2' })).toBe(true);
    expect(await readSetting(db, 'clock')).toBe('2');
  });

  test('the use of a key is written unless a later one is', async () => {
    const { db, first } = await fresh();
    await insertKey(db, key(1));
    await insertKey(db, key(2));
    const usedAt = async () => (await first(keyByHash, 'hash 1'))?.last_used_at;
    const use = { id: key(1).id, now: noon, unless_after: noon - 60_000 };
    await writeKeyUse(db, use);
    expect(await usedAt()).toBe(noon);
    await writeKeyUse(db, { ...use, now: noon + 59_999, unless_after: noon - 1 });
    expect(await usedAt()).toBe(noon);
    await writeKeyUse(db, { ...use, now: noon + 60_000, unless_after: noon });
    expect(await usedAt()).toBe(noon + 60_000);
    expect((await first(keyByHash, 'hash 2'))?.last_used_at).toBeNull();
  });

  test('a hash that is there already and an unknown account are refused', async () => {
    const { db } = await fresh();
    await insertKey(db, key(1));
    await expect(insertKey(db, key(2, { hash: 'hash 1' }))).rejects.toThrow(/unique/i);
    await expect(insertKey(db, key(4, { account_id: 'acct_none' }))).rejects.toThrow(/foreign key/i);
  });

  test('the audit entries of an account are deleted with it, and no others', async () => {
    const { db } = await withEntries(fresh);
    expect(await deleteEmptyAccount(db, scope.account_id)).toBe(true);
    const rows = await db.selectFrom('audit_entries').selectAll().execute();
    expect(rows).toEqual([entries[3]]);
  });

  test('an account that has only asked for quotes is deleted, with these and its stored responses', async () => {
    const { db } = await fresh();
    await insertQuotes(db, [quote('quo_1', { route_id: '' }), quote('quo_2', { ...foreign, route_id: '' })]);
    const use = { key: 'k', operation: 'Quote', body_hash: '', runner: '', forgets: true };
    for (const of of [scope, otherMode, otherAccount])
      await claimKey(db, { ...use, ...of, wall_now: noon, lease_ms: 1 });
    expect(await deleteEmptyAccount(db, scope.account_id)).toBe(true);
    expect(await db.selectFrom('quotes').select('id').execute()).toEqual([{ id: 'quo_2' }]);
    expect(await db.selectFrom('idempotency_keys').select('account_id').execute()).toEqual([foreign]);
  });

  test('an account with a driver is not deleted', async () => {
    const { db } = await withEntries(fresh);
    await insertDriver(db, driver(1, scope));
    expect(await deleteEmptyAccount(db, scope.account_id)).toBe(false);
    expect(await db.selectFrom('drivers').select('id').execute()).toHaveLength(1);
  });

  test('old audit entries are deleted oldest first, in batches', async () => {
    const { db } = await withEntries(fresh);
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
