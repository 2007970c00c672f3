import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import { batchPlot } from '../../../../src/cli/nouns/batch.ts';
import { type RunOptions, waybill } from '../../harness.ts';
import { batchId, batchOf, batchOrder, changing } from './records.ts';

const counts = { pending: 86, dispatched: 206, unfulfilled: 4, failed: 2, canceled: 2 };

test('every outcome is drawn in proportion with its own sign', () => {
  expect(batchPlot({ counts }, 40, 'blocks')).toBe(`${'█'.repeat(26)}▒×–${'·'.repeat(11)}`);
  expect(batchPlot({ counts }, 40, 'ascii')).toBe(`${'#'.repeat(26)}ux-${'.'.repeat(11)}`);
  expect(batchPlot({ counts }, 200, 'ascii')).toHaveLength(60);
  expect(batchPlot({ counts }, 9, 'ascii')).toBeNull();
  expect(batchPlot({ counts }, 40, null)).toBeNull();
});

const orders = [
  ...[1, 2, 3, 4, 5, 6].map((number) => batchOrder(number)),
  batchOrder(7, { status: 'failed', reason: 'refused' }),
  batchOrder(8, { status: 'pending' }),
];

async function got(options: RunOptions): Promise<string> {
  const answers = { [`/v2/batches/${batchId}`]: [batchOf(orders)] };
  const { stdout } = await waybill(['batches', 'get', batchId], { transport: changing(answers), ...options });
  return stdout;
}

const terminal = (columns: number, env = {}) => ({ tty: true, columns, env: { NO_COLOR: '1', ...env } });

test('get: the bar beside the counts, which have the same signs', async () => {
  const text = await got(terminal(80, { LANG: 'C.UTF-8' }));
  expect(text).toContain('Orders   7 of 8: █ 6 dispatched, × 1 failed, · 1 pending\n         ██');
  const ascii = await got(terminal(80));
  expect(ascii).toMatch(/^Orders {3}7 of 8: # 6 dispatched, x 1 failed, \. 1 pending\n {9}#{45}x{8}\.{7}$/m);
});

test.each([40, 60, 80, 200])('it fits %d columns', async (columns) => {
  const [head = ''] = (await got(terminal(columns))).split('\n\n');
  expect(head).toMatch(/^ *#+x+\.+$/m);
  for (const line of head.split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(columns, 42));
});

test('no bar in a pipe, in accessible mode and for programs', async () => {
  const plain = 'Orders   7 of 8: 6 dispatched, 1 failed, 1 pending\nChooses';
  expect(await got(terminal(80, { ACCESSIBLE: '1' }))).toContain(plain);
  expect(await got({ env: { WAYBILL_OUTPUT: 'table' } })).toContain(plain);
  expect(await got({})).not.toMatch(/##|██/);
});
