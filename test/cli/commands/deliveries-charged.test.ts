import { expect, test } from 'vitest';
import { deliverySummary } from '../../../src/cli/columns/deliveries.ts';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { delivery, type Entered } from '../deliveries/records.ts';
import { jsonOf } from '../harness.ts';
import { orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2)];
const terminal = { tty: true, columns: 300, env: { NO_COLOR: '1' } };

function charged(entered: readonly Entered[], fields: Partial<Delivery> = {}): unknown {
  const record = delivery(entered, fields);
  const column = deliverySummary().find(({ header, only }) => header === 'Charged' && only === 'people');
  return column?.value(record);
}

const begun: Entered = ['delivery_created', 0];
const canceled: Entered = ['customer_canceled', 5];

test('people see what was really charged: nothing where no money stayed', () => {
  expect(charged([])).toBeNull();
  expect(charged([begun])).toBe(853);
  expect(charged([begun, ['failed', 1]])).toBeNull();
  expect(charged([canceled])).toBeNull();
  expect(charged([begun, canceled], { refunded_amount: 853 })).toBeNull();
  expect(charged([begun, canceled], { tip: 300, refunded_amount: 1153 })).toBeNull();
  expect(charged([begun, canceled], { tip: 300, refunded_amount: 853 })).toBe(300);
  expect(charged([begun, ['returned', 60]])).toBe(853);
});

test.each([['request'], ['failed', '--initiate', '--simulate', 'payment_declined']])(
  'at %s a table and a record have no amount; formats for programs have that of the interface',
  async (status, ...flags) => {
    box.advance(1);
    const made = await box.run([...create, ...flags, '--json']);
    const id = String(jsonOf(made.stdout).id);
    const line = ['deliveries', 'get', id];
    const page = await box.run(line, terminal);
    expect(page.stdout).not.toMatch(/^Charged/m);
    expect(page.stdout).toMatch(/^Fee shown +\$6\.47$/m);
    const list = await box.run(['deliveries', 'list', '--limit', '1'], terminal);
    expect([list.stdout.includes('CHARGED'), list.stdout.includes('$6.47')]).toEqual([true, false]);
    expect((await box.run(line)).stdout).toMatch(/^payment_amount\t647$/m);
    expect((await box.run(line)).stdout.match(/^payment_amount/gm)).toHaveLength(1);
    const csv = (await box.run([...line, '-o', 'csv'])).stdout.split('\r\n');
    expect(csv[0]?.split(',').filter((name) => name === 'payment_amount')).toHaveLength(1);
    expect(await box.json(line)).toMatchObject({ status, payment_amount: 647 });
  },
);
