/** The enumerations of the API, without the schema library. */

export const itemSizes = ['small', 'medium', 'large', 'extra_large'] as const;
export const vehicleTypes = ['car', 'suv', 'pickup_truck', 'cargo_van', 'box_truck'] as const;
/** The name of the provider for a merchant's own drivers. */
export const fleet_provider = 'fleet';
/** The vehicles of own drivers. */
export const driverVehicles = ['bicycle', 'scooter', ...vehicleTypes] as const;
/** The kinds of stops of an own driver. */
export const stopKinds = ['pickup', 'dropoff', 'return'] as const;
/** How precise coordinates are: given with the order, of the house, of the street, or of the centre of the ZIP code. */
export const precisions = ['exact', 'house', 'street', 'zip'] as const;
export type Precision = (typeof precisions)[number];
/** The precisions that are too coarse for a minute. */
export const coarsePrecisions = ['zip', 'street'] as const;
export type CoarsePrecision = (typeof coarsePrecisions)[number];
/** How a courier handles a parcel that cannot be delivered. */
export const undeliverableActions = ['return', 'leave_at_door', 'discard'] as const;
export type UndeliverableAction = (typeof undeliverableActions)[number];

/** The kinds of stores; tracking pages use the words of the kind. */
export const storeKinds = ['shop', 'food'] as const;
export type StoreKind = (typeof storeKinds)[number];
export const orderStatuses = ['open', 'routed', 'dispatched', 'unfulfilled', 'failed', 'canceled'] as const;
export const routeStatuses = ['draft', 'dispatched', 'completed', 'canceled'] as const;
export const permissions = ['read', 'write', 'admin'] as const;
export const chargeKinds = ['delivery', 'tip', 'return', 'refund', 'cancellation', 'adjustment'] as const;
/** Who changes something: an API key, or a person or program without one. */
export const auditActors = ['key', 'driver', 'recipient', 'courier', 'operator'] as const;
/** The audit's name of a courier's report that changes a delivery or its cost. */
export const courier_report = 'ReceiveCourierReport';
/** The names in the audit of changes that an operator makes on the machine of the database. */
export const operatorActions = [
  'CreateAccount',
  'RenameAccount',
  'SuspendAccount',
  'ResumeAccount',
  'DeleteAccount',
  'CreateAccountKey',
  'ErasePersonalData',
  'DeleteOldData',
] as const;
/** Why a delivery failed or is being returned. */
export const failureReasons = [
  'no_provider_available',
  'payment_declined',
  'provider_refused',
  'provider_unreachable',
  'provider_not_connected',
  'courier_failed',
  'recipient_unreachable',
  'recipient_refused',
  'wrong_address',
  'age_check_failed',
  'handover_failed',
  'return_not_completed',
] as const;
/** Why a driver could not hand a parcel over. */
export const handoverFailures = [
  'recipient_unreachable',
  'recipient_refused',
  'wrong_address',
  'age_check_failed',
  'handover_failed',
] as const satisfies readonly (typeof failureReasons)[number][];
/** A note with this tag says that nothing more is to be done about a failed delivery. */
export const closed_tag = 'closed';

/** The tag of the note about a handover without a proof that its order asks for: a person's later note answers it. */
export const unverified_tag = 'unverified';

/** What takes the place of a driver's id where nobody has a delivery. */
export const nobody = 'none';
/** The statuses that a dispatcher can report for an own driver. */
export const reportableStatuses = [
  'enroute_pickup',
  'arrived_at_pickup',
  'pickup_complete',
  'enroute_dropoff',
  'arrived_at_dropoff',
  'delivered',
  'enroute_to_return',
  'returned',
  'failed',
] as const;
/** The buttons of the driver's page. */
export const tapKinds = [
  'duty',
  'accept',
  'decline',
  'start_pickup',
  'arrive_pickup',
  'pick_up',
  'start_dropoff',
  'arrive_dropoff',
  'deliver',
  'fail',
  'return',
] as const;
export const disputeStatuses = ['open', 'resolved'] as const;
export const disputeOutcomes = ['refunded', 'rejected', 'redelivered'] as const;
export const proofTypes = ['photo', 'signature', 'pin'] as const;
export const quotePreferences = ['cheapest', 'fastest'] as const;
/** How auto dispatch selects a quote; `preferred` takes the first of the listed providers. */
export const autoPreferences = [...quotePreferences, 'preferred'] as const;
export const mechanisms = ['manual', 'auto'] as const;
export const batchStatuses = ['processing', 'complete'] as const;
/** The outcome of an order in its batch: `pending`, then exactly one of the others. */
export const outcomes = ['pending', 'dispatched', 'unfulfilled', 'failed', 'canceled'] as const;
export const tryStatuses = [
  'quoting',
  'asking',
  'dispatched',
  'no_quotes',
  'refused',
  'declined',
  'canceled',
] as const;
export const clockModes = ['real', 'scaled', 'manual'] as const;
export const providerStates = ['up', 'down', 'slow', 'no_capacity'] as const;

