import type { Batch, cancelBatch } from '../../contract/batches.ts';
import { Problem } from '../../contract/errors.ts';
import { ordersInBatch } from '../../storage/batch-orders.ts';
import { findBatch } from '../../storage/batches.ts';
import type { Connection } from '../../storage/database.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import { batchFor } from '../batches/batch-handlers.ts';
import { completeWhenDone } from '../batches/complete-batch.ts';
import { endAttempt, endOrder, type PendingOrder, pendingOrder } from '../batches/order-outcomes.ts';
import { type AgreedCancellation, agreeCancellation, cancel } from '../dispatch/cancel-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { cancelQuoteRound } from '../quotes/quote-rounds.ts';
import type { WriteContext } from '../runtime/context.ts';

type Request = Call<typeof cancelBatch>;

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
    call.service.wake();
    return batch;
  }
};

/** Asks for the cancellation of the orders that are being dispatched, by delivery id. */
async function agreeCancellations(call: Request): Promise<Map<string, AgreedCancellation>> {
  const { storage } = call.service;
  const pending = await storage.run((db) => pendingIn(db, call));
  const agreed = new Map<string, AgreedCancellation>();
  for (const { order } of pending) {
    if (order.status !== 'dispatched' || order.delivery_id === null) continue;
    const asked = { reason: 'The batch was canceled', isOperator: false };
    try {
      agreed.set(order.delivery_id, await agreeCancellation(call, order.delivery_id, asked));
    } catch (fault) {
      // The order has changed since, so it is no longer pending.
      if (!(fault instanceof Problem)) throw fault;
    }
  }
  return agreed;
}

async function cancelInTransaction(
  call: Request,
  agreed: ReadonlyMap<string, AgreedCancellation>,
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
      await cancel(db, call, { ...agreement, chance });
    }
    await completeWhenDone(context, params.batch_id);
    return batchFor(db, call, params.batch_id);
  });
}

/** The pending orders of the caller's batch. Throws `record_not_found`. */
async function pendingIn(db: Connection, { caller, params }: Request): Promise<PendingOrder[]> {
  const batch = await findBatch(db, caller.scope, params.batch_id);
  if (batch === undefined) throw new Problem('record_not_found', `There is no batch ${params.batch_id}.`);
  const found: PendingOrder[] = [];
  for (const { order_id, status } of await ordersInBatch(db, batch.id)) {
    const pending = status === 'pending' ? await pendingOrder(db, order_id) : null;
    if (pending !== null) found.push(pending);
  }
  return found;
}

/** Cancels a pending order that is not being dispatched. */
export async function cancelPendingOrder(
  context: WriteContext,
  pending: PendingOrder,
  reason: string,
): Promise<void> {
  const { db } = context;
  const { order } = pending;
  await deleteTasksOfSubject(db, order.id, ['order.try', 'order.choose']);
  if (order.route_id !== null) await cancelQuoteRound(context, order.route_id, reason);
  await endAttempt(context, order.id, { status: 'canceled', reason });
  await endOrder(context, pending, 'canceled', reason);
}
