import { Problem } from '../../contract/errors.ts';
import type { createOrders } from '../../contract/orders.ts';
import { requireManual } from '../batches/batch-settings.ts';
import type { Handler } from '../http/handler.ts';
import { newOrder } from '../orders/order-handlers.ts';
import { orderView } from '../orders/order-view.ts';
import { orderOf } from '../orders/read-order.ts';
import { insertSearchableOrders } from '../orders/search.ts';
import { acceptBatch } from './create-batch.ts';

/** Manual dispatch accepts one order per request; auto dispatch accepts a batch. */
export const addOrders: Handler<typeof createOrders> = async (call) => {
  const { body, id, commit } = call;
  const settings = body.settings ?? {};
  if (settings.mechanism === 'auto') return acceptBatch(call, settings);
  requireManual(settings);
  const [request] = body.orders;
  if (request === undefined || body.orders.length !== 1) throw onlyOne(body.orders.length);
  const record = await orderOf(call, request, 'orders[0]');
  const row = newOrder(call, { id: id('ord', '0'), ref: request.external_order_ref ?? '', record });
  return commit(async (transaction) => {
    await insertSearchableOrders(transaction, [row]);
    return orderView(row);
  }, 'read committed');
};

function onlyOne(count: number): Problem {
  const message = `Manual dispatch takes one order per request; this request has ${count}.`;
  return new Problem('invalid_request', message, [
    { path: 'orders', message: 'must have exactly one order' },
  ]);
}
