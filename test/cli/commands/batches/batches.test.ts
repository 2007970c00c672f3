import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/terminal-lines.ts';
import { batchPlot } from '../../../../src/cli/nouns/batch.ts';
import type { Batch } from '../../../../src/contract/batches.ts';
import type { WireRequest } from '../../../../src/contract/operation.ts';
import {
  errorOf,
  jsonOf,
  newInterruption,
  objectsIn,
  type RunOptions,
  rowsIn,
  waybill,
} from '../../harness.ts';
import { orderFields, sandbox } from '../../sandbox.ts';
import { type Answers, batchId, batchOf, batchOrder, changing, deliveryId, orderId } from './records.ts';

const pending = { status: 'pending', attempts: 0 } as const;
const accepted = batchOf([1, 2, 3].map((number) => batchOrder(number, pending)));
const half = batchOf([
  batchOrder(1),
  batchOrder(2, {
    ...{ status: 'pending', attempts: 2, next_attempt_at: '2030-01-01T00:05:00.000Z' },
    reason: 'nobody quoted',
  }),
  batchOrder(3, pending),
]);
const mixed = batchOf([
  batchOrder(1, { attempts: 2 }),
  batchOrder(2, { status: 'unfulfilled', attempts: 7, reason: 'nobody quoted' }),
  batchOrder(3, { status: 'failed', attempts: 7, reason: 'metrobike refused: no rider is free' }),
]);
const good = batchOf([1, 2, 3].map((number) => batchOrder(number)));
const lost = batchOf([batchOrder(1, { status: 'unfulfilled', attempts: 1, reason: 'nobody quoted' })]);

const path = `/v2/batches/${batchId}`;
/** Runs commands against a service with these responses in turn; waits take no time. */
function at(answers: Answers, options: RunOptions = {}, sent: WireRequest[] = []) {
  const transport = changing({ '/v2/sandbox/clock': [{ mode: 'real' }], ...answers }, sent);
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  return (...argv: string[]) => waybill(argv, { transport, sleep, now: () => now, ...options });
}

/** The same with these states of the batch in turn. */
const seeing = (looks: readonly Batch[], options: RunOptions = {}) => at({ [path]: looks }, options);

const terminal = (columns: number, env = {}) => ({
  ...{ tty: true, columns, env: { NO_COLOR: '1', TZ: 'UTC', ...env } },
});

test.each([60, 80, 200])(
  'get in %i columns shows the outcome of each order with complete ids',
  async (columns) => {
    const { stdout, stderr, exit } = await seeing([mixed], terminal(columns))('batches', 'get', batchId);
    expect([exit, stderr]).toEqual([0, '']);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    for (const id of [batchId, orderId(1), orderId(2), orderId(3), deliveryId(1)])
      expect(stdout).toContain(id);
    expect(stdout.replace(/\s+/g, ' ')).toContain('3 of 3: # 1 dispatched, u 1 unfulfilled, x 1 failed');
    expect(stdout.replace(/\s+/g, ' ')).toContain('after 7 tries: metrobike refused: no rider is free');
    expect(stdout).toContain('the cheapest, no more than $12.50 for an order');
    expect(stdout).toContain('every 5m for 30m');
  },
);

test('get of a processing batch suggests how to follow it, and says when the next attempt is', async () => {
  const { stdout, stderr } = await seeing([half], terminal(200))('batches', 'get', batchId);
  expect(stderr).toBe(`Follow progress: waybill batches get ${batchId} --watch\n`);
  expect(stdout).toMatch(
    new RegExp(`${orderId(2)} {2}#2 {2}pending +next try .*\\d\\d:\\d\\d after 2 tries: nobody`),
  );
});

test('get for programs: the document, the id alone, and a line for each part', async () => {
  const run = seeing([mixed]);
  expect(jsonOf((await run('batches', 'get', batchId, '--json')).stdout)).toEqual(mixed);
  expect((await run('batches', 'get', batchId, '-o', 'id')).stdout).toBe(`${batchId}\n`);
  const rows = (await run('batches', 'get', batchId)).stdout.split('\n').map((line) => line.split('\t'));
  expect(rows[0]).toEqual(['batch', batchId, 'complete', '3']);
  expect(rows).toContainEqual(['unfulfilled', '1']);
  expect(rows).toContainEqual(['order', orderId(2), 'unfulfilled', '#2', '7', '', '', 'nobody quoted']);
});

