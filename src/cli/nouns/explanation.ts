/** The explanation of a delivery: its history, the selection of its provider, its charges, and the next steps. */
import { ApiError, ifSupported, Unsupported, unlessMissing } from '../../client/errors.ts';
import { records } from '../../client/pages.ts';
import type { Charge } from '../../contract/accounting.ts';
import type { Try } from '../../contract/batches.ts';
import type { AnyDelivery, Delivery, DeliveryNote } from '../../contract/deliveries.ts';
import type { Cancellation } from '../../contract/delivery-changes.ts';
import type { Order } from '../../contract/orders.ts';
import type { FailedTask } from '../../contract/service.ts';
import {
  chargeKinds,
  type DeliveryStatus,
  handoverFailures,
  statusGroups,
} from '../../contract/vocabulary.ts';
import {
  drivenStatuses,
  hasEndedBadly,
  hasReached,
  isEnded,
  isPickedUp,
} from '../../domain/delivery-states.ts';
import { greatCircleMiles } from '../../domain/geography.ts';
import { overdueBy, stuck_after_ms } from '../../domain/lateness.ts';
import { availableSteps } from '../errors/error-codes.ts';
import { timesFor } from '../kit/output/times.ts';
import type { StepObject } from '../kit/result/message.ts';
import { isForPeople } from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import { auditAuthor } from '../session/identity.ts';
import { outcomeText } from './delivery.ts';
import { canStep, type NextTry, nextSteps } from './delivery-steps.ts';
import { deliveryLateBy } from './delivery-times.ts';
import { readRetryFacts } from './earlier-tries.ts';
import { fetchManualChoice, type ManualChoice } from './manual-choice.ts';
import { fetchCharges, type OrderCost, storeZone, sumOrderCost } from './order.ts';
import { createLimitReader, noLimits } from './order-limits.ts';

