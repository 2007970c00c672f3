/**
 * Cancels a delivery: what its courier charges for that, the courier's consent, and the refund. The courier is asked
 * before the transaction (`agreeCancellation`), and what it agreed to is applied in the transaction that stores the
 * response (`applyCancellation`), by when the delivery may have moved on. A task cancels what a courier may have accepted
 * too late (`planOrphanCancel`).
 */

import type { Cancellation, cancelDelivery, getCancellation } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import { type DeliveryStatus, fleet_provider } from '../../contract/vocabulary.ts';
import { hasCancellationFee, movementsAt, refundable } from '../../domain/charges.ts';
import { canMove, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { task_waits_ms } from '../../domain/retries.ts';
import { statusPhrase } from '../../domain/status-words.ts';
import {
  type CancelAnswer,
  type CancelRequest,
  type CancelTerms,
  type Provider,
  ProviderFault,
} from '../../providers/port.ts';
import type { Connection, DeliveryRow, Scope } from '../../storage/database.ts';
import {
  chargesOfDelivery,
  deliveriesOfRoute,
  loadDelivery,
  lockDeliveriesOfRoutes,
  lockDelivery,
} from '../../storage/deliveries.ts';
import { loadOrder } from '../../storage/orders.ts';
import { dispatchesOfRoute } from '../../storage/routes.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { requireAsSeen, type SeenDelivery } from '../deliveries/as-seen.ts';
import { deliveryFor, lockDeliveryFor } from '../deliveries/delivery.ts';
import {
  applyTransition,
  charge,
  refuseTransition,
  saveDelivery,
  type TransitionContext,
} from '../deliveries/delivery-transitions.ts';
import { createViewpoint, deliveryRecord, deliveryView } from '../deliveries/delivery-view.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { withTimeout } from '../runtime/outgoing-calls.ts';
import type { Chance } from '../runtime/random.ts';
import { newTask } from '../runtime/task-kinds.ts';
import { settleBills } from './courier-bills.ts';
import { legalSteps, loadCarried, reportStep } from './courier-steps.ts';
import { isCarried } from './load-intent.ts';

/** The terms of a courier that has not accepted the delivery. */
const free: CancelTerms = { kind: 'taken', fee: 0 };

/** Returns the cost of a cancellation without canceling. */
export const readCancellation: Handler<typeof getCancellation> = async (call) => {
  const { service, params } = call;
  const row = await service.storage.run((db) => deliveryFor(db, call, params.deliveryid));
  const refused = (reason: string) => cancellationView(row.id, { kind: 'refused', reason }, 0);
  if (!canMove(row.status, 'customer_canceled')) return refused(`the delivery is ${row.status}`);
  const courier = await bookedCourier(call, row);
  const terms = courier?.hasAccepted
    ? await answerOf(call, courier, courier.provider.cancelTerms(courier.request))
    : free;
  const paid = refundable(await service.storage.run((db) => chargesOfDelivery(db, row.id)));
  return cancellationView(row.id, terms, paid);
};

function cancellationView(delivery_id: string, terms: CancelTerms, paid: number): Cancellation {
  const object = 'cancellation' as const;
  if (terms.kind === 'refused') {
    return { object, delivery_id, cancelable: false, reason: terms.reason, fee: 0, refund: 0 };
  }
  const fee = terms.fee === null ? { fee: 0, fee_unknown: true } : { fee: terms.fee };
  return { object, delivery_id, cancelable: true, reason: '', ...fee, refund: paid };
}

export const cancelOnRequest: Handler<typeof cancelDelivery> = async (call) => {
  const { reason = '', operator = false, from_driver_id, if_status } = call.body;
  const seen = { from_driver_id, if_status };
  const request = { reason, isOperator: operator, seen };
  const agreed = await agreeCancellation(call, call.params.deliveryid, request);
  const chance = await call.service.chance();
  return call.commit(
    async (db) =>
      deliveryView(await applyCancellation(db, call, { ...agreed, chance }, seen), createViewpoint(call)),
    'read committed',
  );
};

/** A cancellation that the courier has accepted. */
export interface AgreedCancellation {
  delivery_id: string;
  status: 'customer_canceled' | 'burq_canceled';
  reason: string;
  fee: number;
  /** Whether the order is not tried again. */
  closes_order?: true;
}

/**
 * Asks the courier to cancel a delivery. Throws `delivery_not_cancelable`, and `unauthorized` if the caller cancels
 * as the operator without an admin key. The operator can cancel regardless of the courier's rules.
 */
export async function agreeCancellation(
  call: CallBase,
  delivery_id: string,
  { reason, isOperator = false, seen = {} }: { reason: string; isOperator?: boolean; seen?: SeenDelivery },
): Promise<AgreedCancellation> {
  if (isOperator && call.caller.permission !== 'admin') {
    throw new Problem('unauthorized', 'Canceling as the operator requires a key with admin permission.');
  }
  const row = await call.service.storage.run(async (db) => {
    const found = await deliveryFor(db, call, delivery_id);
    await requireAsSeen(db, found, seen);
    return found;
  });
  // A delivery that has ended for the service is not canceled at the courier.
  const status = isOperator ? 'burq_canceled' : 'customer_canceled';
  if (!canMove(row.status, status)) throw notCancelable(row.id, row.status);
  const courier = await bookedCourier(call, row);
  const answer =
    courier === null ? free : await answerOf(call, courier, courier.provider.cancel(courier.request));
  if (answer.kind === 'taken') await settleEnded(call, row.id, status);
  // A provider that has not accepted may still have received the dispatch, but can charge no fee.
  if (isOperator || courier?.hasAccepted === false) return { delivery_id, status, reason, fee: 0 };
  if (answer.kind === 'taken') return { delivery_id, status, reason, fee: answer.fee ?? 0 };
  await applyCrossedStep(call, row.id, answer);
  throw new Problem('delivery_not_cancelable', `Delivery ${row.id} cannot be canceled: ${answer.reason}.`);
}

/**
 * Charges the fee of a cancellation that the courier has taken although the delivery had just ended in another way: what
 * ended it knew of no fee, and the cancellation is going to be refused.
 */
async function settleEnded(call: CallBase, delivery_id: string, status: DeliveryStatus): Promise<void> {
  const known = await call.service.storage.run((db) => loadDelivery(db, delivery_id));
  if (known === undefined || !isEnded(known.status) || known.status === status) return;
  await changeAlone(call, delivery_id, (context, row) => settleBills(context, [row]));
}

/** Changes a delivery in a transaction of its own: the response is going to be an error, which stores nothing. */
async function changeAlone(
  { service, now }: CallBase,
  delivery_id: string,
  change: (context: TransitionContext, row: DeliveryRow) => Promise<unknown>,
): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    const row = await lockDelivery(db, delivery_id);
    if (row !== undefined) await change({ db, chance, now, providers: service.providers }, row);
  }, 'read committed');
}

