import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { batchId, batchOf, batchOrder, changing } from '../commands/batches/records.ts';
import { importFolder } from '../commands/orders/import/import-folder.ts';
import { ndjsonOf } from '../commands/orders/import/made-up-orders.ts';
import { errorOf, jsonOf, waybill } from '../harness.ts';
import { sandbox } from '../sandbox.ts';

const path = `/v2/batches/${batchId}`;
const pending = batchOrder(2, { status: 'pending', attempts: 0 });
const accepted = batchOf([batchOrder(1), pending]);
const losing = batchOf([batchOrder(1, { status: 'unfulfilled', reason: 'nobody quoted' }), pending]);
const partly = batchOf([batchOrder(1, { status: 'unfulfilled', reason: 'nobody quoted' }), batchOrder(2)]);
const good = batchOf([batchOrder(1), batchOrder(2)]);

/** Commands against a service that returns these states of the batch in turn. */
function seeing(looks: readonly unknown[]) {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const transport = changing({ '/v2/sandbox/clock': [{ mode: 'real' }], [path]: looks });
  return (...argv: string[]) => waybill(argv, { transport, sleep, now: () => now });
}

test('wait is get --wait, and suggests the same command', async () => {
  expect(await seeing([accepted, good])('batches', 'wait', batchId)).toEqual(
    await seeing([accepted, good])('batches', 'get', batchId, '--wait'),
  );
  const flags = ['--timeout', '1m', '--interval', '20s', '--json'];
  const late = await seeing([accepted])('batches', 'wait', batchId, ...flags);
  expect([late.exit, errorOf(late.stderr).next]).toMatchObject([
    8,
    [{ command: `waybill batches wait ${batchId} --interval 20s --timeout 1m`, when: 'continue waiting' }],
  ]);
  expect((await seeing([accepted])('batches', 'wait', batchId, '--until', 'processing')).exit).toBe(0);
});

test.each([['wait'], ['get', '--wait'], ['get', '--watch']])(
  'batches %s %s --fail-on: exit 9 at the first matching order, with the reason',
  async (verb, ...way) => {
    const line = ['batches', verb, batchId, ...way, '--fail-on', 'unfulfilled,failed', '--json'];
    const { exit, stderr } = await seeing([accepted, losing, partly])(...line);
    expect([exit, errorOf(stderr)]).toEqual([
      9,
      expect.objectContaining({
        code: 'order_unfulfilled',
        message: expect.stringMatching(/^ord_\w+ is unfulfilled: nobody quoted\.$/),
      }),
    ]);
    expect((await seeing([accepted, partly])(...line)).exit).toBe(10);
  },
);

const box = await sandbox();

test('orders import --wait: until every batch is complete, with the counts', async () => {
  const { run } = importFolder(box, ndjsonOf(3), 'wait.ndjson');
  const { exit, stdout } = await run(['--auto', '--wait', '--json'], box.passing);
  expect(exit).toBe(0);
  expect(jsonOf(stdout)).toMatchObject({ made: 3, counts: { dispatched: 3, pending: 0 } });
});

test('orders import --wait: a time-out is exit 8 with --resume, which continues to wait', async () => {
  const { run, path: file } = importFolder(box, ndjsonOf(2, 'late-'), 'late.ndjson');
  const window = ['--retry-window', '1m', '--retry-interval', '10s'];
  const flags = ['--auto', '--simulate', 'no_quotes', ...window, '--wait'];
  const { exit, stderr } = await run([...flags, '--timeout', '5s'], box.passing);
  expect(exit).toBe(8);
  expect(stderr).toContain('Time ran out after 5s: 0 of 2: 2 pending.');
  expect(stderr).toMatch(/waybill orders import late\.ndjson .*--wait.*--resume/);
  expect(existsSync(`${file}.waybill-lock`)).toBe(false);
  const on = await run(['--resume', '--wait', '--json'], box.passing);
  expect([on.exit, errorOf(on.stderr).code]).toEqual([9, 'batch_not_dispatched']);
  expect(jsonOf(on.stdout)).toMatchObject({ counts: { unfulfilled: 2 } });
});

test('orders import --wait needs auto dispatch, and --fail-on needs --wait', async () => {
  const { run } = importFolder(box, ndjsonOf(1), 'manual.ndjson');
  const manual = await run(['--wait']);
  expect([manual.exit, manual.stderr]).toEqual([
    2,
    expect.stringContaining('--wait applies to auto dispatch'),
  ]);
  const idle = await run(['--auto', '--fail-on', 'failed']);
  expect([idle.exit, idle.stderr]).toEqual([2, expect.stringMatching(/requires? --wait/)]);
});

test('orders import --wait --fail-on: exit 9 at the first matching order', async () => {
  const { run } = importFolder(box, ndjsonOf(2, 'lost-'), 'lost.ndjson');
  const line = '--auto --simulate no_quotes --retry-window 0s --wait --fail-on unfulfilled'.split(' ');
  const { exit, stderr } = await run([...line, '--json'], box.passing);
  expect([exit, errorOf(stderr).code]).toEqual([9, 'order_unfulfilled']);
});
