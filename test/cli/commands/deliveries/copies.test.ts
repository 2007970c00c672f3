import { expect, test } from 'vitest';
import { errorOf, jsonOf } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const fields = orderLine.slice(2);
const from = ['--pickup-address', '43 E Ohio St, Chicago, IL 60611'];
const to = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'];
const terminal = (columns: number) => ({ tty: true, columns, env: { NO_COLOR: '1' } });

test('a copy of an order from a deleted store has the store’s fields', async () => {
  const store = await box.json([
    ...['stores', 'create', '--name', 'Gone', '--address', '43 E Ohio St, Chicago, IL 60611'],
    ...['--phone-number', '+13125550101', '--notes', 'Back door'],
  ]);
  const dropoff = fields.slice(fields.indexOf('--dropoff-address'));
  const { id, order_id } = await box.json(['deliveries', 'create', '--store', String(store.id), ...dropoff]);
  await box.run(['stores', 'delete', String(store.id), '--yes']);
  for (const group of ['orders', 'deliveries']) {
    const line = [group, 'create', '--like', String(id), '--json'];
    const { exit, stdout, stderr } = await box.run(line);
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining(`The store of ${order_id} is gone: its pickup`),
    ]);
    expect(jsonOf(stdout)).toMatchObject({ pickup_name: 'Gone', pickup_notes: 'Back door' });
  }
  const elsewhere = await box.run(['orders', 'create', '--like', String(id), '--pickup-name', 'Bar']);
  expect([elsewhere.exit, elsewhere.stderr]).toEqual([0, expect.not.stringContaining('is gone')]);
});

test('--like accepts a reference that one order has', async () => {
  const { order_id } = await box.json([
    'deliveries',
    'create',
    ...fields,
    '--ref',
    'L1',
    '--dropoff-notes',
    'Ring',
  ]);
  const copy = await box.json(['orders', 'create', '--like', 'L1', '--ref', 'L2']);
  expect(copy).toMatchObject({ dropoff_notes: 'Ring', external_order_ref: 'L2' });
  await box.json(['deliveries', 'create', '--like', 'L1']);
  const several = await box.run(['orders', 'create', '--like', 'L1', '--json']);
  expect([several.exit, errorOf(several.stderr)]).toMatchObject([
    2,
    {
      message: expect.stringContaining('Several orders have the reference "L1"'),
      choices: expect.arrayContaining([order_id]),
      next: [{ command: 'waybill orders list --external-order-ref L1' }],
    },
  ]);
  const none = await box.run(['orders', 'create', '--like', 'L0', '--json']);
  expect([none.exit, errorOf(none.stderr)]).toMatchObject([
    5,
    { code: 'record_not_found', hint: expect.stringContaining('your references') },
  ]);
});

test('an error about a field names its flag', async () => {
  for (const line of [
    ['deliveries', 'create', ...fields],
    ['deliveries', 'quote', ...from, ...to],
    ['orders', 'create', ...fields],
  ]) {
    const { exit, stderr } = await box.run([...line, '--pickup-at', '2h', '--dropoff-at', '3h']);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining('--dropoff-at: cannot be given together with --pickup-at'),
    ]);
  }
});

test('quotes have all their fields with -o csv and -o wide', async () => {
  const line = ['deliveries', 'quote', ...from, ...to];
  const csv = await box.run([...line, '-o', 'csv']);
  expect(csv.stdout).toMatch(/^service,fee,dropoff_at,expires,id,created,currency\n[^\n]+,USD\n/);
  expect((await box.run([...line, '-o', 'wide'], terminal(200))).stdout).toMatch(/ CREATED +CURRENCY\n/);
});
