import { expect, test } from 'vitest';
import { errorOf, freshHome, waybill } from '../../harness.ts';
import { orderLine } from '../../sandbox.ts';

const phone = '+13125550142';

test('a canceled order of a person is exported and erased, after a confirmation', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const { id } = JSON.parse((await run(...orderLine)).stdout);
  const early = JSON.parse((await run('admin', 'erase', '--phone', phone, '--yes')).stdout);
  expect(early).toEqual([{ order_id: id, delivery_ids: [], outcome: 'under_way' }]);
  await run('orders', 'cancel', id, '--yes');
  const asked = await run('admin', 'erase', '--phone', phone);
  expect([asked.exit, errorOf(asked.stderr).message]).toEqual([2, expect.stringContaining(phone)]);
  const exported = JSON.parse((await run('admin', 'export', '--phone', '(312) 555-0142')).stdout);
  expect(exported.orders).toMatchObject([{ order: { id, record: { dropoff: { phone: '13125550142' } } } }]);
  const erased = JSON.parse((await run('admin', 'erase', '--phone', phone, '--yes')).stdout);
  expect(erased).toEqual([{ order_id: id, delivery_ids: [], outcome: 'erased' }]);
  const order = JSON.parse((await run('orders', 'get', id)).stdout);
  expect(order).toMatchObject({ id, dropoff_name: 'erased', dropoff_phone_number: '' });
  expect(JSON.parse((await run('admin', 'export', '--phone', phone)).stdout).orders).toEqual([]);
});

test.each([
  [['--phone', '12'], '--phone must be a phone number'],
  [['--phone', phone, '--delivery', 'dlv_1'], 'takes --phone or --delivery'],
])('%j is refused', async (flags, message) => {
  const { exit, stderr } = await waybill(['admin', 'erase', ...flags, '--yes', '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining(message)]);
});
