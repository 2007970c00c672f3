import { chargeKinds, type DeliveryStatus, type OrderStatus } from '../../contract/vocabulary.ts';
import { type Movement, movementsAt, sumOf } from '../../domain/charges.ts';
import { isCanceled, isEnded } from '../../domain/delivery-states.ts';
import type { Provider } from '../../providers/port.ts';
import { chargesOfDelivery, insertCharges } from '../../storage/charges.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { deliveriesOfRoute, updateDelivery } from '../../storage/deliveries.ts';
import { loadOrder, moveOrder } from '../../storage/orders.ts';
import { moveRoute } from '../../storage/routes.ts';
import { dropTasks } from '../../storage/tasks.ts';
import { endOrder, endTry, pendingOrder } from '../auto-dispatch/order-outcomes.ts';
import { publishOrder } from '../orders/publish-order.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newPlacedId } from '../runtime/ids.ts';
import { type DeliveryRecord, deliveryRecord } from './delivery-view.ts';
import { publishDelivery } from './publish-delivery.ts';

/** What a change of a delivery needs, inside the transaction that makes it. */
export interface Moving extends WriteContext {
  providers: readonly Provider[];
}

/** What a change brings beside the status. */
export interface Details {
  record?: Partial<DeliveryRecord>;
  columns?: Partial<Pick<DeliveryRow, 'route_id' | 'service'>>;
  /** What the courier asks for a cancellation, in cents. */
  cancellation_fee?: number;
}

/** Writes a delivery whose content changed, and publishes it. Throws where its status has changed meanwhile. */
export async function saveDelivery(
  given: Moving,
  row: DeliveryRow,
  changed: { record: DeliveryRecord; status?: DeliveryStatus; columns?: Details['columns'] },
): Promise<DeliveryRow> {
  const moving = notBefore(row, given);
  const { db, now } = moving;
  const record = { ...changed.record, event_count: changed.record.event_count + 1 };
  const status = changed.status ?? row.status;
  const change = {
    ...changed.columns,
    ...columnsOf(record),
    status,
    ended_at: isEnded(status) ? (row.ended_at ?? now) : null,
    record: JSON.stringify(record),
  };
  if (!(await updateDelivery(db, { id: row.id, from: row.status, change, now }))) {
    throw new Error(`delivery ${row.id} changed while it was being changed`);
  }
  const saved = { ...row, ...change, updated_at: now };
  await publishDelivery(moving, saved);
  return saved;
}

/** A request that began before the clock was moved on writes after what came meanwhile: times never fall. */
function notBefore({ updated_at }: DeliveryRow, moving: Moving): Moving {
  return updated_at > moving.now ? { ...moving, now: updated_at } : moving;
}

/** What a delivery can be found by, out of its record. */
export function columnsOf({ pickup, dropoff }: DeliveryRecord) {
  return {
    pickup_phone: pickup.phone,
    dropoff_phone: dropoff.phone,
    pickup_name: pickup.name.toLowerCase(),
    dropoff_name: dropoff.name.toLowerCase(),
    pickup_place: pickup.address.toLowerCase(),
    dropoff_place: dropoff.address.toLowerCase(),
    dropoff_eta: dropoff.eta,
  };
}

/**
 * Moves a delivery to another status with all that follows from it: its history, its money, its order and route,
 * and the event. The only way in which a status changes; whether it may is the caller's to ask.
 */
export async function moveDelivery(
  given: Moving,
  row: DeliveryRow,
  to: DeliveryStatus,
  details: Details = {},
): Promise<DeliveryRow> {
  const moving = notBefore(row, given);
  const { now } = moving;
  const before = deliveryRecord(row);
  const movements = await movementsOf(moving, row, to, details);
  const record: DeliveryRecord = {
    ...before,
    ...details.record,
    ...(to === 'driver_not_assigned' ? { driver: null, way: [] } : {}),
    refunded_amount: before.refunded_amount - sumOf(movements.filter(({ kind }) => kind === 'refund')),
    status_history: [...before.status_history, { status: to, at: now }],
  };
  const columns = details.columns ?? {};
  const moved = await saveDelivery(moving, row, { record, status: to, columns });
  await charge(moving, moved, movements);
  await settleOrder(moving, moved);
  await settleRoute(moving, moved);
  return moved;
}

