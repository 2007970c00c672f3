import { expect, test } from 'vitest';
import type { RunOptions } from '../../harness.ts';
import { orderFields, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

/** The last digits of its dropoff phone number select the scenario. */
function order(scenario: string) {
  return { ...orderFields, dropoff_phone_number: `+131255501${scenario}`, external_order_ref: scenario };
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
