import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, waybill } from './run.ts';

test('concurrent first commands share one account and one key', async () => {
  const home = freshHome();
  const firsts = await Promise.all(Array.from({ length: 6 }, () => waybill(home, 'whoami', '--json')));
  expect(firsts.map(({ exit, stderr }) => `${exit} ${stderr}`)).toEqual(Array(6).fill('0 '));
  const accounts = firsts.map(({ stdout }) => JSON.parse(stdout).account.account_id);
  expect(accounts[0]).toMatch(/^acct_/);
  expect(new Set(accounts).size).toBe(1);
  const keys = await waybill(home, 'keys', 'list', '--json');
  expect(JSON.parse(keys.stdout)).toHaveLength(1);
});

test('profiles that are made at once are all kept', async () => {
  const home = freshHome();
  const names = Array.from({ length: 8 }, (_, at) => `shop${at}`);
  const made = await Promise.all(
    names.map((name) => waybill(home, 'profiles', 'create', name, '--base-url', 'http://127.0.0.1:4700')),
  );
  expect(made.map(({ exit, stderr }) => [exit, stderr])).toEqual(names.map(() => [0, expect.any(String)]));
  const { stdout } = await waybill(home, 'profiles', 'list', '-o', 'id');
  expect(stdout.trim().split('\n').sort()).toEqual(['sandbox', ...names]);
});

test('settings, database and cache are private to their owner', async () => {
  const home = freshHome();
  delete home.env.WAYBILL_CACHE_DIR;
  await waybill(home, 'orders', 'list');
  const mode = (...path: string[]) => (statSync(join(home.folder, ...path)).mode & 0o777).toString(8);
  expect(mode('.config', 'waybill')).toBe('700');
  expect(mode('.config', 'waybill', 'profiles.json')).toBe('600');
  expect(mode('.local', 'share', 'waybill')).toBe('700');
  expect(mode('.local', 'share', 'waybill', 'waybill.db')).toBe('600');
  expect(mode('.cache', 'waybill')).toBe('700');
});
