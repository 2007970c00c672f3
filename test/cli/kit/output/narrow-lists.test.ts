import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { linesIn } from '../../harness.ts';
import { newDelivery, orderLine, sandbox } from '../../sandbox.ts';

test('80 columns keep when a delivery is due, and an order in a line: names are shortened first', async () => {
  const box = await sandbox();
  const name = ['--dropoff-name', 'Maximiliane Oberhuber-Schwarzenbach'];
  await newDelivery(box, '--ref', '#1042', ...name, '--initiate', '--simulate', 'slow_assignment');
  const shown = async (line: string[], columns: number) =>
    linesIn((await box.run(line, { tty: true, columns, env: { NO_COLOR: '1' } })).stdout);
  const [head = '', row = ''] = await shown(['deliveries', 'list'], 80);
  expect(head).toMatch(/^ID +STATUS +PROVIDER +REF +DROPOFF +DUE +CHARGED$/);
  expect(row).toMatch(/^\w{5,} .* #1042 +\S.* +in \d+ min +\$\d/);
  const orders = await shown(['orders', 'list'], 80);
  expect(orders).toHaveLength(2);
  expect(orders[1]).toMatch(/^\w{5,} .* #1042 .* Maxi[^…]*…/);
  for (const line of [head, row, ...orders]) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  expect((await shown(['orders', 'list'], 200))[1]).toContain(name[1]);
});

const asked: readonly (readonly [line: string, column: string])[] = [
  ['deliveries list --sort price', 'Charged'],
  ['deliveries list --sort due', 'Due'],
  ['deliveries list --sort late', 'Due'],
  ['deliveries list --due today', 'Due'],
  ['deliveries list --delivered today', 'Delivered'],
  ['deliveries list --min-cost 1', 'Charged'],
  ['deliveries list --sort tip', 'Agreed tip'],
  ['deliveries list --min-tip 0', 'Agreed tip'],
  ['deliveries list --sort wait', 'Minutes without driver'],
  ['deliveries list --driver DRIVER', 'Driver'],
  ['deliveries list --provider PROVIDER', 'Provider'],
  ['orders list --min-value 0', 'Order value'],
  ['orders list --sort goods', 'Order value'],
  ['report --by store --sort goods', 'Order value'],
  ['report --by store --sort goods', 'Delivered value'],
  ['orders list --due today', 'Dropoff at'],
  ['report --by courier --sort minutes', 'Minutes'],
  ['report --by courier --sort tries', 'Tries'],
  ['report --by courier --sort active', 'Under way'],
  ['audit list --by key', 'By'],
];
test('every table shows the column that it is sorted or filtered by', async () => {
  const box = await sandbox();
  const { id } = await box.json(['deliveries', 'create', ...orderLine.slice(2), '--tip', '2', '--initiate']);
  await box.json(['sandbox', 'advance', '--by', '3h']);
  const { service, courier_name } = await box.json(['deliveries', 'get', String(id)]);
  // What each row is about keeps its name for as long as another column can be left out.
  for (let columns = 76; columns < 120; columns += 4) {
    const { stdout } = await box.run(['report', '--by', 'driver'], { tty: true, columns });
    expect(stdout).toContain(courier_name);
  }
  const values: Readonly<Record<string, unknown>> = { PROVIDER: service, DRIVER: courier_name };
  for (const [line, column] of asked) {
    const words = line.split(' ').map((word) => String(values[word] ?? word));
    const { stdout } = await box.run(words, { tty: true, columns: 80, env: { NO_COLOR: '1' } });
    expect([line, stdout.toLowerCase()]).toEqual([line, expect.stringContaining(column.toLowerCase())]);
  }
});
