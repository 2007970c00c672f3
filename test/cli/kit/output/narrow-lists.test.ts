import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { linesIn } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

test('80 columns keep when a delivery is due, and an order in a line: names are shortened first', async () => {
  const box = await sandbox();
  const name = ['--dropoff-name', 'Maximiliane Oberhuber-Schwarzenbach'];
  await newDelivery(box, '--ref', '#1042', ...name, '--initiate', '--simulate', 'slow_assignment');
  const shown = async (line: string[], columns: number) =>
    linesIn((await box.run(line, { tty: true, columns, env: { NO_COLOR: '1' } })).stdout);
  const [head = '', row = ''] = await shown(['deliveries', 'list'], 80);
  expect(head).toMatch(/^ID +STATUS +PROVIDER +REF +DROPOFF +DUE +CHARGED$/);
  expect(row).toMatch(/^\w{5} .* #1042 +\S.* +in \d+ min +\$\d/);
  const orders = await shown(['orders', 'list'], 80);
  expect(orders).toHaveLength(2);
  expect(orders[1]).toMatch(/^\w{5} .* #1042 .* Maxi[^…]*…/);
  for (const line of [head, row, ...orders]) expect(displayWidth(line)).toBeLessThanOrEqual(80);
  expect((await shown(['orders', 'list'], 200))[1]).toContain(name[1]);
});
