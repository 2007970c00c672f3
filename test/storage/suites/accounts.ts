import { expect, test } from 'vitest';
import {
  findAccount,
  firstAccount,
  insertKey,
  keyByHash,
  listKeys,
  revokeKey,
  writeAccountSettings,
  writeKeyUse,
} from '../../../src/storage/accounts.ts';
import { readSetting, replaceSetting, writeSetting } from '../../../src/storage/settings.ts';
import { account, key, noon, otherAccount, otherMode, scope } from '../records.ts';
import type { FreshStorage } from '../suite.ts';

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
}
