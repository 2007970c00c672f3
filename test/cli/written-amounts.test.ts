import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDollars } from '../../src/domain/money.ts';
import { readTable } from '../cases/read-table.ts';
import { oneOf } from '../in-part.ts';
import { freshHome } from './harness.ts';
import { orderFields, orderLine, sandbox } from './sandbox.ts';

// An amount is the same amount as a flag and in a file.

const cases = readTable('amounts.tsv', (cell) => ({
  text: cell('text'),
  cents: cell('cents') === '' ? null : Number(cell('cents')),
}));

const box = await sandbox();

/** The value of a new order for which the amount is given; null if that is refused. */
const ways: Record<string, (text: string) => Promise<number | null>> = {
  'a flag': async (text) => {
    const { stdout, exit, stderr } = await box.run([...orderLine, `--order-value=${text}`, '--json']);
    expect([exit, stderr]).toEqual([exit === 0 ? 0 : 2, expect.stringContaining(exit === 0 ? '' : 'amount')]);
    return exit === 0 ? JSON.parse(stdout).order_value : null;
  },
  'a file': async (text) => {
    const file = join(freshHome(), 'orders.csv');
    const { items: _, ...fields } = orderFields;
    const cells = [...Object.values(fields), 'Soup', text].map((cell) => `"${cell.replaceAll('"', '""')}"`);
    const head = [...Object.keys(fields), 'items_description', 'order_value_dollars'];
    writeFileSync(file, `${head.join(',')}\n${cells.join(',')}\n`);
    const { exit, stderr } = await box.run(['orders', 'import', file, '--yes']);
    expect([0, 2], stderr).toContain(exit);
    const [{ order_value }] = JSON.parse(
      (await box.run(['orders', 'list', '--limit', '1', '--json'])).stdout,
    );
    return exit === 0 ? order_value : null;
  },
};

test.each(cases)('the amount $text is $cents cents', ({ text, cents }) => {
  expect(parseDollars(text)).toBe(cents);
});

const brought = Object.keys(ways).flatMap((way, nth) =>
  cases.filter(oneOf(3, nth)).map((each) => ({ way, ...each })),
);

test.each(brought)('by $way, $text is $cents cents', async ({ way, text, cents }) => {
  box.advance(1_000);
  expect(await ways[way]?.(text)).toBe(cents);
});
