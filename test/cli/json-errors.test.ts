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

test('an answer that the filter does not fit is written whole, with the error', async () => {
  const line = ['webhooks', 'create', 'https://shop.example/hooks', '--jq', '.secret | tonumber'];
  const { exit, stdout, stderr } = await box.run(line);
  const { id, secret } = JSON.parse(stdout);
  expect([exit, secret]).toEqual([2, expect.stringMatching(/^whsec_/)]);
  expect(errorOf(stderr).message).toContain(`What was asked for is done all the same: ${id}.`);
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
