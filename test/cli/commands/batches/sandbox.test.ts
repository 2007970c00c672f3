import { expect, test } from 'vitest';
import { errorOf, jsonOf, type RunOptions } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

/** The last digits of its dropoff phone number select the scenario. */
function order(scenario: string) {
  return {
    pickup_address: '43 E Ohio St, Chicago, IL 60611',
    pickup_name: 'Grill',
    pickup_phone_number: '+13125550101',
    dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
    dropoff_name: 'Joe Diner',
    dropoff_phone_number: `+131255501${scenario}`,
    external_order_ref: scenario,
    items: [{ name: 'Soup', quantity: 2 }],
  };
}

const [fine, unquoted, later] = ['42', '24', '25'];
const create = ['orders', 'create', '-', '--auto', '--allow-duplicate-ref'];

function passing(argv: readonly string[], scenarios: readonly string[] = [], options: RunOptions = {}) {
  return box.run(argv, { ...box.passing, stdin: JSON.stringify(scenarios.map(order)), ...options });
}

async function batchOf(...scenarios: string[]): Promise<string> {
  box.advance(1);
  return (await passing([...create, '-o', 'id'], scenarios)).stdout.trim();
}

async function orderOf(batch: string, scenario: string): Promise<string> {
  const line = ['orders', 'list', '--batch', batch, '--ref', scenario, '-o', 'id'];
  return (await box.run(line)).stdout.trim();
}

test('create --auto --wait: all orders are dispatched, and the batch is the result', async () => {
  const { stdout, exit } = await passing([...create, '--wait', '--json'], [fine, '43']);
  expect([exit, jsonOf(stdout)]).toMatchObject([
    0,
    { status: 'complete', counts: { dispatched: 2 }, orders: [{ attempts: 1 }, { attempts: 1 }] },
  ]);
});

test('an order that no courier accepts is tried until its window ends, and reported with the reason: exit 10', async () => {
  const line = [...create, '--wait', '--retry-window', '20m'];
  const options = { tty: true, columns: 120, env: { NO_COLOR: '1' } };
  const { stdout, stderr, exit } = await passing(line, [fine, unquoted, later], options);
  expect(exit).toBe(10);
  expect(stdout).toMatch(/ord_\w+ {2}24 {2}unfulfilled {2}after 5 tries: no provider offered a quote\n/);
  expect(stdout).toMatch(/ord_\w+ {2}25 {2}dispatched {3}dlv_\w+, at try 4\n/);
  expect(stderr).toContain('1 of 3 orders was not dispatched: 1 unfulfilled.');
});

test('if no order is dispatched it is exit 9; a window of 0 gives one attempt', async () => {
  const { stdout, stderr, exit } = await passing(
    [...create, '--wait', '--retry-window', '0s', '--json'],
    [unquoted],
  );
  expect([exit, jsonOf(stdout)]).toMatchObject([9, { orders: [{ status: 'unfulfilled', attempts: 1 }] }]);
  expect(errorOf(stderr)).toMatchObject({ code: 'batch_not_dispatched', category: 'outcome' });
});

test('orders are listed by batch and status, each with its attempts', async () => {
  const batch = await batchOf(fine, unquoted);
  box.advance(31 * minute);
  const line = ['orders', 'list', '--batch', batch];
  const all = await box.run([...line, '--json']);
  expect(JSON.parse(all.stdout)).toMatchObject([{ batch_id: batch }, { batch_id: batch }]);
  const lost = JSON.parse((await box.run([...line, '--status', 'unfulfilled', '--json'])).stdout);
  expect(lost).toMatchObject([{ external_order_ref: unquoted, status: 'unfulfilled' }]);
  const { stdout, stderr } = await box.run(['orders', 'get', lost[0].id]);
  expect(stdout).toContain(`batch_id\t${batch}`);
  expect(stderr).toContain(`waybill orders tries ${lost[0].id}`);
  const tries = JSON.parse((await box.run(['orders', 'tries', lost[0].id, '--json'])).stdout);
  expect(tries.map(({ number }: { number: number }) => number)).toEqual([7, 6, 5, 4, 3, 2, 1]);
  expect(tries[0].left_out.length).toBeGreaterThan(2);
});