test.each([
  ['all dispatched: 0', good, 0, null, null],
  ['none dispatched: 9', lost, 9, 'batch_not_dispatched', 'The order was not dispatched: 1 unfulfilled.'],
  [
    ...(['some not dispatched: 10', mixed, 10, 'batch_partly_dispatched'] as const),
    '2 of 3 orders were not dispatched: 1 unfulfilled, 1 failed.',
  ],
] as const)('--wait, %s; programs get the batch as one document', async (_, end, exit, code, message) => {
  const json = await seeing([accepted, half, end])('batches', 'get', batchId, '--wait', '--json');
  expect([json.exit, jsonOf(json.stdout)]).toEqual([exit, end]);
  if (code === null) expect(json.stderr).toBe('');
  else expect(errorOf(json.stderr)).toMatchObject({ code, message });
});

test('--wait: a live count on stderr, and people see unsuccessful orders with their reasons', async () => {
  const lines = terminal(100, { ACCESSIBLE: '1' });
  const run = seeing([accepted, half, mixed], lines);
  const { stdout, stderr, exit } = await run('batches', 'get', batchId, '--wait');
  expect(exit).toBe(10);
  expect(stderr.split('\n').slice(0, 3)).toEqual([
    '0 of 3: 3 pending',
    '1 of 3: 1 dispatched, 2 pending',
    '3 of 3: 1 dispatched, 1 unfulfilled, 1 failed',
  ]);
  expect(stdout).toMatch(/#2 {2}unfulfilled {2}after 7 tries: nobody quoted/);
  expect(stderr).toContain(`waybill orders attempts ${orderId(2)}`);
});

test('--wait of many orders lists only the unsuccessful, and of many of these names the command for the rest', async () => {
  const lose = { status: 'unfulfilled', reason: 'nobody quoted' } as const;
  const many = (count: number) =>
    batchOf(Array.from({ length: 40 }, (_, at) => batchOrder(at + 1, at < count ? lose : {})));
  const few = await seeing([many(2)], terminal(100))('batches', 'get', batchId, '--wait');
  expect(few.stdout.match(/ord_\w+/g)).toEqual([orderId(1), orderId(2)]);
  expect(few.stdout).toContain('Not dispatched');
  const most = await seeing([many(39)], terminal(100))('batches', 'get', batchId, '--wait');
  expect(most.stdout.match(/ord_\w+/g)).toHaveLength(20);
  expect(most.stdout).toContain(`and 19 more: waybill batches get ${batchId}`);
});

test('--wait: exit 8 after the time-out, by default 15 minutes after the window', async () => {
  const wait = ['batches', 'get', batchId, '--wait'];
  const short = await seeing([half])(...wait, '--timeout', '1m', '--json');
  expect([short.exit, jsonOf(short.stdout)]).toEqual([8, half]);
  expect(errorOf(short.stderr)).toMatchObject({
    message: 'Time ran out after 1m: 1 of 3: 1 dispatched, 2 pending.',
    next: [{ command: `waybill batches get ${batchId} --wait --timeout 1m` }],
  });
  const long = await seeing([half])(...wait);
  expect(long).toMatchObject({ exit: 8, stdout: '', stderr: expect.stringContaining('after 45m') });
});

test('--watch: each poll with news: dispatched orders, and why others wait', async () => {
  const run = seeing([accepted, accepted, half, mixed], terminal(120));
  const { stdout, stderr, exit } = await run('batches', 'get', batchId, '--watch');
  expect(exit).toBe(10);
  expect(stdout.match(/\d of 3: .*/g)).toEqual([
    '0 of 3: 3 pending',
    '1 of 3: 1 dispatched, 2 pending',
    '3 of 3: 1 dispatched, 1 unfulfilled, 1 failed',
  ]);
  expect(stdout).toMatch(new RegExp(`${orderId(1)} {2}#1 {2}dispatched {2}${deliveryId(1)}`));
  expect(stderr).toContain('2 of 3 orders were not dispatched');
});

test('--watch --json: the batch on each line with a type; in a pipe a line for each order', async () => {
  const json = await seeing([accepted, accepted, half, good])('batches', 'get', batchId, '--watch', '--json');
  const events = objectsIn(json.stdout);
  expect([json.exit, json.stderr]).toEqual([0, '']);
  expect(events.map(({ type }) => type)).toEqual(['batch.current', 'batch.updated', 'batch.completed']);
  expect(events.at(-1)).toEqual({ type: 'batch.completed', ...good });
  const piped = await seeing([accepted, half, good])('batches', 'get', batchId, '--watch');
  const rows = rowsIn(piped.stdout);
  expect(rows.filter(([part]) => part === 'batch').map((row) => row.slice(2))).toEqual([
    ['processing', '3', '3', '0', '0', '0', '0'],
    ['processing', '3', '2', '1', '0', '0', '0'],
    ['complete', '3', '0', '3', '0', '0', '0'],
  ]);
});

test('an interruption says that the batch continues, and how to see it', async () => {
  const interruption = newInterruption();
  const controller = new AbortController();
  const sleep = async () => {
    controller.abort();
    throw new Error('interrupted');
  };
  const options = { sleep, signal: controller.signal, interruption };
  await seeing([half], options)('batches', 'get', batchId, '--wait');
  expect(interruption.status()?.text).toBe(
    `Auto dispatch of ${batchId} continues whenever a command runs. 1 of 3: 1 dispatched, 2 pending. Follow it with: waybill batches get ${batchId} --watch`,
  );
});

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
  return (await seeing([batchOf(orders)], options)('batches', 'get', batchId)).stdout;
}

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