/** Applies an accepted cancellation, in the transaction that stores the response. */
export async function applyCancellation(
  db: Connection,
  call: CallBase,
  { chance, ...agreed }: AgreedCancellation & { chance: Chance },
  seen: SeenDelivery = {},
): Promise<DeliveryRow> {
  const { service, now } = call;
  const row = await lockDeliveryFor(db, call, agreed.delivery_id);
  // A courier company has canceled it by now: what it knew when it was asked counts.
  if (row.service === fleet_provider) await requireAsSeen(db, row, seen);
  const context = { db, chance, now, providers: service.providers };
  const canceled_because = {
    cancellation_reason: agreed.reason === '' ? defaultReasons[agreed.status] : agreed.reason,
    ...(agreed.closes_order && { closes_order: true as const }),
  };
  if (row.status === 'customer_canceled' && isReported(service.providers, row)) {
    await chargeFee(context, row, agreed.fee);
    await settleBills(context, [row]);
    return saveDelivery(context, row, { ...deliveryRecord(row), ...canceled_because });
  }
  // The driver may have reported the pickup after the fleet agreed.
  if (row.service === fleet_provider && agreed.status === 'customer_canceled' && isPickedUp(row.status))
    throw notCancelable(row.id, row.status);
  const canceled = await applyTransition(context, row, agreed.status, {
    record: canceled_because,
    cancellation_fee: agreed.fee,
  }).catch(refuseTransition((status) => notCancelable(row.id, status)));
  await settleBills(context, [canceled]);
  return canceled;
}

/** Charges the fee of a cancellation that the courier's own report has applied, unless the report had it. */
async function chargeFee(context: TransitionContext, row: DeliveryRow, fee: number): Promise<void> {
  const charged = await chargesOfDelivery(context.db, row.id);
  const price = { cancellation_fee: hasCancellationFee(charged) ? 0 : fee, return_price: 0 };
  await charge(context, row, movementsAt({ from: row.status, to: row.status }, 0, price), charged);
}

/** Whether the courier reports by itself: its report of a cancellation may come before its response. */
function isReported(providers: readonly Provider[], { service }: DeliveryRow): boolean {
  return providers.find(({ name }) => name === service)?.reporting !== undefined;
}

const defaultReasons = {
  customer_canceled: 'Canceled by the merchant',
  burq_canceled: 'Canceled by the operator of the service',
};

