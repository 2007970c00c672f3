import { expect, test } from 'vitest';
import { errorOf } from './harness.ts';
import { orderLine, sandbox } from './sandbox.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2), '--initiate'];

/** The result of a command with `--json`: its answer, and the single error on stderr. */
async function ended(argv: readonly string[], stdin?: string) {
  box.advance(1);
  const line = [...argv, ...(argv.includes('-o') ? [] : ['--json'])];
  const { exit, stdout, stderr } = await box.run(line, stdin === undefined ? {} : { stdin });
  return { exit, stdout, error: errorOf(stderr) };
}

test('unknown columns are reported together with what was done', async () => {
  const { exit, stderr } = await box.run([...create, '--simulate', 'payment_declined', '--json=nope']);
  expect([exit, errorOf(stderr).message]).toEqual([
    2,
    expect.stringMatching(/no field "nope"\. What was asked for is done all the same: dlv_\w+\.$/),
  ]);
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
