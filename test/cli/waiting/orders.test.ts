import { expect, test } from 'vitest';
import type { Interruption } from '../../../src/cli/kit/host/host.ts';
import { PipeClosed } from '../../../src/cli/kit/host/host.ts';
import { errorOf, jsonOf, objectsIn, type RunOptions } from '../harness.ts';
import { newOrder, orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();

/** A wait during which commands run, one per poll. */
function meanwhile(...lines: (readonly string[])[]): RunOptions {
  const left = [...lines];
  return {
    sleep: async (ms) => {
      box.advance(ms);
      const next = left.shift();
      if (next !== undefined) await box.json(next);
    },
  };
}

const run = (argv: readonly string[], options: RunOptions = box.passing) => box.run(argv, options);
const route = async (order: string) => String((await box.json(['routes', 'create', order])).id);

/** An order of auto dispatch. */
async function auto(...flags: string[]): Promise<string> {
  box.advance(1);
  const { batch_id } = await box.json([...orderLine, '--auto', '--yes', ...flags]);
  const { orders } = await box.json(['batches', 'get', String(batch_id)]);
  return String(jsonOf(JSON.stringify(Array.isArray(orders) ? orders[0] : null)).order_id);
}

/** The values of these fields in JSON lines. */
const fieldsOf = (stdout: string, ...names: string[]) =>
  objectsIn(stdout).map((line) => names.map((name) => line[name]));

test('wait: 0 once it is dispatched, with the order; a later status is enough', async () => {
  const order = await auto();
  const { exit, stdout } = await run(['orders', 'wait', order, '--json']);
  expect([exit, jsonOf(stdout)]).toEqual([0, expect.objectContaining({ id: order, status: 'dispatched' })]);
  expect((await run(['orders', 'wait', order, '--until', 'routed'])).exit).toBe(0);
  expect((await run(['orders', 'wait', order, '--until', 'open,canceled'])).exit).toBe(0);
});

test('wait: 9 at once with the reason if nobody quotes; programs get the order', async () => {
  const order = await auto('--simulate', 'no_quotes', '--retry-window', '0s');
  const { exit, stdout, stderr } = await run(['orders', 'wait', order, '--json']);
  expect([exit, jsonOf(stdout).status]).toEqual([9, 'unfulfilled']);
  expect(errorOf(stderr)).toMatchObject({
    code: 'order_unfulfilled',
    message: expect.stringMatching(new RegExp(`^${order} is unfulfilled: .+\\.$`)),
    next: [{ command: `waybill orders attempts ${order}` }],
  });
});

test('wait: retries of auto dispatch are waited for, and their refusals are no end', async () => {
  const order = await auto('--simulate', 'no_quotes_then', '--retry-interval', '1m');
  const { exit, stdout } = await run(['orders', 'wait', order, '--json']);
  expect([exit, jsonOf(stdout).status]).toEqual([0, 'dispatched']);
});

test('wait: as long as auto dispatch retries, whatever the refusals', async () => {
  const order = await auto('--simulate', 'no_capacity', '--retry-window', '1h');
  const { exit, stdout, stderr } = await run(['orders', 'wait', order, '--json']);
  expect([exit, jsonOf(stdout).status, errorOf(stderr).code]).toEqual([9, 'failed', 'order_failed']);
});

test('wait: a canceled order is described by its delivery', async () => {
  const order = await auto();
  await run(['orders', 'wait', order]);
  await box.json(['orders', 'cancel', order, '--yes']);
  const { exit, stderr } = await run(['orders', 'wait', order]);
  expect(exit).toBe(9);
  expect(stderr).toMatch(new RegExp(`^Error: ${order} is canceled: dlv_\\w+ was canceled`));
});

test('wait: an order that nobody took and that was canceled after that has no reason of auto dispatch', async () => {
  const order = await auto('--simulate', 'no_quotes', '--retry-window', '0s');
  await run(['orders', 'wait', order]);
  await box.json(['orders', 'cancel', order, '--yes']);
  const { exit, stderr } = await run(['orders', 'wait', order]);
  expect([exit, stderr]).toEqual([9, expect.stringContaining(`Error: ${order} is canceled.\n`)]);
});

test('wait: an order that needs a person says so once with the command, then exit 8 with the same wait', async () => {
  const order = await newOrder(box);
  const line = ['orders', 'wait', order, '--fail-on', 'canceled', '--interval', '5s', '--timeout', '1m'];
  const { exit, stderr } = await run(line);
  expect(exit).toBe(8);
  expect(stderr.match(/does not change until you continue with it: waybill routes create/g)).toHaveLength(1);
  expect(stderr).toContain(`Time ran out after 1m: ${order} is open.`);
  expect(stderr).toContain(`waybill ${line.join(' ')} `);
});

test('get --watch: a line for each status, then 0; --changes-only omits the first', async () => {
  const order = await newOrder(box);
  let id = '';
  const sleep = async (ms: number) => {
    box.advance(ms);
    if (id === '') id = await route(order);
    else await box.run(['routes', 'delete', id, '--json']);
  };
  const line = ['orders', 'get', order, '--watch', '--timeout', '20s', '--json'];
  const seen = await run(line, { sleep });
  expect(fieldsOf(seen.stdout, 'type', 'status')).toEqual([
    ['order.current', 'open'],
    ['order.updated', 'routed'],
    ['order.updated', 'open'],
  ]);
  expect(seen.exit).toBe(8);
  const changes = await run(
    [...line, '--changes-only', '--until', 'routed'],
    meanwhile(['routes', 'create', order]),
  );
  expect([changes.exit, fieldsOf(changes.stdout, 'type', 'status')]).toEqual([
    0,
    [['order.updated', 'routed']],
  ]);
});

test('get --watch for people and in a pipe: time, status and text', async () => {
  const order = await newOrder(box);
  const options = meanwhile(['routes', 'create', order]);
  const line = ['orders', 'get', order, '--watch', '--until', 'routed'];
  const piped = await run(line, options);
  const rows = piped.stdout
    .trim()
    .split('\n')
    .map((each) => each.split('\t'));
  expect(rows.map(([, status, what]) => [status, what])).toEqual([
    ['open', 'in no route yet'],
    ['routed', expect.stringMatching(/^in rte_/)],
  ]);
  const people = await run(line, { tty: true, columns: 70, env: { NO_COLOR: '1', CI: '1' } });
  expect(people.stdout).toMatch(/^\d\d:\d\d {2}routed {7}in rte_\w+\n$/);
});

const cancel = (order: string) => ['orders', 'cancel', order, '--yes'];

test('list --watch: the orders of the list until none is under way, with each change', async () => {
  const [first, second] = [await newOrder(box, '--ref', 'both'), await newOrder(box, '--ref', 'both')];
  const line = ['orders', 'list', '--ref', 'both', '--watch', '--json'];
  const { exit, stdout } = await run(line, meanwhile(cancel(second), cancel(first)));
  expect(exit).toBe(0);
  expect(fieldsOf(stdout, 'type', 'id', 'status')).toEqual([
    ['order.current', first, 'open'],
    ['order.current', second, 'open'],
    ['order.updated', second, 'canceled'],
    ['order.updated', first, 'canceled'],
  ]);
  const ended = await run(line);
  expect([ended.exit, fieldsOf(ended.stdout, 'status')]).toEqual([0, [['canceled'], ['canceled']]]);
});

test('list --watch: an order that leaves the filter is shown once more; a new one is added', async () => {
  const order = await newOrder(box, '--ref', 'leaves');
  const line = 'orders list --ref leaves --status open --watch --changes-only --json'.split(' ');
  const options = meanwhile(
    [...orderLine, '--ref', 'leaves', '--allow-duplicate-ref'],
    ['routes', 'create', order],
  );
  const { exit, stdout, stderr } = await run([...line, '--timeout', '1m', '--interval', '3s'], options);
  expect([exit, fieldsOf(stdout, 'type', 'id', 'status')]).toEqual([
    8,
    [
      ['order.current', expect.stringMatching(/^ord_/), 'open'],
      ['order.updated', order, 'routed'],
    ],
  ]);
  expect(errorOf(stderr)).toMatchObject({
    message: expect.stringMatching(/^Time ran out after 1m: ord_\w+ is still open or routed\.$/),
    next: [
      {
        command:
          'waybill orders list --status open --external-order-ref leaves --watch --interval 3s --timeout 1m',
      },
    ],
  });
});

test('list --watch takes no cursor, and flags of waiting need --watch', async () => {
  const paged = await run(['orders', 'list', '--watch', '--all']);
  expect([paged.exit, paged.stderr]).toEqual([
    2,
    expect.stringContaining('--watch cannot be combined with --all or --cursor'),
  ]);
  const idle = await run(['orders', 'list', '--changes-only', '--interval', '5s']);
  expect(idle).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--interval, --changes-only require --watch.'),
  });
  expect((await run(['orders', 'list', '--until', '1d'])).exit).toBe(0);
  const env = { WAYBILL_TIMEOUT: '1m', WAYBILL_FAIL_ON: 'canceled' };
  expect((await run(['orders', 'get', await newOrder(box)], { env })).exit).toBe(0);
});

