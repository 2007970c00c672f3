import { expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/kit/errors/failure.ts';
import { findDelivery, findDeliveryId } from '../../../../src/cli/nouns/find-delivery.ts';
import { errorOf, failureOf } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

const unasked = {
  client: () => Promise.reject(new Error('the service was asked')),
  serviceNow: () => 0,
  output: { times: null, json: false },
  interactive: false,
  prompts: () => Promise.reject(new Error('the user was asked')),
  note: () => {},
};

test('an empty text matches no delivery, although some have no reference', async () => {
  for (const text of ['', ' \t']) {
    await expect(findDelivery(unasked, text)).rejects.toThrow(UsageError);
    await expect(findDeliveryId(unasked, text)).rejects.toThrow(UsageError);
  }
});

test('- reads one ID from stdin, as -o id writes it', async () => {
  const box = await sandbox();
  const id = await newDelivery(box);
  expect(await box.json(['deliveries', 'get', '-'], { stdin: `${id}\n` })).toMatchObject({ id });
  for (const lines of ['', `${id}\n${id}\n`]) {
    expect(await failureOf(box.run(['deliveries', 'get', '-', '--json'], { stdin: lines }))).toMatchObject({
      exit: 2,
      message: expect.stringMatching(/^DELIVERY is one ID, and stdin has [02] lines\.$/),
      hint: lines === '' ? 'The command before it has found nothing.' : 'For several, use xargs -n 1.',
    });
  }
  const several = await box.run(['deliveries', 'cancel', '-', '--yes', '--json'], {
    stdin: `${id}\n${id}\n`,
  });
  expect(errorOf(several.stderr).hint).toBe('For several, use --from -.');
});
