/**
 * The statuses of a delivery and their transitions.
 *
 * A delivery that is only stored is in `request`. Initiated or dispatched, it is `delivery_created`, or `scheduled`
 * where a time was agreed on; without a payment or a courier it has `failed`. From then on the provider reports:
 * a driver is assigned, goes to the pickup, arrives, takes the parcel up, goes to the dropoff, arrives, hands it
 * over, and it is `delivered`. Providers need not report every status, so any later one may come next. Until it
 * is delivered the driver may be taken away (`driver_not_assigned`) and another assigned; a parcel that was picked up
 * by then waits at the pickup place again for the next driver. From the pickup on a handover that cannot be made sends
 * the parcel back: `enroute_to_return`, then `returned`. Merchant, provider and operator may cancel until it is
 * delivered, but on its way back only provider and operator may. What is delivered can be disputed. Nothing else ever
 * leaves `delivered`, and nothing at all the other ends.
 */
import type { DeliveryStatus, FailureReason, fleet_provider } from '../contract/vocabulary.ts';
import { day_ms } from './durations.ts';

/** The statuses of a courier's drive, in order. */
export const drivenStatuses = [
  'driver_assigned',
  'enroute_pickup',
  'arrived_at_pickup',
  'pickup_complete',
  'enroute_dropoff',
  'arrived_at_dropoff',
  'dropoff_complete',
] as const satisfies readonly DeliveryStatus[];

type DrivenStatus = (typeof drivenStatuses)[number];

/** The statuses of a delivery that goes as planned, in order. */
const progress: readonly DeliveryStatus[] = [
  'request',
  'scheduled',
  'delivery_created',
  ...drivenStatuses,
  'delivered',
  'disputed',
];

/** The statuses of a delivery that its recipient has. */
export const arrivedStatuses = ['delivered', 'disputed'] as const satisfies readonly DeliveryStatus[];

/** The statuses after the pickup. */
export const pickedUpStatuses: readonly DeliveryStatus[] = [
  ...progress.slice(progress.indexOf('pickup_complete')),
  'enroute_to_return',
  'returned',
];

export const canceledStatuses = ['provider_canceled', 'customer_canceled', 'burq_canceled'] as const;

const endings = ['failed', ...canceledStatuses] as const;

const transitions: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  request: ['delivery_created', 'scheduled', ...endings],
  delivery_created: [...drivenStatuses, 'delivered', ...endings],
  scheduled: [...drivenStatuses, 'delivered', ...endings],
  driver_assigned: afterDriven('driver_assigned'),
  enroute_pickup: afterDriven('enroute_pickup'),
  arrived_at_pickup: afterDriven('arrived_at_pickup'),
  pickup_complete: afterDriven('pickup_complete'),
  enroute_dropoff: afterDriven('enroute_dropoff'),
  arrived_at_dropoff: afterDriven('arrived_at_dropoff'),
  dropoff_complete: afterDriven('dropoff_complete'),
  driver_not_assigned: [...drivenStatuses, 'delivered', ...endings],
  enroute_to_return: ['returned', 'failed', 'provider_canceled', 'burq_canceled'],
  delivered: ['disputed'],
  disputed: [],
  failed: [],
  returned: [],
  provider_canceled: [],
  customer_canceled: [],
  burq_canceled: [],
};

function afterDriven(status: DrivenStatus): DeliveryStatus[] {
  const later = drivenStatuses.slice(drivenStatuses.indexOf(status) + 1);
  const sentBack: DeliveryStatus[] = isPickedUp(status) ? ['enroute_to_return'] : [];
  return [...later, 'delivered', 'driver_not_assigned', ...sentBack, ...endings];
}

const everyNextStatus = [...new Set(Object.values(transitions).flat())];

/** The statuses that may follow a status. */
export function nextStatuses(status: DeliveryStatus): readonly DeliveryStatus[] {
  // A newer service may report an unknown status; any status may follow it.
  return Object.hasOwn(transitions, status) ? transitions[status] : everyNextStatus;
}

export function canMove(from: DeliveryStatus, to: DeliveryStatus): boolean {
  return nextStatuses(from).includes(to);
}

/** Whether a delivery has ended; a delivered one can still be disputed. */
export function isEnded(status: DeliveryStatus): boolean {
  return status === 'delivered' || nextStatuses(status).length === 0;
}

/** How a route with deliveries of these statuses has ended; null while one of them is under way. */
export function endOfRoute(statuses: readonly DeliveryStatus[]): 'completed' | 'canceled' | null {
  if (!statuses.every(isEnded)) return null;
  return statuses.every(isCanceled) ? 'canceled' : 'completed';
}

export function isCanceled(status: DeliveryStatus): boolean {
  return canceledStatuses.some((canceled) => canceled === status);
}

/** Whether a delivery has ended, and its recipient has got nothing: its order can be sent again. */
export function hasEndedBadly(status: DeliveryStatus): boolean {
  return status === 'failed' || isCanceled(status);
}

