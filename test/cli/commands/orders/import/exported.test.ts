import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome } from '../../../harness.ts';
import { orderLine, sandbox } from '../../../sandbox.ts';

const box = await sandbox();

test('orders that were exported as CSV can be imported', async () => {
  const ref = 'export-1';
  const flags = ['--item', 'Soup, hot:2:medium', '--item', 'Bread', '--tip', '4.50', '--order-value', '42'];
  const first = await box.json([...orderLine, ...flags, '--ref', ref]);
  const { stdout } = await box.run(['orders', 'list', '--ref', ref, '-o', 'csv', '--show-pii']);
  const file = join(freshHome(), 'exported.csv');
  writeFileSync(file, stdout);
  const { exit, stderr } = await box.run(['orders', 'import', file]);
  expect(exit, stderr).toBe(0);
  const [second] = JSON.parse((await box.run(['orders', 'list', '--ref', ref, '--json'])).stdout);
  expect(second.id).not.toBe(first.id);
  const { items, tip, order_value, dropoff_phone_number, dropoff_address } = first;
  expect(second).toMatchObject({ items, tip, order_value, dropoff_phone_number, dropoff_address });
});
