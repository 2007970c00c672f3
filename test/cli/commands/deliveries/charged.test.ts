import { expect, test } from 'vitest';
import { jsonOf } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2)];
const terminal = { tty: true, columns: 300, env: { NO_COLOR: '1' } };

test.each([['request'], ['failed', '--initiate', '--simulate', 'payment_declined']])(
  'at %s people see the price once; formats for programs have it under its name',
  async (status, ...flags) => {
    box.advance(1);
    const made = await box.run([...create, ...flags, '--json']);
    const id = String(jsonOf(made.stdout).id);
    const line = ['deliveries', 'get', id];
    const page = await box.run(line, terminal);
    expect(page.stdout).toMatch(/^Price +\$6\.47$/m);
    expect(page.stdout).not.toMatch(/^Charged/m);
    expect(page.stdout).toMatch(/^Fee shown +\$6\.47$/m);
    const list = await box.run(['deliveries', 'list', '--limit', '1'], terminal);
    // A failed delivery was refunded: a list would suggest that it was paid for.
    const price = status === 'failed' ? expect.not.stringContaining('$') : expect.stringContaining(' $6.47 ');
    expect([list.stdout.includes(' PRICE '), list.stdout]).toEqual([true, price]);
    expect((await box.run(['deliveries', 'list', '--limit', '1', '-o', 'csv'])).stdout).toContain(',647,');
    expect((await box.run(line)).stdout).toMatch(/^payment_amount\t647$/m);
    expect((await box.run(line)).stdout.match(/^payment_amount/gm)).toHaveLength(1);
    const csv = (await box.run([...line, '-o', 'csv'])).stdout.split('\r\n');
    expect(csv[0]?.split(',').filter((name) => name === 'payment_amount')).toHaveLength(1);
    expect(await box.json(line)).toMatchObject({ status, payment_amount: 647 });
  },
);
