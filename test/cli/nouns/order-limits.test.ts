import { expect, test } from 'vitest';
import { createLimitReader, noLimits } from '../../../src/cli/nouns/order-limits.ts';
import type { Client } from '../../../src/client/client.ts';
import { ApiError } from '../../../src/client/errors.ts';
import type { Order } from '../../../src/contract/orders.ts';

/** Nothing was charged for any order. */
const charges = { list: async () => ({ data: { data: [], next_cursor: null, has_more: false } }) };

test.each([
  [null, null, 1400],
  ['dlv_1', 'dlv_1', 1400],
  ['dlv_1', 'dlv_2', undefined],
  [null, 'dlv_2', undefined],
])(
  'of an order whose batch has the delivery %s, and whose latest is %s: %s',
  async (own, latest, max_cost) => {
    const orders = [{ order_id: 'ord_1', status: 'dispatched', delivery_id: own, reason: '' }];
    const get = async () => ({ data: { settings: { max_cost: 1300, providers: null }, orders } });
    const limitsOf = createLimitReader({ batches: { get }, charges } as unknown as Client);
    const order = { id: 'ord_1', batch_id: 'bat_1', delivery_id: latest, tip: 100 } as Order;
    expect((await limitsOf(order)).max_cost).toBe(max_cost);
  },
);

test('the limits of orders of one batch are read once, also where the service has no such batch', async () => {
  const asked: string[] = [];
  const get = async ({ params }: { params: { batch_id: string } }) => {
    asked.push(params.batch_id);
    throw new ApiError('There is no such batch.', { code: 'record_not_found', hasCode: true, status: 404 });
  };
  const limitsOf = createLimitReader({ batches: { get }, charges } as unknown as Client);
  const order = (id: string) => ({ id, batch_id: 'bat_1', tip: 0 }) as Order;
  expect([await limitsOf(order('ord_1')), await limitsOf(order('ord_2'))]).toEqual([noLimits, noLimits]);
  expect(asked).toEqual(['bat_1']);
});

test('the charges of earlier deliveries of an order count as spent', async () => {
  const page = { data: [{ amount: 647 }, { amount: -247 }], next_cursor: null, has_more: false };
  const limitsOf = createLimitReader({
    charges: { list: async () => ({ data: page }) },
  } as unknown as Client);
  const order = { id: 'ord_1', batch_id: null, delivery_id: 'dlv_2', tip: 0 } as Order;
  expect((await limitsOf(order)).spent).toBe(400);
});