/** A delivery with its history, selection, charges and next steps. */
export interface Explanation {
  object: 'explanation';
  delivery: AnyDelivery;
  timeline: TimelineStep[];
  /** Seconds after its promised time, negative before it; null if it is not under way or ended without arriving. */
  late_seconds: number | null;
  /** Seconds since its next report was due, from ten minutes on; null before, or if none is due. */
  overdue_seconds: number | null;
  /** Why and by whom it ended, as a sentence; null while it can still be delivered, or if it was. */
  outcome: string | null;
  /** How auto dispatch selected the quote; null if a person selected it. */
  choice: AutoDispatchChoice | null;
  /** Oldest first; null if the service lists no charges. */
  charges: Charge[] | null;
  /** The sum of the charges so far, in cents. */
  paid: number | null;
  /** The cost of its order over several attempts; null after a single attempt, or if the service lists no charges. */
  order_cost: OrderCost | null;
  /** The name or the last characters of the API key that canceled it; null if it was not, or the caller may not know. */
  canceled_by: string | null;
  /** The quote that was selected by hand; null if auto dispatch selected it or the quotes are gone. */
  selection: ManualChoice | null;
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
export async function collectExplanation(context: Context, delivery: AnyDelivery): Promise<Explanation> {
  const client = await context.client();
  const params = { deliveryid: delivery.id };
  const { order_id } = delivery;
  const [listed, cancellation, origin, isSandbox, courier_place, failed_task, canceled_by] =
    await Promise.all([
      ifSupported(fetchCharges(context, order_id === '' ? { delivery_id: delivery.id } : { order_id }), null),
      ifSupported(
        client.deliveries.cancellation({ params }).then(({ data }) => data),
        null,
      ),
      ifSupported(fetchOrigin(context, delivery), unknownOrigin),
      ifSupported(isSimulated(context, delivery), false),
      courierPlaceOf(context, delivery),
      ifSupported(fetchFailedDispatch(context, delivery), null),
      fetchCanceler(context, delivery),
    ]);
  const delivery_charges = listed?.filter(({ delivery_id }) => delivery_id === delivery.id) ?? null;
  const charges = delivery_charges === null ? null : sortedCharges(delivery_charges);
  const cost = listed === null ? null : sumOrderCost(listed);
  const now = context.serviceNow();
  const { choice, ...order } = origin;
  const times = timesFor(context.output);
  const zone = isForPeople(context.output.format) ? storeZone(delivery) : null;
  const isAudited = context.has('keys');
  const overdue_seconds = overdueSeconds(delivery, now);
  const isStuck = overdue_seconds !== null;
  const situation = { cancellation, now, isStuck, times, zone, isSandbox, isAudited, failed_task, ...order };
  const steps = availableSteps(nextSteps(delivery, situation), context.has);
  const late_ms = deliveryLateBy(delivery, now);
  return {
    object: 'explanation',
    delivery,
    timeline: deliveryTimeline(delivery, now),
    late_seconds: late_ms === null ? null : Math.floor(late_ms / 1000),
    overdue_seconds,
    outcome: isLost(delivery) ? `${outcomeText(delivery)}${doorText(delivery)}` : null,
    choice,
    selection: choice === null ? await fetchManualChoice(context, delivery) : null,
    charges,
    paid: charges === null ? null : charges.reduce((sum, { amount }) => sum + amount, 0),
    canceled_by,
    order_cost: cost !== null && cost.attempts.length > 1 ? cost : null,
    cancellation,
    courier_place,
    notes: delivery.details?.notes ?? [],
    failed_task,
    next: steps.map((step) => context.stepObject(step)),
  };
}

function overdueSeconds(delivery: AnyDelivery, now: number): number | null {
  const { status } = delivery;
  const overdue_ms = status === 'request' || isEnded(status) ? 0 : overdueBy(delivery, now);
  return overdue_ms >= stuck_after_ms ? Math.floor(overdue_ms / 1000) : null;
}

/** True if it can no longer be delivered. */
function isLost({ status }: Pick<AnyDelivery, 'status'>): boolean {
  return status === 'enroute_to_return' || (isEnded(status) && !hasReached(status, 'delivered'));
}

/** Who canceled a delivery, by the audit log, which only an admin key may read. */
async function fetchCanceler(context: Context, { id, order_id, status }: Delivery): Promise<string | null> {
  if (status !== 'customer_canceled' || !context.has('keys')) return null;
  const { audit } = await context.client();
  const entries = async (record_id: string, operation: string) =>
    (await audit.list({ query: { record_id, operation, limit: 1 } })).data.data;
  try {
    const canceled = await entries(id, 'CancelDelivery');
    const [entry] =
      canceled.length > 0 || order_id === '' ? canceled : await entries(order_id, 'CancelOrder');
    return entry === undefined ? null : auditAuthor(entry);
  } catch (error) {
    if (error instanceof ApiError || error instanceof Unsupported) return null;
    throw error;
  }
}

/** The origin where the service has no orders, or the delivery is only a quote. */
const unknownOrigin = { choice: null, latest: null, nextTry: null, isOrderClosed: false };

/** Reads from the order how the delivery was dispatched, and later attempts. */
async function fetchOrigin(context: Context, delivery: Delivery) {
  if (delivery.status === 'request' || delivery.order_id === '') return unknownOrigin;
  const client = await context.client();
  const { data: order } = await client.orders.get({ params: { order_id: delivery.order_id } });
  const choice = await fetchAutoDispatchChoice(context, delivery, order);
  const isLatest = order.delivery_id === delivery.id;
  const nextTry = hasEndedBadly(delivery.status) && isLatest ? await fetchNextTry(context, order) : null;
  const isOrderClosed = isLatest && delivery.status === 'failed' && order.status === 'canceled';
  const { max_cost, spent } = isEnded(delivery.status) ? await createLimitReader(client)(order) : noLimits;
  const isTriedByHand = hasEndedBadly(delivery.status) && isLatest && nextTry === null;
  const facts = isTriedByHand ? await readRetryFacts(client, delivery) : {};
  return { choice, latest: order.delivery_id, nextTry, isOrderClosed, max_cost, spent, ...facts };
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
async function fetchFailedDispatch(
  context: Context,
  { status, route_id }: Delivery,
): Promise<FailedTask | null> {
  if (status !== 'delivery_created' && status !== 'scheduled') return null;
  const client = await context.client();
  for await (const task of records(client.failedTasks.list, { limit: 100 }))
    if (task.kind === 'dispatch.ask' && task.subject === route_id) return task;
  return null;
}

/** Sorts charges by time; charges of the same time by kind. */
function sortedCharges(found: readonly Charge[]): Charge[] {
  const sortKey = ({ created_at, kind }: Charge) => created_at + String(chargeKinds.indexOf(kind));
  return found.toSorted((left, right) => (sortKey(left) < sortKey(right) ? -1 : 1));
}

/** How auto dispatch selected the provider of a delivery. */
export interface AutoDispatchChoice {
  batch_id: string;
  /** The attempt that created this delivery. */
  try: Try;
  /** Earlier attempts, newest first; at most ten. */
  earlier: Try[];
}

const max_earlier = 10;

/** Finds the auto-dispatch attempt behind a delivery; null if a merchant selected the quote or retried it. */
async function fetchAutoDispatchChoice(
  context: Context,
  { id }: Delivery,
  order: Order,
): Promise<AutoDispatchChoice | null> {
  if (order.batch_id === null) return null;
  const client = await context.client();
  const params = { order_id: order.id };
  let chosen: Try | null = null;
  const earlier: Try[] = [];
  const list = ({ query }: { query: { limit: number; cursor?: string | undefined } }) =>
    client.tries.list({ params, query });
  for await (const attempt of records(list, { limit: 100 })) {
    if (chosen !== null) earlier.push(attempt);
    else if (attempt.delivery_id === id) chosen = attempt;
    if (earlier.length === max_earlier) break;
  }
  return chosen === null ? null : { batch_id: order.batch_id, try: chosen, earlier };
}

/** True while the order is pending in its batch, when it cannot be retried manually. */
async function fetchNextTry(context: Context, { id, batch_id }: Order): Promise<NextTry | null> {
  if (batch_id === null) return null;
  const client = await context.client();
  const { data } = await client.batches.get({ params: { batch_id } });
  const entry = data.orders.find(({ order_id }) => order_id === id);
  return entry?.status === 'pending' ? { order_id: id, at: entry.next_attempt_at } : null;
}

/** One step in the timeline of a delivery. */
export interface TimelineStep {
  status: DeliveryStatus;
  /** Null if the provider did not report it. */
  at: string | null;
  /** The time until the next reported step, or until now. Null for the last step and for skipped ones. */
  lasted_seconds: number | null;
  /** True if it was not reported although a later one was. */
  skipped: boolean;
}

interface Entry {
  status: DeliveryStatus;
  /** Null if only the status is known. */
  at: string | null;
}

/**
 * The steps of a delivery in order, including driver statuses that a later one skipped, as providers need not report
 * every status. `now` is the service's time in milliseconds.
 */
export function deliveryTimeline(delivery: Delivery, now: number): TimelineStep[] {
  const entries = entriesOf(delivery);
  return entries.flatMap((entry, index) => [
    ...(entry.at === null ? [] : skippedStatuses(entries, index, wasAtDoor(delivery)).map(skippedStep)),
    {
      status: entry.status,
      at: entry.at,
      lasted_seconds: durationOf(entry, entries[index + 1], now),
      skipped: false,
    },
  ]);
}

/**
 * All statuses that the service reported. Without a history, one of the first statuses has been there since the creation
 * of the delivery; since when a later one has been there is not known.
 */
export function entriesOf({ status, created_at, status_history }: Delivery): Entry[] {
  const isInitial = statusGroups.initial.some((each) => each === status);
  if (status_history.length === 0) return [{ status, at: isInitial ? created_at : null }];
  const reported = status_history.map((each) => ({ status: each.status, at: each.created_at }));
  // A service may leave out the present one.
  return reported.at(-1)?.status === status ? reported : [...reported, { status, at: null }];
}

function skippedStep(status: DeliveryStatus): TimelineStep {
  return { status, at: null, lasted_seconds: null, skipped: true };
}

/** Whether it came back for a reason that a driver has only at the dropoff, reported or not. */
function wasAtDoor({ failure_reason }: Pick<Delivery, 'failure_reason'>): boolean {
  return handoverFailures.some((reason) => reason === failure_reason);
}

/** Who was at the door, and whether that was reported. */
function doorText(delivery: AnyDelivery): string {
  if (!wasAtDoor(delivery)) return '';
  const { courier_name, service, status_history } = delivery;
  const who = courier_name ? `${courier_name} of ${service}` : `The driver of ${service}`;
  const hasArrived = status_history.some(({ status }) => status === 'arrived_at_dropoff');
  return hasArrived
    ? ` ${who} was at the dropoff.`
    : ` ${who} had it; an arrival at the dropoff was not reported.`;
}

/** The driver statuses between this entry and the furthest earlier one that no entry reports. */
function skippedStatuses(entries: readonly Entry[], index: number, isFromDoor: boolean): DeliveryStatus[] {
  const before = entries.slice(0, index).map(({ status }) => positionOf(status));
  const from = Math.max(-1, ...before);
  const status = entries[index]?.status ?? 'request';
  const isReturn = status === 'enroute_to_return' && isFromDoor;
  const to = isReturn ? driverStatuses.indexOf('arrived_at_dropoff') + 1 : positionOf(status);
  const came = new Set(entries.map(({ status }) => status));
  return driverStatuses.filter((status, at) => at > from && at < to && !came.has(status));
}

const driverStatuses: readonly DeliveryStatus[] = drivenStatuses;

/**
 * The position of a status in a driver's run; statuses that only follow a pickup come after those, and others are -1.
 */
function positionOf(status: DeliveryStatus): number {
  if (status === 'delivered') return driverStatuses.length;
  if (status === 'enroute_to_return') return driverStatuses.indexOf('pickup_complete') + 1;
  return driverStatuses.indexOf(status);
}

function durationOf({ status, at }: Entry, next: Entry | undefined, now: number): number | null {
  if (at === null || next?.at === null || (next === undefined && isEnded(status))) return null;
  const until = next === undefined ? now : Date.parse(next.at);
  return Math.max(0, Math.floor((until - Date.parse(at)) / 1000));
}

/** How far the courier is from the next stop of a delivery, in a straight line. */
interface CourierPlace {
  stop: 'pickup' | 'dropoff';
  miles: number;
  /** Whether the stop is the centre of a ZIP code. */
  is_rough: boolean;
}

/** The place of the courier from the stops of the route; null if either is unknown. */
export async function courierPlaceOf(context: Context, delivery: Delivery): Promise<CourierPlace | null> {
  const { courier_location_lat: lat, courier_location_lng: lng, route_id, order_id } = delivery;
  if (typeof lat !== 'number' || typeof lng !== 'number' || !route_id) return null;
  const kind = stopAhead(delivery);
  const client = await context.client();
  const route = await ifSupported(unlessMissing(client.routes.get({ params: { route_id } })), null);
  const stop = route?.data.stops.find((each) => each.kind === kind && each.order_ids.includes(order_id));
  if (stop === undefined) return null;
  const miles = Math.round(greatCircleMiles({ lat, lng }, stop) * 10) / 10;
  return { stop: kind, miles, is_rough: stop.precision === 'zip' };
}

/** The stop that the courier goes to, or went to last: on the way back it is the pickup. */
function stopAhead({ status, status_history }: Delivery): CourierPlace['stop'] {
  if (status === 'enroute_to_return' || status === 'returned') return 'pickup';
  const wasPickedUp = [status, ...status_history.map((each) => each.status)].some(isPickedUp);
  return wasPickedUp ? 'dropoff' : 'pickup';
}

/**
 * `0.9 mi from the dropoff; last status 14:03`, or with the time of the end. The position is the latest that is known;
 * when it was reported is not.
 */
export function courierPlaceText(
  { stop, miles, is_rough }: CourierPlace,
  delivery: Delivery,
  { time }: { time(iso: string): string },
): string {
  const far = `${is_rough ? 'about ' : ''}${miles} mi from the ${stop}`;
  const where = miles === 0 ? `${is_rough ? 'near' : 'at'} the ${stop}` : far;
  // A dispute says nothing about the position of the courier.
  const last = delivery.status_history.findLast((each) => each.status !== 'disputed')?.created_at;
  if (last === undefined) return where;
  return isEnded(delivery.status) ? `${where}, ${time(last)}` : `${where}; last status ${time(last)}`;
}
