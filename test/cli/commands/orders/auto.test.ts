import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { WireRequest } from '../../../../src/contract/operation.ts';
import { account } from '../../fake-service.ts';
import { errorOf, failureOf, freshHome, jsonOf, type RunOptions, waybill } from '../../harness.ts';
import { orderFields as order, orderLine } from '../../sandbox.ts';
import { attempt, batchId, batchOf, batchOrder, changing, orderId } from '../batches/records.ts';

const accepted = {
  object: 'batch',
  batch_id: batchId,
  status: 'processing',
  order_count: 2,
  test_mode: true,
};
const good = batchOf([batchOrder(1), batchOrder(2)]);
const half = batchOf([batchOrder(1), batchOrder(2, { status: 'pending' })]);
const answers = {
  'POST /orders/create': [accepted],
  [`/v2/batches/${batchId}`]: [half, good],
  '/v2/orders': [{ object: 'list', data: [], has_more: false, next_cursor: null }],
  '/v2/sandbox/clock': [{ mode: 'real' }],
};

/** Runs a command, and returns the request bodies too. */
async function run(argv: readonly string[], options: RunOptions = {}, more: Record<string, unknown[]> = {}) {
  const sent: WireRequest[] = [];
  let now = 0;
  const sleep = async (ms: number) => {
    now += ms;
  };
  const transport = changing({ ...answers, ...more }, sent);
  const outcome = await waybill(argv, { transport, sleep, now: () => now, ...options });
  const posts = sent.filter(({ method }) => method === 'POST').map(({ body }) => jsonOf(body));
  return { ...outcome, posts };
}

const two = { stdin: JSON.stringify([order, { ...order, external_order_ref: 'second' }]) };

test('all orders are sent in one request with the settings of the flags', async () => {
  const line = ['orders', 'create', '-', '--auto', '--quote-preference', 'preferred'];
  const providers = ['--providers', 'speedycab, metrobike', '--providers', 'poolride'];
  const rest = ['--max-cost', '12.50', '--retry-window', '1h', '--retry-interval', '90s'];
  const { posts, stdout, exit } = await run([...line, ...providers, ...rest, '--json'], two);
  expect([exit, jsonOf(stdout)]).toEqual([0, accepted]);
  expect(posts).toEqual([
    {
      orders: [order, { ...order, external_order_ref: 'second' }],
      settings: {
        ...{ mechanism: 'auto', quote_preference: 'preferred' },
        providers: ['speedycab', 'metrobike', 'poolride'],
        ...{ max_cost: 1250, retry_window: 3600, retry_interval: 90 },
      },
      unique_ref: true,
    },
  ]);
});

test('one order from flags is sent alone, and other settings are left to the service', async () => {
  const { posts, stdout, stderr } = await run([...orderLine, '--auto', '-o', 'id']);
  expect(posts).toMatchObject([{ orders: [{ dropoff_name: 'Joe Diner' }], settings: { mechanism: 'auto' } }]);
  expect(Object.keys(Object(posts[0]?.settings))).toEqual(['mechanism']);
  expect(stdout).toBe(`${batchId}\n`);
  expect(stderr).toContain(`Next: waybill batches get ${batchId} --watch\n`);
});

test('a whole request body is sent unchanged, with flags over its settings', async () => {
  const settings = { mechanism: 'auto', max_cost: 900, retry_window: 0 };
  const stdin = JSON.stringify({ orders: [order], settings });
  expect((await run(['orders', 'create', '-'], { stdin })).posts).toEqual([{ orders: [order], settings }]);
  const changed = await run(['orders', 'create', '-', '--max-cost', '10'], { stdin });
  expect(changed.posts).toEqual([{ orders: [order], settings: { ...settings, max_cost: 1000 } }]);
  const manual = JSON.stringify({ orders: [order], settings: { mechanism: 'manual' } });
  const turned = await run(['orders', 'create', '-', '--auto'], { stdin: manual });
  expect(turned.posts).toEqual([{ orders: [order], settings: { mechanism: 'auto' } }]);
});

