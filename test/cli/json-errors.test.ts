import { expect, test } from 'vitest';
import { errorOf, jsonOf } from './harness.ts';
import { orderLine, sandbox } from './sandbox.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2), '--initiate'];
const minute = 60_000;

/** The result of a command with `--json`: its answer, and the single error on stderr. */
async function ended(argv: readonly string[], stdin?: string) {
  box.advance(1);
  const line = [...argv, ...(argv.includes('-o') ? [] : ['--json'])];
  const { exit, stdout, stderr } = await box.run(line, stdin === undefined ? {} : { stdin });
  return { exit, stdout, error: errorOf(stderr) };
}

test('create and retry of a delivery that fails at once', async () => {
  const first = await ended([...create, '--simulate', 'payment_declined']);
  const { id, status } = jsonOf(first.stdout);
  expect([first.exit, status]).toEqual([9, 'failed']);
  expect(first.error).toMatchObject({
    ...{ code: 'delivery_failed', category: 'outcome', exit: 9 },
    message: `${id} failed: the payment was declined. Nothing is charged for it.`,
    next: [{ command: `waybill deliveries retry ${id}` }],
  });
  const again = await ended(['deliveries', 'retry', String(id)]);
  expect([again.exit, again.error.code, jsonOf(again.stdout).status]).toEqual([
    9,
    'delivery_failed',
    'failed',
  ]);
});

test('unknown columns are reported together with what was done', async () => {
  const { exit, stderr } = await box.run([...create, '--simulate', 'payment_declined', '--json=nope']);
  expect([exit, errorOf(stderr).message]).toEqual([
    2,
    expect.stringMatching(/no field "nope"\. What was asked for is done all the same: dlv_\w+\.$/),
  ]);
});

test('several deliveries of which some or all fail', async () => {
  const body = box.requests.findLast(({ path }) => path === '/v1/delivery_information')?.body ?? '';
  const some = await ended(
    ['deliveries', 'create', '-', '--initiate', '--simulate', 'payment_declined'],
    `[${body},${body}]`,
  );
  expect([some.exit, some.error.code, JSON.parse(some.stdout).length]).toEqual([9, 'delivery_failed', 2]);
});

test('the price of a delivery that cannot be canceled', async () => {
  const { id } = await box.json(create);
  box.advance(20 * minute);
  const { exit, stdout, error } = await ended(['deliveries', 'cancel', String(id), '--price']);
  expect([exit, jsonOf(stdout).cancelable, error.code]).toEqual([6, false, 'delivery_not_cancelable']);
});

test('advance to a status that is not reached', async () => {
  for (const format of [[], ['-o', 'ndjson']]) {
    const { id } = await box.json([...create, '--simulate', 'no_driver']);
    const until = await ended(['sandbox', 'advance', '--until', `${id}:delivered`, ...format]);
    expect([until.exit, until.stdout.includes('provider_canceled')]).toEqual([9, true]);
    expect(until.error).toMatchObject({
      code: 'delivery_provider_canceled',
      message: `${id} is provider_canceled, not delivered.`,
      next: [{ command: `waybill deliveries explain ${id}` }],
    });
  }
});
