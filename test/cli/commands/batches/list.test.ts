import { expect, test } from 'vitest';
import type { Batch } from '../../../../src/contract/batches.ts';
import type { WireRequest } from '../../../../src/contract/operation.ts';
import { jsonOf, type RunOptions, waybill } from '../../harness.ts';
import { batchId, batchOf, batchOrder, changing } from './records.ts';

const path = `/v2/batches/${batchId}`;
const other = batchId.replace('01', '02');
const processing = batchOf([
  batchOrder(1),
  batchOrder(2, { status: 'pending', attempts: 0 }),
  batchOrder(3, { status: 'pending', reason: 'poolride is being asked' }),
]);
const closed = batchOf([
  batchOrder(1),
  batchOrder(2, { status: 'canceled', attempts: 0, reason: 'the batch was canceled' }),
  batchOrder(3, { status: 'pending', reason: 'poolride is being asked' }),
]);
const settled = batchOf([
  batchOrder(1),
  batchOrder(2, { status: 'canceled', attempts: 0, reason: 'the batch was canceled' }),
  batchOrder(3),
]);

function summary({ orders: _, ...fields }: Batch, batch_id = batchId) {
  return { ...fields, batch_id };
}

const page = (...data: unknown[]) => ({ object: 'list', data, has_more: false, next_cursor: null });

function at(answers: Record<string, readonly unknown[]>, options: RunOptions = {}, sent: WireRequest[] = []) {
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const transport = changing({ '/v2/sandbox/clock': [{ mode: 'real' }], ...answers }, sent);
  return (...argv: string[]) => waybill(argv, { transport, sleep, now: () => now, ...options });
}

const terminal = (columns: number) => ({ tty: true, columns, env: { NO_COLOR: '1', TZ: 'UTC' } });
const both = { '/v2/batches': [page(summary(settled, other), summary(processing))] };

test.each([60, 200])('list in %i columns: complete IDs and the outcomes of the orders', async (columns) => {
  const { stdout, exit } = await at(both, terminal(columns))('batches', 'list');
  expect(exit).toBe(0);
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
  for (const text of [batchId, other, '2 dispatched, 1 canceled', '1 dispatched, 2 pending']) {
    expect(stdout).toContain(text);
  }
});

test('list for programs: ids, the records unchanged, and each count by its name', async () => {
  expect((await at(both)('batches', 'list', '-o', 'id')).stdout).toBe(`${other}\n${batchId}\n`);
  const json = JSON.parse((await at(both)('batches', 'list', '--json')).stdout);
  expect(json).toEqual([summary(settled, other), summary(processing)]);
  const csv = (await at(both)('batches', 'list', '-o', 'csv')).stdout.split('\n');
  expect(csv[0]).toContain('batch_id,status,order_count,counts.pending,counts.dispatched,counts.unfulfilled');
  expect(csv[1]).toContain(`${other},complete,3,0,2,0,0,1,`);
  const wide = (await at(both, terminal(300))('batches', 'list', '-o', 'wide')).stdout;
  expect(wide).toMatch(/TRIES FOR {2}TRIES EVERY/);
});

test('list: filter and paging are sent to the service and repeated in the suggested command', async () => {
  const sent: WireRequest[] = [];
  const more = { ...page(summary(processing)), has_more: true, next_cursor: 'next1' };
  const line = ['batches', 'list', '--status', 'processing', '--limit', '1'];
  const { stderr } = await at({ '/v2/batches': [more] }, {}, sent)(...line);
  expect(sent.at(-1)?.path).toBe('/v2/batches?status=processing&limit=1');
  expect(stderr).toContain('waybill batches list --status processing --limit 1 --cursor next1');
});

test('list --watch: prints each change until no batch is processing, even if a filter hides the end', async () => {
  const lists = [page(summary(processing)), page(summary(processing)), page()];
  const run = at({ '/v2/batches': lists, [path]: [settled] });
  const { stdout, exit } = await run('batches', 'list', '--status', 'processing', '--watch', '--json');
  const events = stdout.trim().split('\n').map(jsonOf);
  expect(exit).toBe(0);
  expect(events).toEqual([
    { type: 'batch.current', ...summary(processing) },
    { type: 'batch.completed', ...summary(settled) },
  ]);
  const people = at({ '/v2/batches': lists, [path]: [settled] }, terminal(120));
  const seen = await people('batches', 'list', '--watch');
  expect(seen.stdout).toMatch(/bat_\w+ {2}processing {2}1 of 3: 1 dispatched, 2 pending\n/);
  expect(seen.stdout).toMatch(/bat_\w+ {2}complete {4}3 of 3: 2 dispatched, 1 canceled\n$/);
});