test.each([
  ['--quote-preference', 'fastest'],
  ['--providers', 'poolride'],
  ['--max-cost', '12.50'],
  ['--retry-window', '30m'],
  ['--retry-interval', '5m'],
])('%s needs --auto', async (flag, value) => {
  const { exit, stderr, posts } = await run(['orders', 'create', '-', flag, value, '--json'], two);
  expect([exit, posts]).toEqual([2, []]);
  expect(errorOf(stderr)).toMatchObject({
    message: `${flag} belongs to auto dispatch, which is not enabled.`,
    ...{ missing: ['--auto'], hint: 'Add --auto, or remove it.' },
  });
});

test('variables of auto dispatch apply only to auto dispatch', async () => {
  const options = { ...two, env: { WAYBILL_MAX_COST: '9' } };
  expect((await run(['orders', 'create', '-'], options)).posts[0]).toEqual({
    orders: [order, { ...order, external_order_ref: 'second' }],
    unique_ref: true,
  });
  const auto = await run(['orders', 'create', '-', '--auto'], options);
  expect(auto.posts).toMatchObject([{ settings: { mechanism: 'auto', max_cost: 900 } }]);
});

test.each([
  [['--retry-interval', '9s'], '--retry-interval must be whole seconds, from 10s to 1h'],
  [['--retry-window', '1500ms'], '--retry-window must be whole seconds, from 0s to 1d'],
  [['--providers', 'a,,b'], '--providers must be comma-separated names'],
])('%j is refused before anything is sent', async (flags, message) => {
  const { exit, stderr, posts } = await run(['orders', 'create', '-', '--auto', ...flags], two);
  expect([exit, posts]).toEqual([2, []]);
  expect(stderr).toContain(message);
});

test('more than 300 orders need orders import', async () => {
  const home = freshHome();
  writeFileSync(join(home, 'o.json'), JSON.stringify(Array.from({ length: 301 }, () => order)));
  const flags = ['--auto', '--max-cost', '12.50', '--providers', 'a,b', '--retry-window', '0s', '--json'];
  const { exit, stderr, posts } = await run(['orders', 'create', '--file', 'o.json', ...flags], { home });
  expect([exit, posts]).toEqual([2, []]);
  expect(errorOf(stderr)).toMatchObject({
    message: 'There are 301 orders; auto dispatch takes 300 in one request.',
    next: [
      { command: 'waybill orders import o.json --auto --providers a,b --max-cost 12.50 --retry-window 0s' },
    ],
  });
});

test('--wait needs auto dispatch, and --timeout needs --wait', async () => {
  const manual = await run(['orders', 'create', '-', '--wait'], two);
  expect(manual).toMatchObject({ exit: 2, posts: [], stderr: expect.stringContaining('add --auto') });
  const alone = await run(['orders', 'create', '-', '--auto', '--timeout', '1m'], two);
  expect(alone).toMatchObject({ exit: 2, posts: [], stderr: expect.stringMatching(/requires? --wait/) });
  const csv = await run(['orders', 'create', '-', '--auto', '--wait', '-o', 'csv'], two);
  expect(csv).toMatchObject({ exit: 2, posts: [], stdout: '' });
});

const live = {
  '/v2/account': [{ ...account, test_mode: false }],
  'POST /orders/create': [{ ...accepted, test_mode: false }],
};
const env = { WAYBILL_API_KEY: 'wb_live_madeup', WAYBILL_BASE_URL: 'http://127.0.0.1:1' };