async function movementsOf(
  { db, providers }: Moving,
  row: DeliveryRow,
  to: DeliveryStatus,
  { cancellation_fee = 0 }: Details,
): Promise<Movement[]> {
  if (to !== 'failed' && to !== 'returned' && !isCanceled(to)) return [];
  const provider = providers.find(({ name }) => name === row.service);
  const return_price = (await provider?.returnPrice(deliveryRecord(row).cost_of_delivery)) ?? 0;
  const paid = sumOf(await chargesOfDelivery(db, row.id));
  return movementsAt(to, paid, { cancellation_fee, return_price });
}

/** Writes movements of a delivery's money down, each kind once. */
export async function charge(
  { db, chance, now }: WriteContext,
  row: DeliveryRow,
  movements: readonly Movement[],
): Promise<void> {
  await insertCharges(
    db,
    movements.map(({ kind, amount }) => ({
      id: newPlacedId(chance, 'chg', { at: now, rank: chargeKinds.indexOf(kind) }, row.id, kind),
      account_id: row.account_id,
      test_mode: row.test_mode,
      delivery_id: row.id,
      kind,
      amount,
      created_at: now,
    })),
  );
}

/** An order goes with its latest delivery, which a new one becomes. */
export async function settleOrder(moving: Moving, row: DeliveryRow, isNew = false): Promise<void> {
  const { db, now } = moving;
  const order = await loadOrder(db, row.order_id);
  if (order === undefined || (!isNew && order.delivery_id !== row.id)) return;
  const to = orderStatusAfter(row.status) ?? order.status;
  const change = { delivery_id: row.id, route_id: row.route_id === '' ? null : row.route_id };
  if (to === order.status && !isNew) return;
  await moveOrder(db, { id: order.id, from: order.status, to, now, change });
  if (to === order.status || (to !== 'failed' && to !== 'canceled')) return;
  const settled = { ...order, ...change, status: to, updated_at: now };
  const pending = order.batch_id === null ? null : await pendingOrder(db, order.id);
  if (pending === null) return publishOrder(moving, `order.${to}`, settled);
  // Auto dispatch tries again what has failed: only its end is told.
  if (to === 'failed') return;
  const reason = 'its delivery was canceled';
  await endTry(moving, order.id, { status: 'canceled', reason });
  await endOrder(moving, { ...pending, order: settled }, 'canceled', reason);
}

function orderStatusAfter(status: DeliveryStatus): OrderStatus | null {
  if (status === 'request') return 'routed';
  if (status === 'delivery_created' || status === 'scheduled') return 'dispatched';
  if (status === 'failed') return 'failed';
  return isCanceled(status) ? 'canceled' : null;
}

/** A route has ended once all of its deliveries have; nothing more is heard of what was called off. */
async function settleRoute({ db, now }: Moving, row: DeliveryRow): Promise<void> {
  if (!isEnded(row.status) || row.status === 'disputed') return;
  // Late reports of what was brought somewhere are still taken.
  const isBrought = row.status === 'delivered' || row.status === 'returned';
  await dropTasks(db, row.id, isBrought ? ['location.tell'] : ['location.tell', 'report.take']);
  const deliveries = row.route_id === '' ? [] : await deliveriesOfRoute(db, row.route_id);
  if (deliveries.length === 0 || !deliveries.every(({ status }) => isEnded(status))) return;
  const to = deliveries.every(({ status }) => isCanceled(status)) ? 'canceled' : 'completed';
  await moveRoute(db, { id: row.route_id, from: 'dispatched', to, now });
}