test('list --watch ends at once if no batch is processing, with exit 8 after the time-out, and takes no cursor', async () => {
  const none = await at({ '/v2/batches': [page()] })('batches', 'list', '--watch', '--json');
  expect(none).toEqual({ exit: 0, stdout: '', stderr: '' });
  const late = await at(both)('batches', 'list', '--watch', '--timeout', '1m');
  expect(late).toMatchObject({ exit: 8, stderr: expect.stringContaining(`${batchId} is still processing`) });
  expect(await at(both)('batches', 'list', '--watch', '--all')).toMatchObject({ exit: 2, stdout: '' });
  expect(await at(both)('batches', 'list', '--watch', '-o', 'id')).toMatchObject({ exit: 2, stdout: '' });
});

const closing = (end: Batch) => ({ [`POST ${path}/cancel`]: [end], [path]: [processing] });

test('cancel: asks first, then prints what was canceled and what could not be', async () => {
  const options = { ...terminal(120), answers: [true] };
  const { stdout, stderr, exit } = await at(closing(closed), options)('batches', 'cancel', batchId);
  expect(exit).toBe(0);
  expect(stdout).toContain('2 of 3: # 1 dispatched, - 1 canceled, . 1 pending');
  expect(stderr).toContain('1 order was canceled.');
  expect(stderr).toContain('A courier is being asked for 1 order: it is canceled only if that one refuses.');
  expect(stderr).toContain('1 order is dispatched and stays so.');
});

test('cancel: the question names what is pending and what stays; if declined, nothing is sent', async () => {
  const sent: WireRequest[] = [];
  const refused = await at(
    closing(closed),
    { ...terminal(120), answers: [false] },
    sent,
  )(...['batches', 'cancel', batchId]);
  expect(refused.exit).toBe(3);
  const nobody = await at(closing(closed), {}, sent)('batches', 'cancel', batchId);
  expect(nobody.exit).toBe(2);
  expect(nobody.stderr).toContain(
    `Cancel the 2 orders pending in ${batchId}? 1 order is dispatched and stays so.`,
  );
  expect(sent.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('cancel of a completed batch does nothing and says so', async () => {
  const sent: WireRequest[] = [];
  const run = at({ [path]: [settled] }, {}, sent);
  const { stdout, stderr, exit } = await run('batches', 'cancel', batchId, '-o', 'id');
  expect([exit, stdout]).toEqual([0, `${batchId}\n`]);
  expect(stderr).toContain(`${batchId} has no pending orders. Nothing was changed.`);
  expect(sent.filter(({ method }) => method === 'POST')).toEqual([]);
});

test('cancel --watch continues until running attempts are settled, with exit 0', async () => {
  const answers = { [`POST ${path}/cancel`]: [closed], [path]: [processing, closed, settled] };
  const { stdout, exit } = await at(answers)('batches', 'cancel', batchId, '--yes', '--watch', '--json');
  const events = stdout.trim().split('\n').map(jsonOf);
  expect([exit, events.map(({ type, status }) => [type, status])]).toEqual([
    0,
    [
      ['batch.current', 'processing'],
      ['batch.completed', 'complete'],
    ],
  ]);
  const sent: WireRequest[] = [];
  const id = await at(answers, {}, sent)('batches', 'cancel', batchId, '--yes', '--watch', '-o', 'id');
  expect(id).toMatchObject({ exit: 2, stdout: '' });
  expect(sent).toEqual([]);
});

test('cancel --dry-run does not prompt and shows the request', async () => {
  const sent: WireRequest[] = [];
  const run = at({ [path]: [settled] }, {}, sent);
  const { stdout, exit } = await run('batches', 'cancel', batchId, '--dry-run', '--json');
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { method: 'POST', url: `${path}/cancel` }]);
  expect(sent.filter(({ method }) => method === 'POST')).toEqual([]);
});