test('in live mode, where no price is shown first, it is confirmed', async () => {
  const line = ['orders', 'create', '-', '--auto'];
  const options = { ...two, env };
  const alone = await run([...line, '--yes', '--json'], options, live);
  expect([alone.exit, alone.posts]).toEqual([2, []]);
  expect(errorOf(alone.stderr)).toMatchObject({
    ...{ code: 'confirmation_needed', missing: ['--yes', '--max-cost'] },
    message: expect.stringContaining('Auto-dispatch 2 orders at any price'),
  });
  expect(await failureOf(run([...line, '--max-cost', '12.50', '--json'], options, live))).toMatchObject({
    missing: ['--yes'],
    message: expect.stringContaining('for up to $12.50 each ($25.00 together), for real money'),
  });
  const agreed = await run([...line, '--max-cost', '12.50', '--yes'], options, live);
  expect([agreed.exit, agreed.posts.length]).toEqual([0, 1]);
  const declined = await run([...orderLine, '--auto'], { tty: true, env, answers: [false] }, live);
  expect([declined.exit, declined.posts]).toEqual([3, []]);
  const body = { orders: [order], settings: { mechanism: 'auto', max_cost: null } };
  const file = await run(['orders', 'create', '-', '--yes'], { env, stdin: JSON.stringify(body) }, live);
  expect([file.exit, file.posts]).toEqual([2, []]);
  // The maximum of a file is without the tip.
  const tipped = { orders: [{ ...order, tip: 300 }], settings: { mechanism: 'auto', max_cost: 1000 } };
  const asked = run(['orders', 'create', '-', '--json'], { env, stdin: JSON.stringify(tipped) }, live);
  expect((await failureOf(asked)).message).toContain('Auto-dispatch the order for up to $13.00, for real');
});

test('an error of a setting names its flag, or its place in the file', async () => {
  const problem = {
    ...{ object: 'error', code: 'invalid_request', message: 'No.', request_id: 'req_1' },
    details: [{ path: 'settings.providers[0]', message: 'is not a courier: nobody' }],
  };
  const refusing = async () => ({ status: 400, headers: {}, body: JSON.stringify(problem) });
  const line = ['orders', 'create', '-', '--auto', '--json'];
  const flagged = await waybill([...line, '--providers', 'nobody'], { ...two, transport: refusing });
  expect(errorOf(flagged.stderr)).toMatchObject({ details: [{ flag: '--providers' }] });
  const body = { orders: [order], settings: { mechanism: 'auto', providers: ['nobody'] } };
  const inFile = await waybill(line, { stdin: JSON.stringify(body), transport: refusing });
  expect(errorOf(inFile.stderr)).toMatchObject({ details: [{ path: 'settings.providers[0]', flag: null }] });
});

const made = { ...order, id: orderId(1), object: 'order', status: 'dispatched', test_mode: true };

const tries = {
  '/v2/charges': [{ object: 'list', data: [], has_more: false, next_cursor: null }],
  [`/v2/orders/${orderId(1)}`]: [made],
  [`/v2/orders/${orderId(1)}/tries`]: [
    { object: 'list', data: [attempt], has_more: false, next_cursor: null },
  ],
};

test.each([60, 200])(
  'attempts in %i columns: the chosen quote, and below it why others were not',
  async (columns) => {
    const options = { tty: true, columns, env: { NO_COLOR: '1' } };
    const { stdout, exit } = await run(['orders', 'attempts', orderId(1)], options, tries);
    expect(exit).toBe(0);
    for (const line of stdout.split('\n')) expect(line.length, line).toBeLessThanOrEqual(columns);
    const lines = stdout.split('\n').map((line) => line.trim().replace(/ {2,}/g, '  '));
    expect(lines[0]).toMatch(/^Try 2 {2}.*\d\d:\d\d {2}dispatched {2}speedycab$/);
    expect(lines.slice(1)).toEqual([
      'the cheapest of 2 quotes',
      String(attempt.delivery_id),
      'poolride  $9.10 is dearer than $7.49',
      'metrobike  metrobike goes no further than 5 mi',
      '',
    ]);
  },
);

test('attempts that left out the same couriers say it once', async () => {
  const path = `/v2/orders/${orderId(1)}/tries`;
  const data = [attempt, { ...attempt, id: 'try_1', number: 1 }, { ...attempt, id: 'try_0', left_out: [] }];
  const more = { ...tries, [path]: [{ object: 'list', data, has_more: false, next_cursor: null }] };
  const options = { tty: true, env: { NO_COLOR: '1' } };
  const { stdout } = await run(['orders', 'attempts', orderId(1)], options, more);
  expect(stdout.match(/poolride +\$9\.10 is dearer|left out as above/g)).toEqual([
    expect.stringMatching(/^poolride/),
    'left out as above',
  ]);
});

