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
 * delivered, but on its way back only provider and operator may. What is delivered can be disputed. Nothing else ever leaves `delivered`, and
 * nothing at all the other ends.
 */
import type { DeliveryStatus } from '../contract/vocabulary.ts';

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

export type DrivenStatus = (typeof drivenStatuses)[number];

const canceledStatuses = ['provider_canceled', 'customer_canceled', 'burq_canceled'] as const;

const way: readonly DeliveryStatus[] = drivenStatuses;
const toEnd = ['failed', ...canceledStatuses] as const;
const pickup = way.indexOf('pickup_complete');

/** The allowed transitions of each status. */
const table: Readonly<Record<DeliveryStatus, readonly DeliveryStatus[]>> = {
  request: ['delivery_created', 'scheduled', ...toEnd],
  delivery_created: [...drivenStatuses, 'delivered', ...toEnd],
  scheduled: [...drivenStatuses, 'delivered', ...toEnd],
  driver_assigned: driven('driver_assigned'),
  enroute_pickup: driven('enroute_pickup'),
  arrived_at_pickup: driven('arrived_at_pickup'),
  pickup_complete: driven('pickup_complete'),
  enroute_dropoff: driven('enroute_dropoff'),
  arrived_at_dropoff: driven('arrived_at_dropoff'),
  dropoff_complete: driven('dropoff_complete'),
  driver_not_assigned: [...drivenStatuses, 'delivered', ...toEnd],
  enroute_to_return: ['returned', 'failed', 'provider_canceled', 'burq_canceled'],
  delivered: ['disputed'],
  disputed: [],
  failed: [],
  returned: [],
  provider_canceled: [],
  customer_canceled: [],
  burq_canceled: [],
};

function driven(status: DrivenStatus): DeliveryStatus[] {
  const later = drivenStatuses.slice(drivenStatuses.indexOf(status) + 1);
  const sentBack: DeliveryStatus[] = isPickedUp(status) ? ['enroute_to_return'] : [];
  return [...later, 'delivered', 'driver_not_assigned', ...sentBack, ...toEnd];
}

const everyNextStatus = [...new Set(Object.values(table).flat())];

/** The statuses that may follow a status. */
export function nextStatuses(status: DeliveryStatus): readonly DeliveryStatus[] {
  // A newer service may report an unknown status; any status may follow it.
  return Object.hasOwn(table, status) ? table[status] : everyNextStatus;
}

export function canMove(from: DeliveryStatus, to: DeliveryStatus): boolean {
  return nextStatuses(from).includes(to);
}

/** Whether a delivery has ended; a delivered one can still be disputed. */
export function isEnded(status: DeliveryStatus): boolean {
  return status === 'delivered' || nextStatuses(status).length === 0;
}

export function isCanceled(status: DeliveryStatus): boolean {
  return canceledStatuses.some((canceled) => canceled === status);
}

/** Whether the courier has picked up the parcel. */
export function isPickedUp(status: DeliveryStatus): boolean {
  return (
    way.indexOf(status) >= pickup ||
    ['enroute_to_return', 'returned', 'delivered', 'disputed'].includes(status)
  );
}

/** Whether a delivery in `status` has reached `wanted` or a later status: couriers skip statuses. */
export function hasReached(status: DeliveryStatus, wanted: DeliveryStatus): boolean {
  return status === wanted || (place(wanted) >= 0 && place(status) > place(wanted));
}

function place(status: DeliveryStatus): number {
  const order: readonly DeliveryStatus[] = [
    'request',
    'scheduled',
    'delivery_created',
    ...drivenStatuses,
    'delivered',
    'disputed',
  ];
  return order.indexOf(status);
}