/** The notices to recipients. */
export const noticeKinds = ['dispatched', 'close_by', 'delivered', 'failed'] as const;
/** The event types that `*` subscribes to, in the order in which they occur. */
export const ordinaryEventTypes = [
  'route_quotes.completed',
  'order.dispatched',
  'order.unfulfilled',
  'order.failed',
  'order.canceled',
  'batch.completed',
  'delivery.created',
  'delivery.updated',
  'notice.simulated',
] as const;
/** The event types that must be subscribed to by name. A test event goes only to the tested endpoint. */
export const namedEventTypes = ['delivery.location_updated'] as const;
export const eventTypes = [...ordinaryEventTypes, ...namedEventTypes, 'webhook.test'] as const;
/** The event types that an endpoint can subscribe to. */
export const subscribableTypes = ['*', ...ordinaryEventTypes, ...namedEventTypes] as const;
/** Whether a courier is connected, and asked for quotes. */
export const courierStates = ['not_connected', 'enabled', 'disabled'] as const;
export const endpointStatuses = ['enabled', 'disabled'] as const;
/** The state of an event for one endpoint. */
const messageStatuses = ['pending', 'delivered', 'exhausted'] as const;
export const attemptStatuses = ['succeeded', 'failed'] as const;

export type Mechanism = (typeof mechanisms)[number];
export type ItemSize = (typeof itemSizes)[number];
export type VehicleType = (typeof vehicleTypes)[number];
export type StopKind = (typeof stopKinds)[number];
export type DriverVehicle = (typeof driverVehicles)[number];
export type OrderStatus = (typeof orderStatuses)[number];
export type RouteStatus = (typeof routeStatuses)[number];
export type Permission = (typeof permissions)[number];
export type ChargeKind = (typeof chargeKinds)[number];
export type FailureReason = (typeof failureReasons)[number];
export type TapKind = (typeof tapKinds)[number];
export type DisputeStatus = (typeof disputeStatuses)[number];
export type DisputeOutcome = (typeof disputeOutcomes)[number];
export type ProofType = (typeof proofTypes)[number];
export type EventType = (typeof eventTypes)[number];
export type SubscribableType = (typeof subscribableTypes)[number];
export type EndpointStatus = (typeof endpointStatuses)[number];
export type MessageStatus = (typeof messageStatuses)[number];
export type AttemptStatus = (typeof attemptStatuses)[number];
export type AutoPreference = (typeof autoPreferences)[number];
export type BatchStatus = (typeof batchStatuses)[number];
export type Outcome = (typeof outcomes)[number];
export type TryStatus = (typeof tryStatuses)[number];
export type ClockMode = (typeof clockModes)[number];
export type ProviderState = (typeof providerStates)[number];

export const statusGroups = {
  initial: ['request', 'delivery_created', 'scheduled'],
  in_transit: [
    'driver_assigned',
    'enroute_pickup',
    'arrived_at_pickup',
    'pickup_complete',
    'enroute_dropoff',
    'arrived_at_dropoff',
    'dropoff_complete',
    'driver_not_assigned',
  ],
  fulfilled: ['delivered', 'disputed'],
  canceled: ['provider_canceled', 'customer_canceled', 'burq_canceled'],
  failed: ['failed', 'enroute_to_return', 'returned'],
} as const;

export type StatusGroup = keyof typeof statusGroups;
export type DeliveryStatus = (typeof statusGroups)[StatusGroup][number];

export const deliveryStatuses: readonly DeliveryStatus[] = Object.values(statusGroups).flat();
const groupNames = ['initial', 'in_transit', 'fulfilled', 'canceled', 'failed'] as const;
/** The names by which deliveries are filtered: groups and statuses. `failed` is the group. */
export const deliveryStatusNames = [
  ...groupNames,
  ...deliveryStatuses.filter((status) => status !== 'failed'),
];

/** The statuses of those names; a group stands for all of its statuses. */
export function expandStatusNames(names: readonly string[]): DeliveryStatus[] {
  return names.flatMap((name) => {
    const group = groupNames.find((each) => each === name);
    return group === undefined ? deliveryStatuses.filter((status) => status === name) : statusGroups[group];
  });
}

/** The statuses and groups of deliveries under way: dispatched, and not ended. */
export const activeStatuses = ['delivery_created', 'scheduled', 'in_transit', 'enroute_to_return'] as const;

/** The statuses of dispatched deliveries before the pickup: more than the group `initial`, as a driver may be coming. */
export const beforePickupStatuses = [
  'delivery_created',
  'scheduled',
  'driver_assigned',
  'enroute_pickup',
  'arrived_at_pickup',
  'driver_not_assigned',
] as const;

/** True if a filter by these names finds a status. One that is not known, of another service, is active. */
export function isStatusNamed(status: string, names: readonly string[]): boolean {
  if (names.includes(status) || expandStatusNames(names).some((each) => each === status)) return true;
  const isKnown = [...deliveryStatuses, ...groupNames].some((each) => each === status);
  return !isKnown && activeStatuses.every((name) => names.includes(name));
}

/** The fields by which a report can be divided. */
export const reportGroups = [
  ...(['courier', 'status', 'store', 'driver', 'customer', 'address', 'zip'] as const),
  ...(['reason', 'day', 'weekday', 'hour'] as const),
] as const;
/** The days of a week as a report names them. */
export const weekdayNames = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

export type ReportGroup = (typeof reportGroups)[number];

/** The longest period of a report, in days. */
export const max_report_days = 366;
export const max_reason_messages = 4;

export const max_route_orders = 25;

/** The most orders that one request creates. */
export const max_request_orders = 300;

/** The longest notes of a pickup, a dropoff or a store, in characters. */
export const max_notes = 500;
