import { expect, test } from 'vitest';
import { displayWidth } from '../../../../src/cli/kit/output/sanitize.ts';
import { jsonOf } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

const sent = (...flags: string[]) => newDelivery(box, '--initiate', ...flags);

async function page(id: string, columns: number): Promise<string> {
  const options = { tty: true, columns, env: { NO_COLOR: '1' } };
  const { stdout, exit } = await box.run(['deliveries', 'explain', id], options);
  expect(exit).toBe(0);
  return stdout;
}

test('the whole history of a delivery, and possible commands', async () => {
  const id = await sent('--ref', '#1042', '--tip', '3');
  box.advance(40 * minute);
  const text = await page(id, 100);
  expect(text).toMatch(new RegExp(`^${id} {2}delivered\\n#1042, with poolride, asap, test mode\\n`));
  expect(text).toMatch(/^Delivered at \d\d:\d\d, on time\.$/m);
  expect(text).toMatch(/^ {2}From +Grill, \+1 312 \*{3} \*{2}01$/m);
  expect(text).toMatch(/^ {2}Driver +\w+ \w+, car, \+1 \d{3} \*{3} \*{2}\d\d$/m);
  expect(text).toMatch(/^Timeline\n {2}1-+2-[-\d]+\.[-.\d]+6\n {2}1 {2}\d\d:\d\d /m);
  expect(text).toMatch(/^ {2}1 {2}\d\d:\d\d {2}delivery_created +6 min {2}poolride has it$/m);
  expect(text).toMatch(/^ {12}arrived_at_pickup +not reported$/m);
  expect(text).toMatch(/^ {2}\d\d:\d\d {2}delivery +\$6\.47 {2}poolride's price and the processing fee$/m);
  expect(text).toMatch(/^ {9}paid +\$9\.47$/m);
  expect(text).toContain(`  waybill deliveries dispute ${id} --reason REASON\n`);
});

test('in JSON: the records of the interface and what follows from them', async () => {
  const id = await sent();
  box.advance(40 * minute);
  const { stdout } = await box.run(['deliveries', 'explain', id, '--json']);
  const data = jsonOf(stdout);
  expect(Object.keys(data)).toEqual([
    ...[
      'object',
      'delivery',
      'timeline',
      'late_seconds',
      'choice',
      'charges',
      'paid',
      'order_cost',
      'cancellation',
      'courier_place',
      'notes',
      'failed_task',
      'next',
    ],
  ]);
  expect(data).toMatchObject({
    object: 'explanation',
    delivery: await box.json(['deliveries', 'get', id]),
    late_seconds: expect.any(Number),
    charges: [{ object: 'charge', kind: 'delivery', amount: 647 }],
    paid: 647,
    cancellation: { object: 'cancellation', cancelable: false },
    next: [{ command: `waybill deliveries dispute ${id} --reason REASON` }],
  });
  const picked = await box.run(['deliveries', 'explain', id, '--json=paid,delivery.status']);
  expect(jsonOf(picked.stdout)).toEqual({ paid: 647, delivery: { status: 'delivered' } });
});

test('on the way: expected or late, the price of canceling, possible next reports', async () => {
  const id = await sent();
  box.advance(6.6 * minute);
  const text = await page(id, 100);
  expect(text).toMatch(/^Expected at \d\d:\d\d, in 2\d min\.$/m);
  expect(text).toContain('cancel it for $2.99: you get $3.48 of $6.47 back\n');
  expect(text).toContain(`waybill sandbox step ${id} arrived_at_pickup\n`);
  box.advance(22.2 * minute);
  const soon = await page(id, 100);
  expect(soon).toMatch(/^Expected at \d\d:\d\d, any minute\.$/m);
  const other = await sent('--simulate', 'customer_unreachable');
  box.advance(35 * minute);
  expect(await page(other, 100)).toMatch(/^Late: promised \d\d:\d\d, \d+ min ago\.$/m);
  expect(soon).toContain('It cannot be canceled: poolride has picked it up.');
});

test('before its initiation a delivery has no expected time and is never late', async () => {
  const id = await newDelivery(box);
  expect(await page(id, 100)).not.toMatch(/expected/i);
  box.advance(120 * minute);
  expect(await page(id, 100)).not.toMatch(/late|expected/i);
  expect(await box.json(['deliveries', 'explain', id])).toMatchObject({ late_seconds: null });
});

test.each([
  ['payment_declined', 'It failed: the payment was declined.', 'Nothing was charged.', 'deliveries retry'],
  [
    'no_driver',
    /^It was canceled by poolride: .+\.$/m,
    /refund +-\$6\.47 {2}it was canceled: /,
    'deliveries retry',
  ],
  [
    'customer_refused',
    'It went back to Grill: the recipient refused',
    /return +\$3\.59 {2}the way back: /,
    '--like ord_',
  ],
])('why it ended, where the money is, and how to continue: %s', async (scenario, why, money, next) => {
  const id = await sent('--simulate', scenario);
  box.advance(120 * minute);
  const text = await page(id, 120);
  for (const part of [why, money, next]) expect(text).toMatch(part);
});

test.each([60, 100, 200])(
  'at %d columns no line is longer, except for ids, links and commands',
  async (columns) => {
    const id = await sent(
      '--dropoff-notes',
      'Ring twice, and if nobody opens leave it with the neighbours downstairs',
    );
    box.advance(40 * minute);
    const text = await page(id, columns);
    const long = text.split('\n').filter((line) => displayWidth(line) > columns);
    expect(long.filter((line) => !/https?:|^ {2}waybill /.test(line))).toEqual([]);
    const words = text.replace(/\s+/g, ' ');
    expect(words).toContain('Ring twice, and if nobody opens leave it with the neighbours downstairs');
    const isBeside = new RegExp(`dispute ${id} --reason REASON {2}say`).test(text);
    expect(isBeside).toBe(columns === 200);
  },
);

test('in a pipe: a line for each value, named by its part', async () => {
  const id = await sent('--ref', 'piped');
  box.advance(40 * minute);
  const { stdout } = await box.run(['deliveries', 'explain', 'piped']);
  expect(stdout).toContain(`delivery\t${id}\tdelivered\tpiped\tpoolride\n`);
  expect(stdout).toMatch(/^timeline\tdelivery_created\t2026-\S+Z\t360$/m);
  expect(stdout).toMatch(/^timeline\tarrived_at_pickup\t\t$/m);
  expect(stdout).toMatch(/^charge\tdelivery\t647\t/m);
  expect((await box.run(['deliveries', 'explain', id, '-o', 'id'])).stdout).toBe(`${id}\n`);
  expect((await box.run(['deliveries', 'explain', id, '-o', 'csv'])).exit).toBe(2);
});

test('third-party text can neither color nor clear the terminal, nor start a line', async () => {
  const id = await sent('--dropoff-name', 'Eve\u00a0Mallory', '--dropoff-notes', 'one\ntwo\tthree');
  const text = await page(id, 100);
  expect(text).toMatch(/^ +one two three$/m);
  const painted = await box.run(['deliveries', 'explain', id], {
    tty: true,
    columns: 100,
    env: { FORCE_COLOR: '1' },
  });
  expect(painted.stdout).toContain('\u001b[');
  expect(painted.stdout).not.toContain('\ufdd0');
});

test('suggested commands repeat the context of the line', async () => {
  const id = await sent();
  box.advance(40 * minute);
  const { stdout } = await box.run(['deliveries', 'explain', id, '--profile', 'sandbox', '--json']);
  expect(jsonOf(stdout).next).toMatchObject([
    { command: `waybill --profile sandbox deliveries dispute ${id} --reason REASON` },
  ]);
});