/** The courier's response to a cancellation; no response counts as a refusal. */
async function answerOf<T extends CancelTerms>(
  { service }: CallBase,
  { provider }: { provider: Provider },
  response: Promise<T>,
): Promise<T | CancelTerms> {
  const silence: CancelTerms = { kind: 'refused', reason: 'the courier is not responding' };
  return withTimeout(service, response, provider).catch(() => silence);
}

function notCancelable(id: string, status: DeliveryStatus): Problem {
  return new Problem(
    'delivery_not_cancelable',
    `Delivery ${id} is ${statusPhrase(status)} and can no longer be canceled.`,
  );
}

/** Applies the status that a refusing courier reports, unless the delivery has already passed it. */
async function applyCrossedStep(call: CallBase, id: string, { crossed }: CancelAnswer): Promise<void> {
  if (crossed === undefined) return;
  await changeAlone(call, id, async (context, row) => {
    const carried = await loadCarried(context.db, row, context.providers);
    if (legalSteps(carried).includes(crossed)) await reportStep(context, carried, crossed);
  });
}

/** The provider to which a delivery was dispatched, and how a request names the delivery; null before a dispatch. */
export async function bookedCourier(
  { service, now }: Pick<CallBase, 'service' | 'now'>,
  row: DeliveryRow,
): Promise<{ provider: Provider; request: CancelRequest; hasAccepted: boolean } | null> {
  const provider = service.providers.find(({ name }) => name === row.service);
  const { dispatch, order } = await service.storage.run(async (db) => ({
    dispatch: (await dispatchesOfRoute(db, row.route_id)).at(-1),
    order: await loadOrder(db, row.order_id),
  }));
  if (provider === undefined || dispatch === undefined || order === undefined) return null;
  const record = deliveryRecord(row);
  const request = {
    account_id: row.account_id,
    test_mode: row.test_mode === 1,
    reference: dispatch.id,
    order_id: row.order_id,
    now,
    status: row.status,
    accepted_at: dispatch.updated_at,
    pickup_eta: record.pickup.at ?? record.pickup.eta,
    cost_of_delivery: record.cost_of_delivery,
    scenario: orderRecord(order).simulation.scenario,
  };
  return { provider, request, hasAccepted: dispatch.state === 'accepted' };
}

/**
 * Schedules the cancellation of what the provider may have accepted too late: a delivery that was canceled while the
 * provider was called, or failed without a response.
 */
export async function planOrphanCancel(
  { db, chance, now }: WriteContext,
  { account_id, test_mode, route_id, dispatch_id }: Scope & { route_id: string; dispatch_id: string },
): Promise<void> {
  const id = newId(chance, 'tsk', now, 'recall', route_id, dispatch_id);
  const task = { id, account_id, test_mode, subject: route_id, due_at: now };
  await insertTasks(db, [newTask('dispatch.recall', task, {})]);
}

export const cancelOrphanedTask: TaskHandler<'dispatch.recall'> = {
  run: cancelOrphaned,
  backoffAfter: (fault) => {
    if (fault instanceof StillCarried) return [];
    return fault instanceof ProviderFault ? task_waits_ms.orphanCancel : undefined;
  },
};

/** A provider refuses to cancel a delivery that has ended here: a person has to ask the provider, or to take the parcel back. */
class StillCarried extends ProviderFault {}

/**
 * Cancels at the provider each delivery of the route that has ended here. Rejects while the provider does not respond;
 * also if it refuses, so that a failed task shows the refusal.
 */
async function cancelOrphaned(service: ServiceContext, task: Task<'dispatch.recall'>): Promise<void> {
  const now = Math.max(task.now, service.clock.now());
  const deliveries = await service.storage.run((db) => deliveriesOfRoute(db, task.row.subject));
  const refusals: string[] = [];
  for (const row of deliveries.filter((each) => !isCarried(each))) {
    const asked = await bookedCourier({ service, now }, row);
    if (asked === null) continue;
    await task.renew();
    const answer = await withTimeout(service, asked.provider.cancel(asked.request), asked.provider);
    if (answer.kind === 'refused' && asked.provider.reporting !== undefined)
      refusals.push(`${row.service} does not cancel ${row.id}, which has ended here: ${answer.reason}`);
  }
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    const ended = (await lockDeliveriesOfRoutes(db, [task.row.subject])).filter((row) => isEnded(row.status));
    if (refusals.length === 0) await task.finish(db);
    await settleBills({ db, chance, now, providers: service.providers }, ended);
  }, 'read committed');
  if (refusals.length > 0) throw new StillCarried(refusals.join('; '));
}
