import { Problem } from '../../contract/errors.ts';
import type { cancelOrder, Order } from '../../contract/orders.ts';
import type { OrderRow } from '../../storage/database.ts';
import { findOrder, moveOrder } from '../../storage/orders.ts';
import { pendingOrder } from '../batches/order-outcomes.ts';
import { agreeCancellation, cancel } from '../dispatch/cancel-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { missing, notOpen } from '../orders/order-handlers.ts';
import { orderView } from '../orders/order-view.ts';
import { publishOrder } from '../orders/publish-order.ts';
import { closePending } from './cancel-batch.ts';

type Request = Call<typeof cancelOrder>;

/** So often an order may move on while it is being closed. */
const most_moves = 5;

/**
 * Closes an order that is not under way; one that is has its delivery canceled. What it is may change while a courier
 * is asked: then it is looked at again, so that the answer is true of the order as it stands.
 */
export const closeOrder: Handler<typeof cancelOrder> = async (call) => {
  const { service, caller, params } = call;
  const look = () => service.storage.run((db) => findOrder(db, caller.scope, params.order_id));
  for (let moves = 0; ; moves++) {
    const order = await look();
    if (order === undefined) throw missing(params.order_id);
    try {
      return await (isUnderWay(order) ? closeDelivery(call, order) : closeIdle(call));
    } catch (fault) {
      if (!(fault instanceof Problem) || moves === most_moves) throw fault;
      const now = await look();
      if (now?.status === order.status && now.delivery_id === order.delivery_id) throw fault;
    }
  }
};

async function closeDelivery(call: Request, order: OrderRow): Promise<Order> {
  const chance = await call.service.chance();
  const asked = { reason: '', isOperator: false };
  const agreed = await agreeCancellation(call, order.delivery_id ?? '', asked);
  return call.commit(async (db) => {
    await cancel(db, call, { ...agreed, chance });
    return orderView((await findOrder(db, call.caller.scope, order.id)) ?? order);
  });
}

async function closeIdle(call: Request): Promise<Order> {
  const { service, caller, params, now } = call;
  const { order_id } = params;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const known = await findOrder(db, caller.scope, order_id);
    if (known === undefined) throw missing(order_id);
    if (isUnderWay(known)) throw notOpen(known);
    const pending = known.batch_id === null ? null : await pendingOrder(db, order_id);
    if (pending !== null) {
      await closePending({ db, chance, now }, pending, 'it was canceled');
      return orderView((await findOrder(db, caller.scope, order_id)) ?? known);
    }
    const from = ['open', 'failed', 'unfulfilled'] as const;
    if (!(await moveOrder(db, { id: order_id, from, to: 'canceled', now }))) throw notOpen(known);
    const closed: OrderRow = { ...known, status: 'canceled', updated_at: now };
    await publishOrder({ db, chance, now }, 'order.canceled', closed);
    return orderView(closed);
  });
}

/** Whether the order has a delivery that is not at its end: dispatched, or stored only. */
function isUnderWay({ status, route_id, delivery_id }: OrderRow): boolean {
  return delivery_id !== null && (status === 'dispatched' || (status === 'routed' && route_id === null));
}
