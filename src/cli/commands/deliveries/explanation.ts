import { ifSupported } from '../../../client/errors.ts';
import type { Charge } from '../../../contract/charges.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import type { AnyDelivery, DeliveryNote } from '../../../contract/delivery-details.ts';
import type { FailedTask } from '../../../contract/failed-tasks.ts';
import { chargeKinds } from '../../../contract/vocabulary.ts';
import { availableSteps } from '../../errors/error-report.ts';
import { isForPeople } from '../../kit/output/destination.ts';
import { timesFor } from '../../kit/output/times.ts';
import type { StepObject } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { chargesOf, costOf, type OrderCost } from '../orders/order-cost.ts';
import { storeZone } from '../orders/store-zone.ts';
import { type Choice, choiceOf, nextTryOf } from './choice.ts';
import { type CourierPlace, courierPlaceOf } from './courier-place.ts';
import { deliveryLateBy } from './due-text.ts';
import { canRetry, canStep, nextSteps } from './next-steps.ts';
import { type TimelineStep, timelineOf } from './timeline.ts';

/** A delivery with its history, selection, charges and next steps. */
export interface Explanation {
  object: 'explanation';
  delivery: AnyDelivery;
  timeline: TimelineStep[];
  /** Seconds after its promised time, negative before it; null if it is not under way or ended without arriving. */
  late_seconds: number | null;
  /** How auto dispatch selected the quote; null if a person selected it. */
  choice: Choice | null;
  /** Oldest first; null if the service lists no charges. */
  charges: Charge[] | null;
  /** The sum of the charges so far, in cents. */
  paid: number | null;
  /** The cost of its order over several attempts; null after a single attempt, or if the service lists no charges. */
  order_cost: OrderCost | null;
  /** Null if the service does not report it. */
  cancellation: Cancellation | null;
  /** Null if the position of the courier or of the stop is unknown. */
  courier_place: CourierPlace | null;
  /** The newest, newest first; empty if the service keeps no notes. */
  notes: DeliveryNote[];
  /** The task of its dispatch that the service abandoned; null if no task was. */
  failed_task: FailedTask | null;
  next: StepObject[];
}

/** Collects everything known about a delivery. */
export async function explain(context: Context, delivery: AnyDelivery): Promise<Explanation> {
  const client = await context.client();
  const params = { deliveryid: delivery.id };
  const { order_id } = delivery;
  const [listed, cancellation, way, isSandbox, courier_place, failed_task] = await Promise.all([
    ifSupported(chargesOf(context, order_id === '' ? { delivery_id: delivery.id } : { order_id }), null),
    ifSupported(
      client.deliveries.cancellation({ params }).then(({ data }) => data),
      null,
    ),
    ifSupported(wayOf(context, delivery), noWay),
    ifSupported(isSimulated(context, delivery), false),
    courierPlaceOf(context, delivery),
    ifSupported(failedDispatchOf(context, delivery), null),
  ]);
  const own = listed?.filter(({ delivery_id }) => delivery_id === delivery.id) ?? null;
  const charges = own === null ? null : sortedCharges(own);
  const cost = listed === null ? null : costOf(listed);
  const now = context.serviceNow();
  const { choice, ...order } = way;
  const times = timesFor(context.output);
  const zone = isForPeople(context.output.format) ? storeZone(delivery) : null;
  const isAudited = context.has('keys');
  const situation = { cancellation, now, times, zone, isSandbox, isAudited, failed_task, ...order };
  const steps = availableSteps(nextSteps(delivery, situation), context.has);
  const late_ms = deliveryLateBy(delivery, now);
  return {
    object: 'explanation',
    delivery,
    timeline: timelineOf(delivery, now),
    late_seconds: late_ms === null ? null : Math.floor(late_ms / 1000),
    choice,
    charges,
    paid: charges === null ? null : charges.reduce((sum, { amount }) => sum + amount, 0),
    order_cost: cost !== null && cost.attempts.length > 1 ? cost : null,
    cancellation,
    courier_place,
    notes: delivery.details?.notes ?? [],
    failed_task,
    next: steps.map((step) => context.stepObject(step)),
  };
}

const noWay = { choice: null, latest: null, nextTry: null };

/** Reads from the order how the delivery was dispatched, and later attempts. */
async function wayOf(context: Context, delivery: Delivery) {
  if (delivery.status === 'request' || delivery.order_id === '') return noWay;
  const client = await context.client();
  const { data: order } = await client.orders.get({ params: { order_id: delivery.order_id } });
  const choice = await choiceOf(context, delivery, order);
  const isLatest = order.delivery_id === delivery.id;
  const nextTry = canRetry(delivery) && isLatest ? await nextTryOf(context, order) : null;
  return { choice, latest: order.delivery_id, nextTry };
}

/** True if the service simulates the courier; only asked if the courier can still report something. */
async function isSimulated(context: Context, delivery: Delivery): Promise<boolean> {
  if (!delivery.test_mode || !canStep(delivery)) return false;
  const client = await context.client();
  const { data: account } = await client.account.get();
  if (!account.sandbox || !account.test_mode) return false;
  const { data: steps } = await client.sandbox.steps({ params: { delivery_id: delivery.id } });
  return steps.data.length > 0;
}

/** The dispatch that the service gave up without an outcome, while the delivery still waits for one. */
async function failedDispatchOf(
  context: Context,
  { status, route_id }: Delivery,
): Promise<FailedTask | null> {
  if (status !== 'delivery_created' && status !== 'scheduled') return null;
  const client = await context.client();
  const { data } = await client.failedTasks.list();
  return data.data.find(({ kind, subject }) => kind === 'dispatch.ask' && subject === route_id) ?? null;
}

/** Sorts charges by time; charges of the same time by kind. */
function sortedCharges(found: readonly Charge[]): Charge[] {
  const place = ({ created_at, kind }: Charge) => created_at + String(chargeKinds.indexOf(kind));
  return found.toSorted((left, right) => (place(left) < place(right) ? -1 : 1));
}
