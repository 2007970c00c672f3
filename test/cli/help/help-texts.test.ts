import { expect, test } from 'vitest';
import { waybill } from '../harness.ts';

test.each([
  [
    ['help', 'output'],
    'In a narrow terminal a table hides less important columns (noted on stderr) or becomes cards.',
  ],
  [['help', 'scenarios'], 'also includes a provider that quotes only when named; you still choose'],
  [['orders', 'create', '--help'], 'adds a provider that quotes only when named'],
  [['orders', 'create', '--help'], 'by order ID, delivery ID or your reference'],
  [['orders', 'list', '--help'], 'Print only errors, and a warning when an expired quote is replaced'],
])('%j says that: %s', async (line, text) => {
  const { stdout, exit } = await waybill(line);
  expect([exit, stdout.replace(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(text)]);
});

test('without manual pages, `waybill help` is suggested instead', async () => {
  const { stderr, exit } = await waybill(['help', '--man-path']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('Use `waybill help COMMAND` instead.\n')]);
});
