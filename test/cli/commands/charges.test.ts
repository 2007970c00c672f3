import { expect, test } from 'vitest';
import { jsonOf } from '../harness.ts';
import { orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();

async function sent(...flags: string[]): Promise<string> {
  box.advance(1000);
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate', ...flags];
  return String((await box.json(line)).id);
}

const first = await sent('--tip', '3', '--ref', 'first');
const second = await sent();
await box.run(['deliveries', 'cancel', first, '--yes']);

test('movements are listed, newest first, and those of a delivery sum to what was paid', async () => {
  const { stdout } = await box.run(['charges', 'list', '-o', 'ndjson']);
  const charges = stdout.trim().split('\n').map(jsonOf);
  expect(charges.map(({ kind, amount }) => [kind, amount])[0]).toEqual(['refund', -947]);
  expect(charges.filter(({ delivery_id }) => delivery_id === second)).toMatchObject([{ amount: 647 }]);
  const own = charges.filter(({ delivery_id }) => delivery_id === first);
  expect(own.reduce((sum, { amount }) => sum + Number(amount), 0)).toBe(0);
});

test('of one delivery, by its id or its reference', async () => {
  for (const word of [first, 'first']) {
    const { stdout } = await box.run(['charges', 'list', '--delivery', word]);
    const rows = stdout
      .trim()
      .split('\n')
      .map((line) => line.split('\t').slice(0, 3).join(' '));
    expect(rows.sort()).toEqual([`delivery 647 ${first}`, `refund -947 ${first}`, `tip 300 ${first}`]);
  }
  expect((await box.run(['charges', 'list', '--delivery', 'nobody'])).exit).toBe(5);
});

test('people see amounts; what is left is said with the filter', async () => {
  const options = { tty: true, columns: 60, env: { NO_COLOR: '1' } };
  const { stdout, stderr } = await box.run(['charges', 'list', '--delivery', first, '--limit', '1'], options);
  expect(stdout).toMatch(/^KIND +AMOUNT +DELIVERY\nrefund +-\$9\.47 +dlv_\w+\n$/);
  expect(stderr).toContain(`waybill charges list --delivery ${first} --limit 1 --cursor `);
});
