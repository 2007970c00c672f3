import { expect, test } from 'vitest';
import { errorOf } from '../../harness.ts';
import { newOrder, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();

test('an order is found by its reference in every look-up', async () => {
  const id = await newOrder(box, '--ref', '#1042');
  expect(await box.json(['orders', 'get', '#1042'])).toMatchObject({ id });
  expect(await box.json(['orders', 'wait', '#1042', '--until', 'open'])).toMatchObject({ id });
  const tries = await box.run(['orders', 'tries', '#1042'], { tty: true });
  expect(tries).toMatchObject({ exit: 0, stderr: expect.stringContaining(`${id} has no attempts`) });
  const late = ['orders', 'wait', '#1042', '--timeout', '1s', '--json'];
  const { exit, stderr } = await box.run(late, { sleep: box.passing.sleep });
  expect([exit, errorOf(stderr).next]).toEqual([8, expect.anything()]);
  expect(stderr).toContain(`waybill orders wait ${id} --timeout 1s`);
  expect(await box.json(['orders', 'cancel', '#1042'])).toMatchObject({ id, status: 'canceled' });
});

test('an order is found by the id of its delivery', async () => {
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--initiate'];
  const { id, order_id } = await box.json(line);
  expect(await box.json(['orders', 'get', String(id)])).toMatchObject({ id: order_id });
});

test('an ambiguous reference is never guessed, and an unknown one is exit 5', async () => {
  const first = await newOrder(box, '--ref', 'twice');
  const second = await newOrder(box, '--ref', 'twice');
  for (const verb of ['get', 'wait', 'tries', 'cancel']) {
    const { exit, stderr } = await box.run(['orders', verb, 'twice', '--json']);
    expect([exit, errorOf(stderr).choices]).toEqual([2, [second, first]]);
    const none = await box.run(['orders', verb, 'nobody', '--json']);
    expect([none.exit, errorOf(none.stderr).message]).toEqual([5, 'No order matches "nobody".']);
    expect((await box.run(['orders', verb, ' '])).exit).toBe(2);
  }
  expect(await box.json(['orders', 'get', first])).toMatchObject({ status: 'open' });
});