test('attempts in a terminal: every rejected provider is listed below with its reason', async () => {
  const batch = await batchOf(fine);
  box.advance(minute);
  const options = { tty: true, columns: 80, env: { NO_COLOR: '1' } };
  const { stdout } = await box.run(['orders', 'tries', await orderOf(batch, fine)], options);
  expect(stdout).toMatch(/^Try 1 .*dispatched {2}\w+\n/);
  expect(stdout).toMatch(/^ {4}haulvan +\$\d+\.\d\d more expensive$/m);
  const none = await box.run(['orders', 'tries', await manualOrder()], options);
  expect(none).toMatchObject({ exit: 0, stdout: '', stderr: expect.stringContaining('has no attempts') });
});

async function manualOrder(): Promise<string> {
  const { stdout } = await passing(['orders', 'create', '-', '--allow-duplicate-ref', '-o', 'id'], [fine]);
  return stdout.trim();
}

test('watch continues while attempts remain, and prints each reason once', async () => {
  const batch = await batchOf(fine, later);
  const options = { tty: true, columns: 120, env: { NO_COLOR: '1' } };
  const { stdout, stderr, exit } = await passing(['batches', 'get', batch, '--watch'], [], options);
  expect([exit, stderr]).toEqual([0, '']);
  expect(stdout.match(/no provider offered a quote/g)).toHaveLength(1);
  expect(stdout.trim().split('\n').at(-1)).toMatch(/^ {2}ord_\w+ {2}25 {2}dispatched {2}dlv_\w+, at try 4$/);
});

test('cancel closes pending orders and leaves dispatched ones', async () => {
  const batch = await batchOf(fine, unquoted);
  box.advance(minute);
  const { stdout, stderr, exit } = await box.run(['batches', 'cancel', batch, '--yes', '--json']);
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { counts: { pending: 0, dispatched: 1, canceled: 1 } }]);
  expect(stderr).toContain('1 order was canceled.');
  const again = await box.run(['batches', 'cancel', batch, '--yes', '-o', 'id']);
  expect(again).toMatchObject({
    exit: 0,
    stdout: `${batch}\n`,
    stderr: expect.stringContaining('has no pending orders'),
  });
});

test('on a stopped clock the reason for the wait is printed once', async () => {
  const still = await sandbox();
  await still.run(['sandbox', 'clock', 'manual']);
  const stdin = JSON.stringify([order(fine)]);
  const line = [...create, '--wait', '--timeout', '1m'];
  const people = await still.run(line, { ...still.passing, stdin });
  expect(people.exit).toBe(8);
  expect(people.stderr.match(/The clock of this sandbox is stopped/g)).toHaveLength(1);
  const programs = await still.run([...line, '--json'], { ...still.passing, stdin });
  expect([programs.exit, jsonOf(programs.stdout)]).toMatchObject([8, { status: 'processing' }]);
  expect(errorOf(programs.stderr)).toMatchObject({
    hint: expect.stringContaining('is stopped'),
    next: [{ command: 'waybill sandbox advance --next' }, { command: expect.stringContaining('--wait') }],
  });
});

test('on a stopped clock a whole delivery runs without waiting', async () => {
  const ci = await sandbox();
  await ci.run(['sandbox', 'clock', 'manual']);
  const stdin = JSON.stringify(order('42'));
  const batch = (await ci.run(['orders', 'create', '-', '--auto', '-o', 'id'], { stdin })).stdout.trim();
  await ci.run(['sandbox', 'advance', '--drain']);
  expect((await ci.run(['batches', 'wait', batch])).exit).toBe(0);
  expect(await ci.json(['deliveries', 'wait', '42'])).toMatchObject({ status: 'delivered' });
});
