import { expect, test } from 'vitest';
import { sandbox } from '../../sandbox.ts';

test('keys are listed with the time of their last use', async () => {
  const box = await sandbox();
  const made = await box.json(['keys', 'create', '--permission', 'read']);
  expect(made.last_used_at).toBeNull();
  const { stdout } = await box.run(['keys', 'list', '-o', 'csv']);
  const [head = '', ...rows] = stdout
    .trim()
    .split('\n')
    .map((line) => line.split(','));
  const [permission, used] = ['permission', 'last_used_at'].map((name) => head.indexOf(name));
  const uses = rows.map((cells) => [cells[permission ?? -1], cells[used ?? -1] !== '']);
  expect(uses.sort()).toEqual([
    ['admin', true],
    ['read', false],
  ]);
  const table = await box.run(['keys', 'list', '-o', 'table']);
  expect(table.stdout).toMatch(/last used/i);
  const row = table.stdout.split('\n').find((line) => line.includes('admin'));
  expect(row, 'a real time has no age by the sandbox clock').toMatch(/\d\d:\d\d:\d\d/);
});
