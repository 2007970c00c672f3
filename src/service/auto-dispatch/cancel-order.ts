import { Problem } from '../../contract/errors.ts';
import type { cancelOrder, Order } from '../../contract/orders.ts';
import type { OrderRow } from '../../storage/database.ts';
import { findOrder, findOrders, lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { agreeCancellation, cancel } from '../dispatch/cancel-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { orderNotFound, orderNotOpen } from '../orders/order-handlers.ts';
import { orderView } from '../orders/order-view.ts';
import { publishOrder } from '../orders/publish-order.ts';
import { cancelPendingOrder } from './cancel-batch.ts';

type Request = Call<typeof cancelOrder>;

/** How often a cancellation starts over because its order changed. */
const max_retries = 5;

/**
 * Cancels an order, or its delivery if that has not ended. The order may change while the courier is asked: then the
 * handler starts over, so that the response is current.
 */
export const closeOrder: Handler<typeof cancelOrder> = async (call) => {
  const { service, caller, params } = call;
  const readCurrent = () => service.storage.run((db) => findOrder(db, caller.scope, params.order_id));
  for (let retries = 0; ; retries++) {
    const order = await readCurrent();
    if (order === undefined) throw orderNotFound(params.order_id);
    try {
      return await (isUnderWay(order) ? cancelItsDelivery(call, order) : cancelWithoutDelivery(call));
    } catch (fault) {
      if (!(fault instanceof Problem) || retries === max_retries) throw fault;
      const now = await readCurrent();
      if (now?.status === order.status && now.delivery_id === order.delivery_id) throw fault;
    }
  }
};

async function cancelItsDelivery(call: Request, order: OrderRow): Promise<Order> {
  const chance = await call.service.chance();
  const request = { reason: '', isOperator: false };
  const agreed = await agreeCancellation(call, order.delivery_id ?? '', request);
  return call.commit(async (db) => {
    await cancel(db, call, { ...agreed, chance });
    return orderView((await findOrder(db, call.caller.scope, order.id)) ?? order);
  }, 'read committed');
}

async function cancelWithoutDelivery(call: Request): Promise<Order> {
  const { service, caller, params, now } = call;
  const { order_id } = params;
  const chance = await service.chance();
  return call.commit(async (db) => {
    await lockOrder(db, order_id);
    const [known] = await findOrders(db, caller.scope, [order_id]);
    if (known === undefined) throw orderNotFound(order_id);
    if (isUnderWay(known)) throw orderNotOpen(known);
    const pending = known.batch_id === null ? null : await pendingOrder(db, order_id);
    if (pending !== null) {
      await cancelPendingOrder({ db, chance, now }, pending, 'the order was canceled');
      return orderView((await findOrder(db, caller.scope, order_id)) ?? known);
    }
    const from = ['open', 'failed', 'unfulfilled'] as const;
    if (!(await setOrderStatus(db, { id: order_id, from, to: 'canceled', now }))) throw orderNotOpen(known);
    const closed: OrderRow = { ...known, status: 'canceled', updated_at: now };
    await publishOrder({ db, chance, now }, 'order.canceled', closed);
    return orderView(closed);
  }, 'read committed');
}

/** Whether the order has a delivery that has not ended: dispatched, or only stored. */
function isUnderWay({ status, route_id, delivery_id }: OrderRow): boolean {
  return delivery_id !== null && (status === 'dispatched' || (status === 'routed' && route_id === null));
}