test('an unknown status is exit 2 with a similar one', async () => {
  const { exit, stderr } = await run(['orders', 'wait', 'ord_1', '--until', 'dispatchd', '--json']);
  expect([exit, errorOf(stderr)]).toEqual([
    2,
    expect.objectContaining({
      hint: 'Did you mean dispatched?',
      choices: expect.arrayContaining(['routed']),
    }),
  ]);
  const seldom = await run(['orders', 'wait', 'ord_1', '--interval', '10ms']);
  expect([seldom.exit, seldom.stderr]).toEqual([2, expect.stringContaining('must be at least 250ms')]);
});

test('an interruption prints how to continue; a closed pipe ends it quietly', async () => {
  const order = await newOrder(box);
  const controller = new AbortController();
  const printed: Interruption = { status: () => null, work: [], listen: () => {} };
  const sleep: RunOptions['sleep'] = (_, signal) => {
    controller.abort();
    return Promise.reject(signal.reason);
  };
  await run(['orders', 'wait', order], { sleep, signal: controller.signal, interruption: printed }).catch(
    () => {},
  );
  expect(printed.status()?.text).toBe(`${order} is open. See it with: waybill orders get ${order}`);
  const written = () => {
    throw new PipeClosed();
  };
  for (const line of [
    ['orders', 'get', order, '--watch'],
    ['orders', 'list', '--watch'],
  ]) {
    expect(await run(line, { written })).toMatchObject({ exit: 0, stderr: '' });
  }
});