const both = { '/v2/batches': [page(summary(settled, other), summary(processing))] };

test.each([60, 200])('list in %i columns: the IDs and the outcomes of the orders', async (columns) => {
  const { stdout, exit } = await at(both, terminal(columns))('batches', 'list');
  expect(exit).toBe(0);
  for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
  const ids = [batchId, other].map((id) => (columns === 60 ? id.slice(-5) : id));
  for (const text of [...ids, '2 taken by couriers, 1 canceled', '1 taken by couriers, 2 pending']) {
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

const box = await sandbox();

/** The last digits of its dropoff phone number select the scenario. */
function orderWith(scenario: string) {
  return { ...orderFields, dropoff_phone_number: `+131255501${scenario}`, external_order_ref: scenario };
}

const [fine, unquoted, later] = ['42', '24', '25'];
const create = ['orders', 'create', '-', '--auto', '--allow-duplicate-ref'];

function passing(argv: readonly string[], scenarios: readonly string[] = [], options: RunOptions = {}) {
  return box.run(argv, { ...box.passing, stdin: JSON.stringify(scenarios.map(orderWith)), ...options });
}

async function batchFor(...scenarios: string[]): Promise<string> {
  box.advance(1);
  return (await passing([...create, '-o', 'id'], scenarios)).stdout.trim();
}

test('an order that no courier accepts is tried until its window ends, and reported with the reason: exit 10', async () => {
  const line = [...create, '--wait', '--retry-window', '20m'];
  const options = { tty: true, columns: 120, env: { NO_COLOR: '1' } };
  const { stdout, stderr, exit } = await passing(line, [fine, unquoted, later], options);
  expect(exit).toBe(10);
  expect(stdout).toMatch(/ord_\w+ {2}24 {2}unfulfilled {2}after 5 tries: no provider offered a quote\n/);
  expect(stdout).toMatch(/ord_\w+ {2}25 {2}dispatched {3}dlv_\w+, at try 4\n/);
  expect(stderr).toContain('1 of 3 orders was not dispatched: 1 unfulfilled.');
});

test('orders are listed by batch and status, each with its attempts', async () => {
  const batch = await batchFor(fine, unquoted);
  box.advance(31 * 60_000);
  const line = ['orders', 'list', '--batch', batch];
  const all = await box.run([...line, '--json']);
  expect(JSON.parse(all.stdout)).toMatchObject([{ batch_id: batch }, { batch_id: batch }]);
  const byEnd = await box.run(['orders', 'list', '--batch', batch.slice(-5), '--json']);
  expect(byEnd.stdout).toBe(all.stdout);
  expect((await box.run(['orders', 'list', '--batch', 'bat_nope'])).exit).toBe(5);
  const lost = JSON.parse((await box.run([...line, '--status', 'unfulfilled', '--json'])).stdout);
  expect(lost).toMatchObject([{ external_order_ref: unquoted, status: 'unfulfilled' }]);
  const { stdout, stderr } = await box.run(['orders', 'get', lost[0].id]);
  expect(stdout).toContain(`batch_id\t${batch}`);
  expect(stderr).toContain(`waybill orders attempts ${lost[0].id}`);
  const tries = JSON.parse((await box.run(['orders', 'attempts', lost[0].id, '--json'])).stdout);
  expect(tries).toMatchObject([{ number: 1, repeats: 6 }]);
  expect(tries[0].left_out.length).toBeGreaterThan(2);
});
