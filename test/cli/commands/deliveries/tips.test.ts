import { expect, test } from 'vitest';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const order = [...orderLine.slice(2), '--ref', 'T-1'];

test('a retry and a copy have the tip that was given with the dispatch, and say so', async () => {
  await box.run(['ship', ...order, '--cheapest', '--tip', '15'], box.passing);
  await box.run(['deliveries', 'cancel', 'T-1', '--yes']);
  const retry = await box.run(['deliveries', 'retry', 'T-1']);
  expect(retry.stderr).toMatch(/A retry costs about \$\d+\.\d\d with \w+ \(includes \$15\.00 tip\)\./);
  expect(retry.stderr).toMatch(/has it for \$\d+\.\d\d, and a tip of \$15\.00\./);
  expect(await box.json(['deliveries', 'get', 'T-1'])).toMatchObject({
    status: 'delivery_created',
    tip: 1500,
  });
  expect(await box.json(['orders', 'create', '--like', 'T-1', '--ref', 'T-2'])).toMatchObject({ tip: 1500 });
});