test('attempts for programs: the records, their ids, their values', async () => {
  const line = ['orders', 'attempts', orderId(1)];
  expect(JSON.parse((await run([...line, '--json'], {}, tries)).stdout)).toEqual([attempt]);
  expect((await run([...line, '-o', 'id'], {}, tries)).stdout).toBe(`${attempt.id}\n`);
  expect((await run(line, {}, tries)).stdout.split('\t').slice(0, 3)).toEqual([
    ...[attempt.id, '2', attempt.created_at],
  ]);
  const csv = (await run([...line, '-o', 'csv'], {}, tries)).stdout;
  expect(csv).toContain(
    'poolride: $9.10 is dearer than $7.49, metrobike: metrobike goes no further than 5 mi',
  );
});

test('the preferred providers must be named, and are reported with all other missing input', async () => {
  const preferred = ['--auto', '--quote-preference', 'preferred', '--json'];
  const missing = async (argv: readonly string[], options: RunOptions = {}) => {
    const { exit, stderr, posts } = await run(argv, options);
    expect([exit, posts]).toEqual([2, []]);
    return errorOf(stderr).missing;
  };
  expect(await missing([...orderLine, ...preferred])).toEqual(['--providers']);
  expect(await missing(['orders', 'import', ...preferred])).toEqual(['FILE', '--providers']);
  expect(await missing(['orders', 'import', 'x.csv', ...preferred])).toEqual(['--providers']);
  expect(
    await missing(['orders', 'create', '--store', 'str_1', '--dropoff-name', 'Joe', ...preferred]),
  ).toEqual(['--dropoff-address', '--dropoff-phone-number', '--item', '--providers']);
  expect(await missing(['orders', 'create', '-', ...preferred], two)).toEqual(['--providers']);
  const settings = { mechanism: 'auto', providers: ['poolride'] };
  const stdin = JSON.stringify({ orders: [order], settings });
  expect((await run(['orders', 'create', '-', ...preferred], { stdin })).exit).toBe(0);
});

test('--mechanism auto is --auto, and manual overrides a file', async () => {
  const auto = await run(['orders', 'create', '-', '--mechanism', 'auto', '--max-cost', '9', '--json'], two);
  expect([auto.exit, jsonOf(auto.stdout)]).toEqual([0, accepted]);
  expect(auto.posts).toMatchObject([{ settings: { mechanism: 'auto', max_cost: 900 } }]);
  const stdin = JSON.stringify({ orders: [order], settings: { mechanism: 'auto' } });
  const created = {
    'POST /orders/create': [{ object: 'order', id: orderId(1), status: 'open', test_mode: true }],
  };
  const manual = await run(['orders', 'create', '-', '--mechanism', 'manual', '--json'], { stdin }, created);
  expect(manual.posts).toMatchObject([{ settings: { mechanism: 'manual' } }]);
  const both = await run(['orders', 'create', '-', '--auto', '--mechanism', 'manual', '--json'], two);
  expect([both.exit, errorOf(both.stderr).message]).toEqual([2, expect.stringContaining('contradict')]);
});

/** Creates an order with --auto at a service with this response. */
async function confirmed(answer: object) {
  const options = { stdin: JSON.stringify(order) };
  return run(['orders', 'create', '-', '--auto', '--yes'], options, { 'POST /orders/create': [answer] });
}

test('an order without a batch is not a confirmation of auto dispatch, unless it is dispatched', async () => {
  const open = await confirmed({ ...made, status: 'open', delivery_id: null });
  expect([open.exit, open.stderr]).toEqual([0, expect.stringContaining('Auto dispatch is not confirmed')]);
  expect(open.stderr).toContain(`waybill routes create ${orderId(1)}`);
  const sent = await confirmed({ ...made, delivery_id: 'dlv_1' });
  expect([sent.exit, sent.stderr]).toEqual([0, expect.not.stringContaining('not confirmed')]);
});
