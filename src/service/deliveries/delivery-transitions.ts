/** Changes the status of a delivery, with all that follows from it. `domain/delivery-states.ts` says which changes are legal. */
import type { Problem } from '../../contract/errors.ts';
import type { DeliveryStatus, OrderStatus } from '../../contract/vocabulary.ts';
import { type Movement, movementsAt, refundable, sumAmounts } from '../../domain/charges.ts';
import { canMove, endOfRoute, isCanceled, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import type { DrivingTimes } from '../../domain/geography.ts';
import { countedEta } from '../../domain/lateness.ts';
import { deliveryWordsInSearch } from '../../domain/search-text.ts';
import type { Provider } from '../../providers/port.ts';
import type { ChargeRow, DeliveryRow, OrderRow } from '../../storage/database.ts';
import {
  addSearchWords,
  chargesOfDelivery,
  insertCharges,
  lockDelivery,
  lockEndsOfRoutes,
  updateDelivery,
} from '../../storage/deliveries.ts';
import { lockOrder, setOrderStatus } from '../../storage/orders.ts';
import { setRouteStatus } from '../../storage/routes.ts';
import { deleteTasksOfSubject } from '../../storage/tasks.ts';
import {
  attemptAfterFailure,
  endAttempt,
  endOrder,
  pendingOrder,
  publishOrder,
} from '../batches/order-outcomes.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newPlacedId } from '../runtime/ids.ts';
import {
  type DeliveryRecord,
  deliveryRecord,
  deliveryView,
  findEtaPrecision,
  storedDetails,
} from './delivery-view.ts';
import { scheduleNotice } from './schedule-notice.ts';

/** The context of a change of a delivery, inside its transaction. */
export interface TransitionContext extends WriteContext {
  providers: readonly Provider[];
  /** The driving times that the router has answered, for the plans of own drivers; absent without a router. */
  times?: DrivingTimes | undefined;
}

/** The changes that accompany a transition. */
interface TransitionDetails {
  record?: Partial<DeliveryRecord>;
  columns?: Partial<Pick<DeliveryRow, 'route_id' | 'service' | 'promised_at'>>;
  /** The courier's fee for a cancellation, in cents. */
  cancellation_fee?: number;
}

/** The current status does not allow the transition; nothing was written. */
export class IllegalTransition extends Error {
  readonly from: DeliveryStatus;

  constructor({ id, status }: Pick<DeliveryRow, 'id' | 'status'>, to: DeliveryStatus) {
    super(`delivery ${id} is ${status} and cannot become ${to}`);
    this.name = 'IllegalTransition';
    this.from = status;
  }
}

/** A `catch` handler that converts an illegal transition to a `Problem` and rethrows all other errors. */
export function refuseTransition(problemOf: (current: DeliveryStatus) => Problem) {
  return (fault: unknown): never => {
    throw fault instanceof IllegalTransition ? problemOf(fault.from) : fault;
  };
}

/**
 * Changes the status of a delivery with all consequences: its history, its charges, its order and route, the event, and
 * the notice to its recipient. This is the only way to change a status. It locks the delivery, reads the current status
 * inside the transaction and throws `IllegalTransition` for each change that `domain/delivery-states.ts` does not
 * allow.
 */
export async function applyTransition(
  given: TransitionContext,
  { id }: Pick<DeliveryRow, 'id'>,
  to: DeliveryStatus,
  details: TransitionDetails = {},
): Promise<DeliveryRow> {
  const row = await lockDelivery(given.db, id);
  if (row === undefined) throw new Error(`there is no delivery ${id}`);
  if (!canMove(row.status, to)) throw new IllegalTransition(row, to);
  const context = notBefore(row, given);
  const { now } = context;
  const before = deliveryRecord(row);
  const charged = isSettling(to) ? await chargesOfDelivery(context.db, row.id) : [];
  const movements = isSettling(to) ? await movementsOf(context, row, to, { ...details, charged }) : [];
  const next_attempt_at = to === 'failed' ? await attemptAfterFailure(context, row.order_id) : null;
  const record: DeliveryRecord = {
    ...before,
    ...details.record,
    ...(next_attempt_at === null ? {} : { next_attempt_at }),
    ...(to === 'driver_not_assigned' ? { driver: null, way: [] } : {}),
    ...(isPickedUp(to) && !isPickedUp(row.status) ? { pickup: { ...before.pickup, eta: now } } : {}),
    refunded_amount: before.refunded_amount - sumAmounts(movements.filter(({ kind }) => kind === 'refund')),
    status_history: [...before.status_history, { status: to, at: now }],
  };
  const changed = await writeAndPublish(context, row, { record, status: to, columns: details.columns ?? {} });
  await charge(context, changed, movements, charged);
  await updateOrder(context, changed);
  await endRoute(context, changed);
  await scheduleNotice(context, changed);
  return changed;
}

/** Writes a delivery, locked before it was read, whose content but not its status changed. */
export async function saveDelivery(
  given: TransitionContext,
  row: DeliveryRow,
  record: DeliveryRecord,
): Promise<DeliveryRow> {
  return writeAndPublish(notBefore(row, given), row, { record, status: row.status, columns: {} });
}

/** Writes a delivery as `saveDelivery` does, without an event: for what moves all the time. */
export async function saveQuietly(
  { db, now }: Pick<WriteContext, 'db' | 'now'>,
  row: DeliveryRow,
  record: DeliveryRecord,
): Promise<DeliveryRow> {
  const change = { ...columnsOf(row, record), record: JSON.stringify(record) };
  const updated_at = Math.max(now, row.updated_at);
  await updateDelivery(db, { id: row.id, from: row.status, change, now: updated_at });
  return { ...row, ...change, updated_at };
}

interface Change {
  record: DeliveryRecord;
  status: DeliveryStatus;
  columns: NonNullable<TransitionDetails['columns']>;
}

/** Writes a change and publishes it. */
async function writeAndPublish(
  context: TransitionContext,
  row: DeliveryRow,
  { status, columns, ...changed }: Change,
): Promise<DeliveryRow> {
  const { db, now } = context;
  const event_count = changed.record.event_count + 1;
  const record = { ...changed.record, event_count, announced_eta: undefined };
  const change = {
    ...columns,
    ...columnsOf({ ...row, ...columns, status }, record),
    status,
    ended_at: isEnded(status) ? (row.ended_at ?? now) : null,
    record: JSON.stringify(record),
  };
  if (!(await updateDelivery(db, { id: row.id, from: row.status, change, now }))) {
    throw new Error(`delivery ${row.id} was changed by another transaction`);
  }
  const saved = { ...row, ...change, updated_at: now };
  await publishDelivery(context, saved);
  const words = deliveryWordsInSearch(record);
  if (words !== '' && words !== deliveryWordsInSearch(deliveryRecord(row)))
    await addSearchWords(db, row.order_id, words);
  return saved;
}

/** A request that started before the clock was advanced may write after later changes: times must not go back. */
function notBefore({ updated_at }: DeliveryRow, context: TransitionContext): TransitionContext {
  return updated_at > context.now ? { ...context, now: updated_at } : context;
}

type DueRow = Pick<DeliveryRow, 'service' | 'status' | 'promised_at'>;

/** The columns of a delivery by which lists search, from its record: its ETA is the one that lateness counts. */
export function columnsOf(row: DueRow, record: DeliveryRecord) {
  const { pickup, dropoff, store_id } = record;
  const { promised_at } = row;
  const eta_precision = findEtaPrecision(row, record);
  return {
    pickup_phone: pickup.phone,
    dropoff_phone: dropoff.phone,
    dropoff_eta:
      promised_at === null
        ? dropoff.eta
        : countedEta({ promised_at, dropoff_eta: dropoff.eta, eta_precision }),
    dropoff_at: dropoff.at,
    store_id,
  };
}

/**
 * Publishes the current delivery, in the transaction that changed it; its record already counts the event. The
 * tracking link is a secret that the log does not contain: `eventView` adds it for each reader.
 */
export async function publishDelivery(context: WriteContext, row: DeliveryRow): Promise<void> {
  const { account_id, test_mode } = row;
  const record = deliveryRecord(row);
  const sequence = record.event_count;
  const type = sequence === 1 ? 'delivery.created' : 'delivery.updated';
  const details = storedDetails(row, record);
  const data = {
    ...deliveryView(row, { publicUrl: '', now: context.now }),
    tracking_url: '',
    ...(Object.keys(details).length > 0 && { details }),
  };
  const id_parts = [row.id, String(sequence)];
  await publishEvent(context, { account_id, test_mode, type, id_parts, delivery_id: row.id, sequence, data });
}

/** Whether a status changes what was charged. */
function isSettling(to: DeliveryStatus): boolean {
  return to === 'failed' || to === 'returned' || isCanceled(to);
}

async function movementsOf(
  { providers }: TransitionContext,
  row: DeliveryRow,
  to: DeliveryStatus,
  { cancellation_fee = 0, charged }: TransitionDetails & { charged: readonly ChargeRow[] },
): Promise<Movement[]> {
  const provider = providers.find(({ name }) => name === row.service);
  const return_price = (await provider?.returnPrice(deliveryRecord(row).cost_of_delivery)) ?? 0;
  const price = { cancellation_fee, return_price, has_bill: provider?.reporting !== undefined };
  return movementsAt({ from: row.status, to }, refundable(charged), price);
}

/**
 * Inserts charges of a delivery after those that it has, which the transaction has read: their ids sort by their number,
 * so that those of one moment are listed in their order, and none has the id of another.
 */
export async function charge(
  { db, chance, now }: WriteContext,
  row: DeliveryRow,
  movements: readonly Movement[],
  charged: readonly ChargeRow[],
): Promise<void> {
  await insertCharges(
    db,
    movements.map(({ kind, amount, reason = null }, index) => {
      const rank = charged.length + index;
      return {
        id: newPlacedId(chance, 'chg', { at: now, rank }, row.id, String(rank)),
        account_id: row.account_id,
        test_mode: row.test_mode,
        delivery_id: row.id,
        kind,
        amount,
        reason,
        created_at: now,
      };
    }),
  );
}

/** Updates an order to the status of its latest delivery; a new delivery becomes the latest one. */
export async function updateOrder(
  context: TransitionContext,
  row: DeliveryRow,
  isNew = false,
): Promise<void> {
  const { db, now } = context;
  const after = orderStatusAfter(row.status);
  if (after === null && !isNew) return;
  // The status of an order follows from it: another transaction may try the order again.
  const order = await lockOrder(db, row.order_id);
  if (order === undefined || (!isNew && order.delivery_id !== row.id)) return;
  const to = after ?? order.status;
  const change = { delivery_id: row.id, route_id: row.route_id === '' ? null : row.route_id };
  if (to === order.status && order.delivery_id === row.id) return;
  await setOrderStatus(db, { id: order.id, from: order.status, to, now, change });
  if (to === order.status || (to !== 'failed' && to !== 'canceled')) return;
  await publishSettled(context, { ...order, ...change, updated_at: now }, to);
}

/** Publishes that an order has failed or was canceled with its delivery, unless auto dispatch tries it again. */
async function publishSettled(context: WriteContext, order: OrderRow, status: 'failed' | 'canceled') {
  const settled = { ...order, status };
  const pending = order.batch_id === null ? null : await pendingOrder(context.db, order.id);
  if (pending === null) return publishOrder(context, `order.${status}`, settled);
  // Auto dispatch retries a failed order and publishes its outcome itself.
  if (status === 'failed') return;
  const reason = 'the delivery was canceled';
  await endAttempt(context, order.id, { status: 'canceled', reason });
  await endOrder(context, { ...pending, order: settled }, 'canceled', reason);
}

function orderStatusAfter(status: DeliveryStatus): OrderStatus | null {
  if (status === 'request') return 'routed';
  if (status === 'delivery_created' || status === 'scheduled') return 'dispatched';
  if (status === 'failed') return 'failed';
  return isCanceled(status) ? 'canceled' : null;
}

/** Ends a route once all of its deliveries have ended, and drops the tasks of this one. */
async function endRoute({ db, now }: TransitionContext, row: DeliveryRow): Promise<void> {
  if (!isEnded(row.status) || row.status === 'disputed') return;
  // Late reports of a delivered or returned parcel are still received; those of a canceled delivery are not.
  const hasArrived = row.status === 'delivered' || row.status === 'returned';
  await deleteTasksOfSubject(db, row.id, hasArrived ? ['location.tell'] : ['location.tell', 'report.take']);
  const deliveries = row.route_id === '' ? [] : await lockEndsOfRoutes(db, [row.route_id]);
  const to = deliveries.length === 0 ? null : endOfRoute(deliveries.map(({ status }) => status));
  if (to !== null) await setRouteStatus(db, { id: row.route_id, from: 'dispatched', to, now });
}
