import { ApiError, ifSupported, Unsupported, unlessMissing } from '../../client/errors.ts';
import { records } from '../../client/pages.ts';
import type { Try } from '../../contract/batches.ts';
import type { Charge } from '../../contract/charges.ts';
import type { Delivery } from '../../contract/deliveries.ts';
import type { Cancellation } from '../../contract/delivery-changes.ts';
import type { AnyDelivery, DeliveryNote } from '../../contract/delivery-details.ts';
import type { FailedTask } from '../../contract/failed-tasks.ts';
import type { Order } from '../../contract/orders.ts';
import { chargeKinds, type DeliveryStatus, fleet_provider } from '../../contract/vocabulary.ts';
import {
  drivenStatuses,
  isCanceled,
  isEnded,
  isPickedUp,
  nextStatuses,
} from '../../domain/delivery-states.ts';
import { greatCircleMiles } from '../../domain/geography.ts';
import { arrivalOf } from '../../domain/lateness.ts';
import { dollars } from '../../domain/money.ts';
import { availableSteps } from '../errors/error-report.ts';
import { Failure, type FailureDetails } from '../kit/errors/failure.ts';
import { isForPeople } from '../kit/output/destination.ts';
import { type TimeStyle, timePhrase, timesFor } from '../kit/output/times.ts';
import { invocation, type NextStep, type StepObject } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { auditAuthor } from '../session/identity.ts';
import { deliveryLateBy } from './delivery.ts';
import { chargesOf, costOf, type OrderCost, storeZone } from './order.ts';

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
  /** The name or the last characters of the API key that canceled it; null if it was not, or the caller may not know. */
  canceled_by: string | null;
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
  const [listed, cancellation, way, isSandbox, courier_place, failed_task, canceled_by] = await Promise.all([
    ifSupported(chargesOf(context, order_id === '' ? { delivery_id: delivery.id } : { order_id }), null),
    ifSupported(
      client.deliveries.cancellation({ params }).then(({ data }) => data),
      null,
    ),
    ifSupported(wayOf(context, delivery), noWay),
    ifSupported(isSimulated(context, delivery), false),
    courierPlaceOf(context, delivery),
    ifSupported(failedDispatchOf(context, delivery), null),
    cancelerOf(context, delivery),
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
    canceled_by,
    order_cost: cost !== null && cost.attempts.length > 1 ? cost : null,
    cancellation,
    courier_place,
    notes: delivery.details?.notes ?? [],
    failed_task,
    next: steps.map((step) => context.stepObject(step)),
  };
}

