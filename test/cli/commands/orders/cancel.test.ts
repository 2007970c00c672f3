import { expect, test } from 'vitest';
import { errorOf } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

async function sent(...flags: string[]) {
  return box.json(['deliveries', 'create', ...orderLine.slice(2), '--initiate', ...flags]);
}

test('the order of a delivery under way is canceled at a confirmed price', async () => {
  const { id, order_id } = await sent('--request-signature');
  box.advance(3 * minute);
  const line = ['orders', 'cancel', String(order_id)];
  const unasked = await box.run([...line, '--json']);
  expect(unasked.exit).toBe(2);
  expect(errorOf(unasked.stderr).message).toMatch(/Canceling costs \$4\.00/);
  const dear = await box.run([...line, '--yes', '--max-fee', '3.99', '--json']);
  expect([dear.exit, errorOf(dear.stderr).code]).toEqual([6, 'above_max_fee']);
  expect(await box.json(['deliveries', 'get', String(id)])).toMatchObject({ status: 'enroute_pickup' });
  expect((await box.run([...line, '--yes', '--max-fee', '4.00'])).exit).toBe(0);
  expect(await box.json(['deliveries', 'get', String(id)])).toMatchObject({ status: 'customer_canceled' });
});

test('an order that is not dispatched is canceled without confirmation', async () => {
  const { id } = await box.json(orderLine);
  expect((await box.run(['orders', 'cancel', String(id)])).exit).toBe(0);
});

test('of several attempts of one order, its reference means the latest', async () => {
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate', '--ref', 'again'];
  const declined = await box.run([...line, '--simulate', 'payment_declined_once', '-o', 'id']);
  expect(declined.exit).toBe(9);
  const retried = await box.json(['deliveries', 'retry', declined.stdout.trim()]);
  expect(await box.json(['deliveries', 'get', 'again'])).toMatchObject({ id: retried.id });
  await sent('--ref', 'again', '--allow-duplicate-ref');
  expect((await box.run(['deliveries', 'get', 'again'])).exit).toBe(2);
});
