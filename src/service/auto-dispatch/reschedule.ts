/** Changes the agreed time of an order that is not dispatched: its quotes were for another time, and go. */
import type { Fault } from '../../contract/errors.ts';
import type { updateOrder } from '../../contract/orders.ts';
import { exclusive } from '../../domain/order-rules.ts';
import type { Connection, DeliveryRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { findOrder, lockOrders, setOrderStatus } from '../../storage/orders.ts';
import { deleteJobs } from '../../storage/quotes.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import { pendingOrder, restartAttempt } from '../batches/order-outcomes.ts';
import { lockDeliveryFor } from '../deliveries/delivery.ts';
import { saveDelivery, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { isClosedFor } from '../dispatch/retry-delivery.ts';
import type { Call, Handler } from '../http/handler.ts';
import { hasStoredDelivery, orderNotFound, orderNotOpen, orderRecord, orderView } from '../orders/order.ts';
import { readTime } from '../orders/order-request.ts';
import { lockRouteFor, routeOrderIds } from '../routes/route.ts';
import { throwFaults } from '../stores/places.ts';

type Request = Call<typeof updateOrder>;

/** The agreed time of an order: at most one of both is given. */
interface AgreedTime {
  pickup_at: number | null;
  dropoff_at: number | null;
}

/**
 * Changes the agreed time of an order that is not dispatched: open, in a draft route of its own, waiting in auto
 * dispatch, with a delivery that is only stored, or with one that was canceled and can be retried. Throws
 * `order_not_open`.
 */
export const rescheduleOrder: Handler<typeof updateOrder> = async (call) => {
  const { service, now } = call;
  const time = agreedTimeOf(call);
  const chance = await service.chance();
  return call.commit(async (db) => {
    const context = { db, chance, now, providers: service.providers };
    const { order, route, delivery } = await lockReschedulable(db, call);
    const record = { ...orderRecord(order), ...withTime(orderRecord(order), time) };
    const change = { record: JSON.stringify(record) };
    await setOrderStatus(db, { id: order.id, from: order.status, to: order.status, now, change });
    if (delivery?.status === 'request') await rescheduleStored(context, delivery, time);
    if (route !== null) {
      await deleteTasksOfSubject(db, route.id, ['quote.ask']);
      await deleteJobs(db, route.id);
      const pending = order.batch_id === null ? null : await pendingOrder(db, order.id);
      if (pending !== null) await restartAttempt(context, pending, 'the order was rescheduled');
    }
    return orderView({ ...order, ...change, updated_at: now });
  }, 'read committed');
};

/** An order whose time can be changed, with its draft route or its delivery that is not sent. */
interface Reschedulable {
  order: OrderRow;
  route: RouteRow | null;
  delivery: DeliveryRow | null;
}

/** Locks an order with its route or delivery. Throws `record_not_found` and `order_not_open`. */
async function lockReschedulable(db: Connection, call: Request): Promise<Reschedulable> {
  const { caller, params } = call;
  const before = await findOrder(db, caller.scope, params.order_id);
  if (before === undefined) throw orderNotFound(params.order_id);
  // Routes and deliveries are locked before orders.
  const isInRoute = before.status === 'routed' && before.route_id !== null;
  const route = isInRoute ? await lockRouteFor(db, caller, before.route_id ?? '') : null;
  const isUnsent = hasStoredDelivery(before) || before.status === 'canceled';
  const delivery =
    isUnsent && before.delivery_id !== null ? await lockDeliveryFor(db, call, before.delivery_id) : null;
  await lockOrders(db, [before.id]);
  const order = (await findOrder(db, caller.scope, before.id)) ?? before;
  const isUnchanged = order.status === before.status && order.route_id === before.route_id;
  if (!isUnchanged || !isReschedulable({ order, route, delivery })) throw orderNotOpen(order);
  return { order, route, delivery };
}

/** The route of a routed order is a draft: its dispatch moves the order, too. */
function isReschedulable({ order, route, delivery }: Reschedulable): boolean {
  if (order.status === 'canceled') return delivery !== null && !isClosedFor(delivery, order);
  const isAlone = route === null || routeOrderIds(route).length === 1;
  const isOpen = ['open', 'failed', 'unfulfilled', 'routed'].includes(order.status);
  return isAlone && isOpen && (delivery === null || delivery.status === 'request');
}

/** Throws `invalid_request` for a time in the past or too far ahead, and for two times. */
function agreedTimeOf({ body, now }: Request): AgreedTime {
  const faults: Fault[] = [];
  if (body.pickup_at !== undefined && body.dropoff_at !== undefined)
    faults.push(exclusive('dropoff_at', 'pickup_at'));
  const pickup_at = readTime(body.pickup_at, 'pickup_at', now, faults);
  const dropoff_at = readTime(body.dropoff_at, 'dropoff_at', now, faults);
  throwFaults({ read: [{ faults, unplaced: [] }] });
  return { pickup_at, dropoff_at };
}

function withTime<E extends { at: number | null }, D extends { at: number | null }>(
  { pickup, dropoff }: { pickup: E; dropoff: D },
  { pickup_at, dropoff_at }: AgreedTime,
): { pickup: E; dropoff: D } {
  return { pickup: { ...pickup, at: pickup_at }, dropoff: { ...dropoff, at: dropoff_at } };
}

/** A stored delivery is initiated with a quote for its new time. */
async function rescheduleStored(
  context: TransitionContext,
  row: DeliveryRow,
  time: AgreedTime,
): Promise<void> {
  const record = deliveryRecord(row);
  const ends = withTime(record, time);
  await saveDelivery(context, row, { ...record, ...ends, delivery_type: 'scheduled', quote_id: '' });
}