/** Whether a delivery ended through its courier: a retry asks another one first. */
export function isFailureOfCourier({
  status,
  failure_reason,
}: {
  status: DeliveryStatus;
  failure_reason: string | null;
}): boolean {
  return status === 'provider_canceled' || (status === 'failed' && failure_reason !== 'payment_declined');
}

export function isPickedUp(status: DeliveryStatus): boolean {
  return pickedUpStatuses.includes(status);
}

/** Whether a delivery in `status` has reached `wanted` or a later status: couriers skip statuses. */
export function hasReached(status: DeliveryStatus, wanted: DeliveryStatus): boolean {
  const place = progress.indexOf(wanted);
  return place < 0 ? status === wanted : progress.indexOf(status) >= place;
}

/** True if `hasReached` counts no other status as later than this one: `returned`, `failed`; not `enroute_dropoff`. */
export function isOffPath(status: DeliveryStatus): boolean {
  return !hasReached('disputed', status);
}

/** The state of a delivery that a report is compared to. Times in milliseconds. */
export interface Reported {
  status: DeliveryStatus;
  /** When the latest report that changed the status occurred; 0 before the first. */
  reported_at: number;
}

/**
 * The effect of a provider's report on the status: it changes the status, or has no effect because it repeats the
 * status, is older than the last report, or is not a legal transition.
 */
export type Effect = 'moved' | 'repeated' | 'older' | 'not_a_step' | 'none';

export function effectOf(
  report: { status: DeliveryStatus | null; occurred_at: number },
  known: Reported,
): Effect {
  if (report.status === null) return 'none';
  if (report.status === known.status) return 'repeated';
  if (report.occurred_at < known.reported_at) return 'older';
  return canMove(known.status, report.status) ? 'moved' : 'not_a_step';
}

/** The statuses that every delivery passes on its way, whether or not its courier reports them. */
const milestones = ['driver_assigned', 'pickup_complete'] as const satisfies readonly DeliveryStatus[];

/**
 * The statuses that a delivery must have passed to get from one to another, of those that its courier did not report:
 * a driver was assigned and has picked up, and what was returned was on its way back. Arrivals are not assumed.
 */
export function skippedStatuses(from: DeliveryStatus, to: DeliveryStatus): DeliveryStatus[] {
  const isBack = to === 'enroute_to_return' || to === 'returned';
  if (isEnded(from) || (!isBack && to !== 'delivered' && !isDriven(to))) return [];
  const passed = milestones.filter(
    (status) => !hasReached(from, status) && from !== 'enroute_to_return' && (isBack || isBefore(status, to)),
  );
  return to === 'returned' && from !== 'enroute_to_return' ? [...passed, 'enroute_to_return'] : passed;
}

function isBefore(status: DeliveryStatus, to: DeliveryStatus): boolean {
  return status !== to && hasReached(to, status);
}

/** True from the assignment of a driver until the delivery ends. */
export function isDriven(status: DeliveryStatus): boolean {
  return drivenStatuses.some((driven) => driven === status);
}

/**
 * The time of a courier's report, for its order among the others. Couriers report late and by clocks of their own: a
 * status further along the way, or an end, counts however old its time is; a step back only with a later time.
 */
export function orderedTime(
  report: { status: DeliveryStatus | null; occurred_at: number },
  { status, reported_at }: Reported,
): number {
  const { status: to, occurred_at } = report;
  if (to === null) return occurred_at;
  const isAlong = isDriven(status) && hasReached(to, status);
  const isEnd = isEnded(to) || (isPickedUp(status) && to === 'enroute_to_return');
  return isAlong || isEnd ? Math.max(occurred_at, reported_at) : occurred_at;
}

/** Why a delivery failed or is being returned: a code for programs and a message for people. */
export interface Failure {
  failure_reason: FailureReason;
  failure_message: string;
}

/** The default message of each code. */
export const failureMessages: Readonly<Record<FailureReason, string>> = {
  no_provider_available: 'no provider offers a quote',
  payment_declined: 'the payment was declined',
  provider_refused: 'the provider declined it',
  provider_unreachable: 'the provider did not respond',
  provider_not_connected: 'the provider is no longer connected',
  courier_failed: 'the courier could not finish the delivery',
  recipient_unreachable: 'the recipient could not be reached at the dropoff',
  recipient_refused: 'the recipient refused the parcel',
  wrong_address: 'the recipient is unknown at the address',
  age_check_failed: 'the recipient did not pass the age check',
  handover_failed: 'the parcel could not be handed over',
  return_not_completed: 'the parcel was not returned within 24 hours',
};

/** A failure with the message of its reporter, or the default message. */
export function deliveryFailure(code: FailureReason, message = failureMessages[code]): Failure {
  return { failure_reason: code, failure_message: message };
}

/** How long after its handover a delivery can be disputed. */
export const disputable_ms = 30 * day_ms;

/** Whether contact data and notes can still be changed: before the pickup, for own drivers until the handover. */
export function isEditable({ status, service }: { status: DeliveryStatus; service: string | null }): boolean {
  if (isEnded(status) || status === 'enroute_to_return') return false;
  const own: typeof fleet_provider = 'fleet';
  return !isPickedUp(status) || service === own;
}
