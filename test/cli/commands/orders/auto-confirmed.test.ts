import { expect, test } from 'vitest';
import { waybill } from '../../harness.ts';
import { orderFields } from '../../sandbox.ts';
import { changing, orderId } from '../batches/records.ts';

const made = {
  ...orderFields,
  object: 'order',
  id: orderId(1),
  status: 'open',
  delivery_id: null,
  test_mode: true,
};

async function created(answer: object) {
  const transport = changing(
    { 'POST /orders/create': [answer], '/v2/sandbox/clock': [{ mode: 'real' }] },
    [],
  );
  const line = ['orders', 'create', '-', '--auto', '--yes'];
  return waybill(line, { transport, stdin: JSON.stringify(orderFields) });
}

test('an order without a batch is not a confirmation of auto dispatch, unless it is dispatched', async () => {
  const open = await created(made);
  expect([open.exit, open.stderr]).toEqual([0, expect.stringContaining('Auto dispatch is not confirmed')]);
  expect(open.stderr).toContain(`waybill routes create ${orderId(1)}`);
  const sent = await created({ ...made, status: 'dispatched', delivery_id: 'dlv_1' });
  expect([sent.exit, sent.stderr]).toEqual([0, expect.not.stringContaining('not confirmed')]);
});
