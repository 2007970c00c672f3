/** Cancels orders and batches, with the deliveries that are under way. */
import type { Batch, cancelBatch } from '../../contract/batches.ts';
import { Problem } from '../../contract/errors.ts';
import type { cancelOrder, deleteOrder, Order } from '../../contract/orders.ts';
import { findBatch, ordersInBatch } from '../../storage/batches.ts';
import type { Connection, OrderRow } from '../../storage/database.ts';
import { findOrder, findOrders, lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import { batchFor, completeWhenDone } from '../batches/batch.ts';
import {
  endAttempt,
  endOrder,
  type PendingOrder,
  pendingOrder,
  publishOrder,
} from '../batches/order-outcomes.ts';
import { requireOrderAsSeen } from '../deliveries/as-seen.ts';
import {
  type AgreedCancellation,
  agreeCancellation,
  applyCancellation,
} from '../dispatch/cancel-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { hasStoredDelivery, orderNotFound, orderNotOpen, orderView } from '../orders/order.ts';
import { cancelQuoteRound } from '../quotes/quote-rounds.ts';
import type { WriteContext } from '../runtime/context.ts';

type BatchCall = Call<typeof cancelBatch>;

/** An order was dispatched while the others were being canceled. */
class DispatchedMeanwhile extends Error {}

/**
 * Cancels the pending orders of a batch; if a courier was asked to carry one, its delivery is canceled as if on
 * request.
 */
export const cancelPendingOrders: Handler<typeof cancelBatch> = async (call) => {
  for (;;) {
    const agreed = await agreeCancellations(call);
    const batch = await cancelInTransaction(call, agreed).catch((fault: unknown) => {
      if (fault instanceof DispatchedMeanwhile) return null;
      throw fault;
    });
    if (batch === null) continue;
    call.service.wakeup.notify();
    return batch;
  }
};

/** Asks for the cancellation of the orders that are being dispatched, by delivery id; null if it was refused. */
async function agreeCancellations(call: BatchCall): Promise<Map<string, AgreedCancellation | null>> {
  const { storage } = call.service;
  const pending = await storage.run((db) => pendingIn(db, call));
  const agreed = new Map<string, AgreedCancellation | null>();
  for (const { order } of pending) {
    if (order.status !== 'dispatched') continue;
    const delivery_id = order.delivery_id ?? '';
    const asked = { reason: 'The batch was canceled' };
    try {
      agreed.set(delivery_id, await agreeCancellation(call, delivery_id, asked));
    } catch (fault) {
      if (!(fault instanceof Problem)) throw fault;
      agreed.set(delivery_id, null);
    }
  }
  return agreed;
}

async function cancelInTransaction(
  call: BatchCall,
  agreed: ReadonlyMap<string, AgreedCancellation | null>,
): Promise<Batch> {
  const { service, params, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const context: WriteContext = { db, chance, now };
    for (const pending of await pendingIn(db, call)) {
      const { status, delivery_id } = pending.order;
      if (status !== 'dispatched') {
        await cancelPendingOrder(context, pending, 'the batch was canceled');
        continue;
      }
      const agreement = agreed.get(delivery_id ?? '');
      if (agreement === undefined) throw new DispatchedMeanwhile();
      // Its courier has reported the end of the delivery before accepting it: the acceptance ends the order.
      if (agreement === null) continue;
      const applied = applyCancellation(db, call, { ...agreement, closes_order: true, chance });
      await applied.catch(passIfEnded);
    }
    await completeWhenDone(context, params.batch_id);
    return batchFor(db, call, params.batch_id);
  });
}

/** A delivery that has ended since its courier agreed stays as it is, and does not hold up the others. */
function passIfEnded(fault: unknown): void {
  if (!(fault instanceof Problem) || fault.code !== 'delivery_not_cancelable') throw fault;
}

/** The pending orders of the caller's batch. Throws `record_not_found`. */
async function pendingIn(db: Connection, { caller, params }: BatchCall): Promise<PendingOrder[]> {
  const batch = await findBatch(db, caller.scope, params.batch_id);
  if (batch === undefined) throw new Problem('record_not_found', `There is no batch ${params.batch_id}.`);
  const found: PendingOrder[] = [];
  for (const { order_id, status } of await ordersInBatch(db, batch.id)) {
    const pending = status === 'pending' ? await pendingOrder(db, order_id) : null;
    if (pending !== null) found.push(pending);
  }
  return found;
}

async function cancelPendingOrder(
  context: WriteContext,
  pending: PendingOrder,
  reason: string,
): Promise<void> {
  const { db } = context;
  const { order } = pending;
  await deleteTasksOfSubject(db, order.id, ['place.find', 'order.try', 'order.choose']);
  if (order.route_id !== null) await cancelQuoteRound(context, order.route_id, reason);
  await endAttempt(context, order.id, { status: 'canceled', reason });
  await endOrder(context, pending, 'canceled', reason);
}

type OrderCall = Call<typeof cancelOrder>;

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
    requireOrderAsSeen(order, call.body);
    try {
      return await (isUnderWay(order) ? cancelItsDelivery(call, order) : cancelWithoutDelivery(call));
    } catch (fault) {
      if (!(fault instanceof Problem) || retries === max_retries) throw fault;
      const now = await readCurrent();
      if (now?.status === order.status && now.delivery_id === order.delivery_id) throw fault;
    }
  }
};

/** Cancels an order without a delivery. */
export const dropOrder: Handler<typeof deleteOrder> = async (call) => {
  const { id } = await cancelWithoutDelivery(call);
  return { id, object: 'order', deleted: true };
};

async function cancelItsDelivery(call: OrderCall, order: OrderRow): Promise<Order> {
  const chance = await call.service.chance();
  const agreed = await agreeCancellation(call, order.delivery_id ?? '', { reason: '' });
  return call.commit(async (db) => {
    await applyCancellation(db, call, { ...agreed, chance });
    return orderView((await findOrder(db, call.caller.scope, order.id)) ?? order);
  }, 'read committed');
}

async function cancelWithoutDelivery(call: OrderCall | Call<typeof deleteOrder>): Promise<Order> {
  const { service, caller, params, now } = call;
  const { order_id } = params;
  const chance = await service.chance();
  return call.commit(async (db) => {
    await lockOrder(db, order_id);
    const [known] = await findOrders(db, caller.scope, [order_id]);
    if (known === undefined) throw orderNotFound(order_id);
    requireOrderAsSeen(known, call.body ?? {});
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
function isUnderWay(order: OrderRow): boolean {
  return order.status === 'dispatched' || hasStoredDelivery(order);
}
