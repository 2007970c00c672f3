import { expect, test } from 'vitest';
import {
  type AuditQuery,
  deleteEmptyAccount,
  deleteOldAuditEntries,
  findAccount,
  firstAccount,
  insertAuditEntry,
  insertKey,
  keyByHash,
  listAuditEntries,
  listKeys,
  revokeKey,
  writeAccountSettings,
  writeKeyUse,
} from '../../../src/storage/accounts.ts';
import type { AuditRow } from '../../../src/storage/database.ts';
import { insertDriver } from '../../../src/storage/drivers.ts';
import { readSetting, replaceSetting, writeSetting } from '../../../src/storage/settings.ts';
import { account, driver, idAt, key, noon, otherAccount, otherMode, scope } from '../records.ts';
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

async function withEntries(fresh: FreshStorage): Promise<FreshDatabase> {
  const storage = await fresh();
  for (const each of entries) await insertAuditEntry(storage.db, each);
  return storage;
}

export function accountsSuite(fresh: FreshStorage): void {
  test('a setting is null, then what was written last', async () => {
    const { db } = await fresh();
    expect(await readSetting(db, 'seed')).toBeNull();
    await writeSetting(db, 'seed', '7');
    await writeSetting(db, 'seed', '8');
    await writeSetting(db, 'other', '9');
    expect(await readSetting(db, 'seed')).toBe('8');
  });

  test('a setting is replaced only where it is what the caller believes', async () => {
    const { db } = await fresh();
    expect(await replaceSetting(db, 'clock', { believed: '1', value: '2' })).toBe(false);
    expect(await replaceSetting(db, 'clock', { believed: null, value: '1' })).toBe(true);
    expect(await replaceSetting(db, 'clock', { believed: null, value: '9' })).toBe(false);
    expect(await replaceSetting(db, 'clock', { believed: '2', value: '9' })).toBe(false);
    expect(await replaceSetting(db, 'clock', { believed: '1', value: '2' })).toBe(true);
    expect(await readSetting(db, 'clock')).toBe('2');
  });

  test('an account is found by id, the first one by age of id, and its settings replaced', async () => {
    const { db } = await fresh();
    expect(await firstAccount(db)).toEqual(account({}));
    const nobody = { ...scope, account_id: 'acct_none' };
    expect(await writeAccountSettings(db, otherAccount, '{"public_url":null}')).toBe(true);
    expect(await writeAccountSettings(db, nobody, '{}')).toBe(false);
    const { id, name, created_at } = account({ id: 'acct_b', created_at: noon + 1 });
    const settings = '{"public_url":null}';
    expect(await findAccount(db, otherAccount)).toEqual({ id, name, created_at, settings });
    expect(await findAccount(db, scope)).toMatchObject({ settings: '{}' });
    expect(await findAccount(db, nobody)).toBeUndefined();
  });

  test('a key is found by its hash until it is revoked', async () => {
    const { db, first } = await fresh();
    const active = { suspended_at: null };
    await insertKey(db, key(1));
    await insertKey(db, key(2));
    expect(await first(keyByHash, 'hash 1')).toEqual({ ...key(1), ...active, settings: '{}' });
    await insertKey(db, key(9, otherMode));
    await writeAccountSettings(db, scope, '{"upsell":null}');
    expect(await first(keyByHash, 'hash 1')).toEqual({ ...key(1), ...active, settings: '{"upsell":null}' });
    expect(await first(keyByHash, 'hash 9')).toEqual({ ...key(9, otherMode), ...active, settings: '{}' });
    await writeAccountSettings(db, otherMode, '{"upsell":0}');
    expect(await first(keyByHash, 'hash 1')).toEqual({ ...key(1), ...active, settings: '{"upsell":null}' });
    expect(await first(keyByHash, 'hash 9')).toEqual({
      ...key(9, otherMode),
      ...active,
      settings: '{"upsell":0}',
    });
    expect(await first(keyByHash, 'hash 3')).toBeUndefined();
    for (const stranger of [otherMode, otherAccount]) {
      expect(await revokeKey(db, stranger, key(1).id, noon)).toBeUndefined();
    }
    const revoked = key(1, { revoked_at: noon + 5 });
    expect(await revokeKey(db, scope, key(1).id, noon + 5)).toEqual(revoked);
    expect(await revokeKey(db, scope, key(1).id, noon + 9)).toEqual(revoked);
    expect(await first(keyByHash, 'hash 1')).toBeUndefined();
    expect(await first(keyByHash, 'hash 2')).toMatchObject(key(2));
  });

  test('keys are listed within their account and mode, newest first', async () => {
    const { db } = await fresh();
    await insertKey(db, key(1));
    await insertKey(db, key(2));
    await insertKey(db, key(3, otherMode));
    await insertKey(db, key(4, otherAccount));
    const page = await listKeys(db, { ...scope, limit: 1 });
    expect(page).toEqual({ rows: [key(2)], has_more: true });
    const rest = await listKeys(db, { ...scope, limit: 1, after_id: key(2).id });
    expect(rest).toEqual({ rows: [key(1)], has_more: false });
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

  test('audit entries are listed within their account and mode, newest first', async () => {
    const { db } = await withEntries(fresh);
    const [first, second, third, fourth, fifth, sixth] = entries;
    const list = (query: AuditQuery) => listAuditEntries(db, query);
    expect(await list({ ...scope, limit: 2 })).toEqual({ rows: [sixth, fifth], has_more: true });
    const rest = { ...scope, limit: 2, after_id: fifth?.id };
    expect(await list(rest)).toEqual({ rows: [second, first], has_more: false });
    expect((await list({ ...otherMode, limit: 9 })).rows).toEqual([third]);
    expect((await list({ ...otherAccount, limit: 9 })).rows).toEqual([fourth]);
  });

  test('audit entries are filtered by key, operation, record and time', async () => {
    const { db } = await withEntries(fresh);
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
    expect(await found({ created_after: noon + 1 })).toEqual([6, 5]);
    expect(await found({ created_before: noon + 1_000 })).toEqual([2, 1]);
  });

  test('the audit entries of an account are deleted with it, and no others', async () => {
    const { db } = await withEntries(fresh);
    expect(await deleteEmptyAccount(db, scope.account_id)).toBe(true);
    const rows = await db.selectFrom('audit_entries').selectAll().execute();
    expect(rows).toEqual([entries[3]]);
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