/** Who canceled a delivery, by the audit log, which only an admin key may read. */
async function cancelerOf(context: Context, { id, order_id, status }: Delivery): Promise<string | null> {
  if (status !== 'customer_canceled' || !context.has('keys')) return null;
  const { audit } = await context.client();
  const entries = async (record_id: string, operation: string) =>
    (await audit.list({ query: { record_id, operation, limit: 1 } })).data.data;
  try {
    const own = await entries(id, 'CancelDelivery');
    const [entry] = own.length > 0 || order_id === '' ? own : await entries(order_id, 'CancelOrder');
    return entry === undefined ? null : auditAuthor(entry);
  } catch (error) {
    if (error instanceof ApiError || error instanceof Unsupported) return null;
    throw error;
  }
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

/** How auto dispatch selected the provider of a delivery. */
export interface Choice {
  batch_id: string;
  /** The attempt that created this delivery. */
  try: Try;
  /** Earlier attempts, newest first; at most ten. */
  earlier: Try[];
}

const max_earlier = 10;

/** Finds the auto-dispatch attempt behind a delivery; null if a merchant selected the quote or retried it. */
async function choiceOf(context: Context, { id }: Delivery, order: Order): Promise<Choice | null> {
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

/** The next attempt of auto dispatch for an order. */
interface NextTry {
  order_id: string;
  at: string | null;
}

/** True while the order is pending in its batch, when it cannot be retried manually. */
async function nextTryOf(context: Context, { id, batch_id }: Order): Promise<NextTry | null> {
  if (batch_id === null) return null;
  const client = await context.client();
  const { data } = await client.batches.get({ params: { batch_id } });
  const entry = data.orders.find(({ order_id }) => order_id === id);
  return entry?.status === 'pending' ? { order_id: id, at: entry.next_attempt_at } : null;
}

/** A delivery can be disputed for this long after it was delivered. */
const disputable_ms = 30 * 86_400_000;

/** The facts besides the delivery that determine its next steps. */
export interface NextStepContext {
  /** Null if the service does not report the cost. */
  cancellation: Cancellation | null;
  /** The service's time in milliseconds since the epoch. */
  now: number;
  /** The user's time style. */
  times: TimeStyle;
  /** The IANA zone of times; null for the reader's own. */
  zone: string | null;
  /** True if the couriers are simulated and can be controlled here. */
  isSandbox: boolean;
  /** True if the service keeps an audit log. */
  isAudited?: boolean;
  /** The current delivery of its order; differs from this one after a retry. */
  latest: string | null;
  /** Background work of its dispatch that the service gave up. */
  failed_task?: FailedTask | null;
  /** Set while auto dispatch is still working on its order. */
  nextTry: NextTry | null;
}

/** Lists the commands that apply to a delivery now. */
export function nextSteps(delivery: AnyDelivery, situation: NextStepContext): NextStep[] {
  const { id, status } = delivery;
  const { failed_task: failed = null } = situation;
  return [
    ...(failed === null ? [] : [retryTaskStep(failed)]),
    ...stepsIf(status === 'request', step('initiate', id, 'have a courier come for it')),
    ...stepsIf(status !== 'request' && !isEnded(status), step('watch', id, 'follow it')),
    ...stepsIf(delivery.details?.pin_locked === true, step('unlock', id, 'let the driver try PINs again')),
    ...stepsIf(canEdit(delivery), {
      ...invocation('deliveries edit', [id], { dropoffNotes: 'NOTES' }),
      when: 'change notes, units, names or phones, before the pickup',
    }),
    ...stepsIf(isWithOwnDriver(delivery), ...driverSteps(id)),
    ...cancelSteps(id, situation),
    ...disputeSteps(delivery, situation),
    ...stepsIf(canRetry(delivery), retryStep(id, situation)),
    ...stepsIf((status === 'returned' || status === 'disputed') && delivery.order_id !== '', {
      ...invocation('deliveries create', [], { like: delivery.order_id, initiate: true }),
      when: 'send the same again, as a new delivery',
    }),
    ...stepsIf(status === 'customer_canceled' && situation.isAudited === true, {
      ...invocation('audit list', [], { record: id }),
      when: 'see whose API key canceled it',
    }),
    ...stepsIf(situation.isSandbox && canStep(delivery), ...sandboxSteps(delivery)),
  ];
}

function retryTaskStep({ id }: FailedTask): NextStep {
  return { ...invocation('admin failed', ['retry', id]), when: 'look again what became of its dispatch' };
}

function stepsIf(holds: boolean, ...steps: NextStep[]): NextStep[] {
  return holds ? steps : [];
}

function step(verb: string, id: string, reason: string): NextStep {
  return { ...invocation(`deliveries ${verb}`, [id]), when: reason };
}

/** True if a driver of the own fleet has the parcel. */
function isWithOwnDriver({ service, status }: Delivery): boolean {
  return service === fleet_provider && isPickedUp(status) && !isEnded(status);
}

function driverSteps(id: string): NextStep[] {
  const assign = invocation('deliveries assign', [id], { driver: 'DRIVER' });
  return [
    { ...assign, when: 'have another driver take it over' },
    step('report', id, 'report a status for its driver'),
  ];
}

function cancelSteps(id: string, { cancellation }: NextStepContext): NextStep[] {
  return cancellation?.cancelable ? [step('cancel', id, cancelText(cancellation))] : [];
}

/** True if its order can be retried. */
export function canRetry({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'failed' || isCanceled(status);
}

/** Only the latest attempt can be retried, and only if auto dispatch does not retry it itself. */
function retryStep(id: string, { latest, nextTry, now, times, zone }: NextStepContext): NextStep {
  if (latest !== null && latest !== id) return step('explain', latest, 'it was tried again as this delivery');
  if (nextTry === null) return step('retry', id, 'try the same order again, with fresh quotes');
  const at = nextTry.at === null ? '' : ` ${timePhrase(nextTry.at, { now, times, zone })}`;
  return {
    ...invocation('orders tries', [nextTry.order_id]),
    when: `auto dispatch tries it again by itself${at}`,
  };
}

/** True if a simulated courier can still report something. */
function canStep({ status }: Pick<Delivery, 'status'>): boolean {
  return status !== 'request' && !isEnded(status);
}

function canEdit({ status }: Delivery): boolean {
  return !isEnded(status) && !isPickedUp(status);
}

/** The cost of a cancellation: `cancel it for $2.99: you get $3.48 of $6.47 back`. */
function cancelText({ fee, fee_unknown = false, refund }: Cancellation): string {
  const known = fee === 0 ? 'cancel it for nothing' : `cancel it for ${dollars(fee)}`;
  const price = fee_unknown ? 'cancel it for a fee that the courier does not say' : known;
  return refund === 0 ? price : `${price}: ${backText(fee, refund)}`;
}

/** Returns when a delivered delivery can no longer be disputed, in milliseconds; null if its arrival is unknown. */
export function disputableUntil(delivery: Delivery): number | null {
  const until = Date.parse(arrivalOf(delivery) ?? '') + disputable_ms;
  return Number.isNaN(until) ? null : until;
}

function disputeSteps(delivery: AnyDelivery, { now, times, zone }: NextStepContext): NextStep[] {
  const { id, status } = delivery;
  if (status === 'disputed' && !delivery.details?.dispute?.outcome) {
    const command = invocation('disputes resolve', [id], { outcome: 'OUTCOME' });
    return [{ ...command, when: 'set how its dispute ended, with or without a refund' }];
  }
  const until = disputableUntil(delivery);
  if (status !== 'delivered' || until === null || until <= now) return [];
  const command = invocation('deliveries dispute', [delivery.id], { reason: 'REASON' });
  const end = timePhrase(new Date(until).toISOString(), { now, times, zone }, 'until');
  return [{ ...command, when: `say that it did not arrive as it should, ${end}` }];
}

/** The next status in an ordinary delivery. */
function sandboxSteps({ id, status }: Delivery): NextStep[] {
  const [next] = nextStatuses(status);
  if (next === undefined) return [];
  return [
    {
      ...invocation('sandbox step', [id, next]),
      when: 'have the simulated courier report that now',
    },
  ];
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
  at: string;
}

/**
 * The steps of a delivery in order, including driver statuses that a later one skipped, as providers need not report
 * every status. `now` is the service's time in milliseconds.
 */
export function timelineOf(delivery: Delivery, now: number): TimelineStep[] {
  const entries = entriesOf(delivery);
  return entries.flatMap((entry, index) => [
    ...passedOver(entries, index).map(skippedStep),
    {
      status: entry.status,
      at: entry.at,
      lasted_seconds: lasted(entry, entries[index + 1], now),
      skipped: false,
    },
  ]);
}

/** All statuses that the service reported. A new delivery has no history yet: it has been as it is since its creation. */
export function entriesOf({ status, created_at, status_history }: Delivery): Entry[] {
  if (status_history.length === 0) return [{ status, at: created_at }];
  return status_history.map((each) => ({ status: each.status, at: each.created_at }));
}

function skippedStep(status: DeliveryStatus): TimelineStep {
  return { status, at: null, lasted_seconds: null, skipped: true };
}

/** The driver statuses between this entry and the furthest earlier one that no entry reports. */
function passedOver(entries: readonly Entry[], index: number): DeliveryStatus[] {
  const before = entries.slice(0, index).map(({ status }) => place(status));
  const from = Math.max(-1, ...before);
  const to = place(entries[index]?.status ?? 'request');
  const came = new Set(entries.map(({ status }) => status));
  return drivenStatuses.filter((status, at) => at > from && at < to && !came.has(status));
}

const way: readonly DeliveryStatus[] = drivenStatuses;

/**
 * The position of a status in a driver's run; statuses that only follow a pickup come after those, and others are -1.
 */
function place(status: DeliveryStatus): number {
  if (status === 'delivered') return drivenStatuses.length;
  if (status === 'enroute_to_return') return drivenStatuses.indexOf('pickup_complete') + 1;
  return way.indexOf(status);
}

function lasted({ status, at }: Entry, next: Entry | undefined, now: number): number | null {
  if (next === undefined && isEnded(status)) return null;
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
  const { courier_location_lat: lat, courier_location_lng: lng, route_id, order_id, status } = delivery;
  if (typeof lat !== 'number' || typeof lng !== 'number' || !route_id) return null;
  const kind = isPickedUp(status) || isEnded(status) ? 'dropoff' : 'pickup';
  const client = await context.client();
  const route = await ifSupported(unlessMissing(client.routes.get({ params: { route_id } })), null);
  const stop = route?.data.stops.find((each) => each.kind === kind && each.order_ids.includes(order_id));
  if (stop === undefined) return null;
  const miles = Math.round(greatCircleMiles({ lat, lng }, stop) * 10) / 10;
  return { stop: kind, miles, is_rough: stop.precision === 'zip' };
}

/** `0.9 mi from the dropoff`; with the time of the position if the delivery has ended. */
export function courierPlaceText(
  { stop, miles, is_rough }: CourierPlace,
  delivery: Delivery,
  { time }: { time(iso: string): string },
): string {
  const far = `${is_rough ? 'about ' : ''}${miles} mi from the ${stop}`;
  const where = miles === 0 ? `${is_rough ? 'near' : 'at'} the ${stop}` : far;
  // A dispute says nothing about the position of the courier.
  const ended = delivery.status_history.findLast((each) => each.status !== 'disputed')?.created_at;
  return isEnded(delivery.status) && ended !== undefined ? `${where}, ${time(ended)}` : where;
}

/** The cost of a cancellation; unknown at a service that cancels deliveries but does not say what that costs. */
export async function cancellationTerms(context: Context, deliveryid: string): Promise<Cancellation> {
  const client = await context.client();
  const known = await ifSupported(client.deliveries.cancellation({ params: { deliveryid } }), null);
  return known === null ? unknownTerms(deliveryid) : known.data;
}

function unknownTerms(delivery_id: string): Cancellation {
  const reason = 'this service does not say what a cancellation costs';
  const terms = { cancelable: true, reason, fee: 0, fee_unknown: true, refund: 0 };
  return { object: 'cancellation', delivery_id, ...terms };
}

/**
 * Shows the cost of a cancellation and asks for confirmation. Fails with exit 6 if the courier does not allow it, or if
 * it costs more than `max_fee` cents.
 */
export async function agreeToTerms(
  context: Context,
  terms: Cancellation,
  { what, max_fee }: { what: string; max_fee: number | undefined },
): Promise<void> {
  const { idempotencyKey, dryRun } = context.globals;
  // A repeated command finds it canceled: the service recognizes the key and repeats its first response, or refuses the
  // request itself.
  if (!terms.cancelable && idempotencyKey !== undefined && !dryRun) return;
  checkTerms(terms, max_fee);
  if (!dryRun) await context.confirm(`Cancel ${what}? ${priceText(terms)}`);
}

/** Fails with exit 6 if the courier does not allow a cancellation, or if it costs more than the limit, in cents. */
function checkTerms(terms: Cancellation, max_fee: number | undefined): void {
  const { delivery_id, cancelable, fee, fee_unknown = false } = terms;
  if (!cancelable) throw notCancelable(terms);
  if (max_fee === undefined || (fee <= max_fee && !fee_unknown)) return;
  const message = fee_unknown
    ? `The courier does not say what canceling ${delivery_id} costs; it may be more than --max-fee ${dollars(max_fee)}.`
    : `Canceling ${delivery_id} costs ${dollars(fee)}, more than --max-fee ${dollars(max_fee)}.`;
  throw new Failure(6, 'above_max_fee', message, { hint: 'Nothing was changed.' });
}

/** Exit 6: the courier does not allow a cancellation, or the delivery has ended. */
export function notCancelable({ delivery_id, reason }: Cancellation, details: FailureDetails = {}): Failure {
  const why = reason === '' ? '' : `: ${reason}`;
  const next = [{ ...invocation('deliveries explain', [delivery_id]), when: 'see its status' }];
  return new Failure(6, 'delivery_not_cancelable', `${delivery_id} cannot be canceled${why}.`, {
    next,
    ...details,
  });
}

function priceText({ fee, fee_unknown = false, refund, reason }: Cancellation): string {
  if (fee_unknown && reason !== '') return `The fee is not known: ${reason}.`;
  const back = refund === 0 ? '' : `: ${backText(fee, refund)}`;
  if (!fee_unknown) return `Canceling ${fee === 0 ? 'is free' : `costs ${dollars(fee)}`}${back}.`;
  const less = back === '' ? '' : `${back}, less that fee`;
  return `The courier may charge a fee, and does not say how much${less}.`;
}

/** The refund less the fee, as text: `you get $3.48 of $6.47 back`. `paid` is refunded before the fee is taken. */
export function backText(fee: number, paid: number): string {
  if (fee === 0) return `you get ${dollars(paid)} back`;
  return fee < paid
    ? `you get ${dollars(paid - fee)} of ${dollars(paid)} back`
    : `you get nothing of ${dollars(paid)} back`;
}

/** The refund and the courier's fee of a canceled delivery: from its charges, or from the quoted fee if they cannot be read. */
export async function canceledText(
  context: Context,
  { id, refunded_amount: refunded }: Delivery,
  terms: Pick<Cancellation, 'fee' | 'fee_unknown'>,
): Promise<string> {
  const client = await context.client();
  const query = { delivery_id: id, kind: 'cancellation' } as const;
  // It is canceled, also if that cannot be read.
  const charges = await client.charges.list({ query }).catch(() => null);
  const fee = charges?.data.data.reduce((sum, { amount }) => sum + amount, 0) ?? terms.fee;
  const parts = [
    ...(refunded === 0 || Number.isNaN(refunded) ? [] : [`${dollars(refunded)} refunded`]),
    ...(fee === 0 ? [] : [`cancellation fee ${dollars(fee)}`]),
  ];
  const isOpen = fee === 0 && terms.fee_unknown === true;
  return [
    `${id} is canceled${parts.length === 0 ? '' : `: ${parts.join(', ')}`}.`,
    ...(isOpen ? ['The courier may still charge a cancellation fee.'] : []),
  ].join(' ');
}
