import { expect, test } from 'vitest';
import { newOrder, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();

test('the e-mail address of the recipient is stored, found, copied, changed and cleared', async () => {
  const address = 'zoe.dropoff@diner.example';
  const order = await newOrder(box, '--dropoff-email', address);
  const copy = await box.json(['orders', 'create', '--like', order, '--allow-duplicate-ref']);
  expect([copy.id === order, copy.dropoff_email]).toEqual([false, address]);
  const found = await box.run(['orders', 'list', '--search', address, '--json']);
  expect(JSON.parse(found.stdout)).toMatchObject([
    { id: copy.id, matched: 'dropoff e-mail' },
    { id: order, matched: 'dropoff e-mail' },
  ]);
  const line = ['deliveries', 'create', ...orderLine.slice(2), '--dropoff-email', address];
  const delivery = String((await box.json(line)).id);
  const change = ['deliveries', 'edit', delivery];
  const changed = await box.json([...change, '--dropoff-email', 'zoe@diner.example']);
  expect(changed).toMatchObject({ details: { dropoff_email: 'zoe@diner.example' } });
  const cleared = await box.json([...change, '--clear', 'dropoff-email']);
  expect(JSON.stringify(cleared)).not.toContain('diner.example');
});

test('a wrong e-mail address is refused before anything is sent', async () => {
  const sent = box.requests.length;
  const { exit, stderr } = await box.run([...orderLine, '--dropoff-email', 'joe@diner']);
  expect([exit, box.requests.length]).toEqual([2, sent]);
  expect(stderr).toContain('must be an e-mail address such as joe@diner.example, not "joe@diner"');
});
