import { expect, test } from 'vitest';
import type { Interruption } from '../../../src/cli/kit/host/host.ts';
import { PipeClosed } from '../../../src/cli/kit/host/host.ts';
import { errorOf, jsonOf, type RunOptions } from '../harness.ts';
import { newOrder, orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();

const run = (argv: readonly string[], options: RunOptions = box.passing) => box.run(argv, options);

/** An order of auto dispatch. */
async function auto(...flags: string[]): Promise<string> {
  box.advance(1);
  const { batch_id } = await box.json([...orderLine, '--auto', '--yes', ...flags]);
  const { orders } = await box.json(['batches', 'get', String(batch_id)]);
  return String(jsonOf(JSON.stringify(Array.isArray(orders) ? orders[0] : null)).order_id);
}

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
  const line = ['deliveries', 'list', '--watch'];
  expect(await run(line, { written })).toMatchObject({ exit: 0, stderr: '' });
});
