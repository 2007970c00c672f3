/**
 * The records and the calls of the interface, written by `node src/build/library-api.ts` from the contract.
 */
import type { Answer, CallOptions, List } from './calls.ts';

export interface AcceptedBatch {
  /** The type of the record */
  object: 'batch';
  /** Id that starts with bat_ */
  batch_id: string;
  /** The status of the record */
  status: 'processing' | 'complete';
  /** The number of orders of the batch */
  order_count: number;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
}

export interface Account {
  /** The type of the record */
  object: 'account';
  /** Id that starts with acct_ */
  account_id: string;
  /** The name of the account */
  name: string;
  /** Mode of the API key */
  test_mode: boolean;
  /** The actions that the key allows */
  permission: 'read' | 'write' | 'admin';
  /** Whether the service simulates couriers for test keys */
  sandbox: boolean;
  /** Base URL of tracking links */
  public_url: string | null;
  /** What is added to the price in the recipient's view; null where there is none */
  upsell: {
    /** Whether `value` is an amount in cents or a share in percent */
    kind: 'fixed';
    /** Cents */
    value: number;
  } | {
    /** Whether `value` is an amount in cents or a share in percent */
    kind: 'percent';
    /** Percent of `payment_amount`, 0 to 100 */
    value: number;
  } | null;
  /** The part of the price that the merchant pays for the recipient, or null */
  subsidy: {
    /** Whether `value` is an amount in cents or a share in percent */
    kind: 'fixed';
    /** Cents */
    value: number;
  } | {
    /** Whether `value` is an amount in cents or a share in percent */
    kind: 'percent';
    /** Percent of `payment_amount`, 0 to 100 */
    value: number;
  } | null;
  /** Simulates payments of test mode: a declining payment method makes deliveries fail, like a declined card. Live keys cannot set it: couriers bill you directly */
  payment_method: {
    /** Whether simulated payments succeed */
    status: 'active' | 'declining';
  };
  /** In cents; null: the larger of 10000 and the order's value */
  tip_limit: number | null;
  fleet: FleetSettings;
  /** The notices to recipients by e-mail; null while they are off */
  notices: NoticeSettings | null;
  /** The names of the providers; empty where none is available */
  providers: Array<string>;
}

export interface ApiKey {
  /** Id that starts with key_ */
  id: string;
  /** The type of the record */
  object: 'api_key';
  /** The name of the key, to tell keys apart */
  name: string;
  /** The actions that the key allows */
  permission: 'read' | 'write' | 'admin';
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** The last four characters of the key */
  last_four: string;
  /** When the record was created */
  created_at: string;
  /** When the key was revoked; null while it is valid */
  revoked_at: string | null;
  /** When the key stops working; null if it does not expire */
  expires_at: string | null;
  /** When the key was last used, in real time and to the minute; null if it was never used */
  last_used_at: string | null;
}

export interface AuditEntry {
  /** Id that starts with aud_ */
  id: string;
  /** The type of the record */
  object: 'audit_entry';
  /** The operation of the request, such as CancelDelivery; ReceiveCourierReport for a report of a courier, and for the operator such as SuspendAccount */
  operation: string;
  /** The record that was changed or created: its ID, or the name of a courier; null for an operation on none, or on several */
  record_id: string | null;
  /** What a driver tapped, `pin_locked` for the wrong PIN that locked a handover, or the status that a courier reported */
  detail: string | null;
  /** Who changed it: an API key, a driver on their page, the recipient on the tracking page, a courier, or the operator on the machine of the database */
  actor: 'key' | 'driver' | 'recipient' | 'courier' | 'operator';
  /** Name of the driver, null once removed from the fleet; name of the courier; login of the operator on the machine */
  actor_name: string | null;
  /** Id that starts with key_ */
  key_id: string | null;
  /** The last four characters of the key */
  key_last_four: string | null;
  /** Id that starts with drv_ */
  driver_id: string | null;
  /** IP address of the caller, of IPv6 its network; null for a command of the embedded service, a report that the service asked for, and the operator */
  address: string | null;
  /** The request of an API key, as in the log of the service */
  request_id: string | null;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the request arrived, in real time */
  created_at: string;
}

export interface Batch {
  /** The type of the record */
  object: 'batch';
  /** Id that starts with bat_ */
  batch_id: string;
  /** The status of the record */
  status: 'processing' | 'complete';
  /** The number of orders of the batch */
  order_count: number;
  /** How many orders are in each state; they add up to `order_count` */
  counts: {
    /** Orders without an outcome yet */
    pending: number;
    /** Orders that a courier company took */
    dispatched: number;
    /** Orders that no courier company took in their time */
    unfulfilled: number;
    /** Orders whose last dispatch was refused or declined */
    failed: number;
    /** Orders that were canceled before they were dispatched */
    canceled: number;
  };
  /** The settings of auto dispatch, with defaults filled in */
  settings: {
    /** Whether the client dispatches step by step, or the service automatically */
    mechanism: 'auto';
    /** How a quote is chosen */
    quote_preference: 'cheapest' | 'fastest' | 'preferred';
    /** Null: all providers available to the account */
    providers: Array<string> | null;
    /** In cents; null: no limit */
    max_cost: number | null;
    /** Seconds */
    retry_window: number;
    /** Seconds */
    retry_interval: number;
  };
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** When the last order reached its outcome; null until then */
  completed_at: string | null;
  /** A line for each order of the batch */
  orders: Array<BatchOrder>;
}

/** No order of a batch is pending anymore */
export interface BatchCompletedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'batch.completed';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: BatchSummary & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

export interface BatchOrder {
  /** Id that starts with ord_ */
  order_id: string;
  /** The merchant's own reference of the order */
  external_order_ref: string;
  /** Outcome in this batch; later changes of the delivery do not affect it */
  status: 'pending' | 'dispatched' | 'unfulfilled' | 'failed' | 'canceled';
  /** Number of attempts started */
  attempts: number;
  /** When the next attempt starts; null if none is scheduled */
  next_attempt_at: string | null;
  /** The delivery, or null */
  delivery_id: string | null;
  /** Why the order is not dispatched, or not yet; otherwise empty */
  reason: string;
}

export interface BatchSummary {
  /** The type of the record */
  object: 'batch';
  /** Id that starts with bat_ */
  batch_id: string;
  /** The status of the record */
  status: 'processing' | 'complete';
  /** The number of orders of the batch */
  order_count: number;
  /** How many orders are in each state; they add up to `order_count` */
  counts: {
    /** Orders without an outcome yet */
    pending: number;
    /** Orders that a courier company took */
    dispatched: number;
    /** Orders that no courier company took in their time */
    unfulfilled: number;
    /** Orders whose last dispatch was refused or declined */
    failed: number;
    /** Orders that were canceled before they were dispatched */
    canceled: number;
  };
  /** The settings of auto dispatch, with defaults filled in */
  settings: {
    /** Whether the client dispatches step by step, or the service automatically */
    mechanism: 'auto';
    /** How a quote is chosen */
    quote_preference: 'cheapest' | 'fastest' | 'preferred';
    /** Null: all providers available to the account */
    providers: Array<string> | null;
    /** In cents; null: no limit */
    max_cost: number | null;
    /** Seconds */
    retry_window: number;
    /** Seconds */
    retry_interval: number;
  };
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** When the last order reached its outcome; null until then */
  completed_at: string | null;
}

export interface Cancellation {
  /** The type of the record */
  object: 'cancellation';
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** Whether the delivery can be canceled now */
  cancelable: boolean;
  /** Why the delivery cannot be canceled; empty if it can */
  reason: string;
  /** Cancellation fee, in cents */
  fee: number;
  /** Whether the courier charges what it does not say before: `fee` is then 0 */
  fee_unknown?: boolean | undefined;
  /** Amount refunded, in cents; the fee is charged separately */
  refund: number;
}

export interface Charge {
  /** Id that starts with chg_ */
  id: string;
  /** The type of the record */
  object: 'charge';
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** The kind of the charge */
  kind: 'delivery' | 'tip' | 'return' | 'refund' | 'cancellation' | 'adjustment';
  /** Of an `adjustment`, why the courier's amount differs from what was charged; null for other kinds */
  reason: string | null;
  /** In cents; refunds are negative, adjustments have either sign */
  amount: number;
  /** The currency of all amounts, ISO 4217 */
  currency: 'USD';
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
}

export interface Clock {
  /** The type of the record */
  object: 'clock';
  /** How service time passes */
  mode: 'real' | 'scaled' | 'manual';
  /** Seconds of service time per second: 1 in real mode, 0 in manual mode */
  rate: number;
  /** The time in test mode */
  now: string;
  /** When the next scheduled work is due; null without scheduled work */
  next_due_at: string | null;
}

export interface ClockAdvance {
  /** The type of the record */
  object: 'clock_advance';
  /** The time in test mode */
  now: string;
  /** Number of due tasks that ran */
  steps: number;
  /** The events that happened while the clock was moved */
  events: Array<ClockEvent>;
  /** True if the advance stopped early, at the maximum number of steps per call */
  more: boolean;
}

export interface ClockEvent {
  /** The id of the record */
  id: string;
  /** The type of the event */
  type: string;
  /** The service time of the event */
  created_at: string;
  /** The delivery, or null */
  delivery_id: string | null;
  /** The number of the event within its delivery; null for other events */
  sequence: number | null;
  /** Status of the record that the event is about */
  status: string | null;
}

/** Exactly one field is required */
export interface ClockMove {
  /** Seconds */
  by?: number | null | undefined;
  /** At most 10 years ahead */
  to?: string | null | undefined;
  /** Until a delivery has a status */
  until?: {
    /** The delivery to wait for */
    delivery_id: string;
    /** The status to wait for */
    status: 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned';
  } | null | undefined;
  /** Advance to the next due work */
  next?: boolean | null | undefined;
  /** Advance until nothing is due */
  drain?: boolean | null | undefined;
}

export interface Courier {
  /** The type of the record */
  object: 'courier';
  /** As in `providers` */
  name: string;
  /** As people write it */
  title: string;
  /** The state of the courier company */
  state: 'not_connected' | 'enabled' | 'disabled';
  /** The settings of auto dispatch, with defaults filled in */
  settings: Array<{
    /** The name */
    name: string;
    /** The question in a form */
    label: string;
    /** Where the value is found */
    help: string;
    /** Whether the value is stored encrypted and never shown */
    is_secret: boolean;
    /** Whether it may be left out */
    is_optional: boolean;
    /** The accepted values; empty: any */
    choices: Array<string>;
    /** Whether it has a value */
    is_set: boolean;
    /** Null if it is secret or not set */
    value: string | null;
  }>;
  /** What the courier can and cannot do */
  capabilities: {
    /** The vehicle types that can be required; empty: the courier chooses */
    vehicles: Array<'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck'>;
    /** The largest item that it carries */
    largest_item: 'small' | 'medium' | 'large' | 'extra_large';
    /** Whether deliveries can be scheduled */
    scheduled: boolean;
    /** Whether a signature can be required */
    signature: boolean;
    /** Whether it takes a photo at the handover */
    photo: boolean;
    /** Whether a PIN can be required at the handover */
    pin: boolean;
    /** Whether it takes tips */
    tip: boolean;
    /** Whether a delivery can be changed after it is created */
    edits: boolean;
    /** Whether it brings back items that cannot be delivered */
    returns: boolean;
    /** Until when it takes a cancellation; `refused`: until it refuses one */
    cancel_until: 'assigned' | 'picked_up' | 'refused';
    /** Whether the courier calls the service, or the service asks the courier */
    reports: 'push' | 'poll';
    /** Whether it reports the driver's position */
    location: boolean;
    /** ISO 4217 */
    currencies: Array<string>;
    /** ISO 3166, two letters */
    countries: Array<string>;
    /** Whether the price of a quote is that of the delivery */
    binding_quotes: boolean;
  };
  /** Whether waybill was not yet run against the courier's live service, only against a copy of it */
  untested_live: boolean;
  /** The secret address to enter at the courier; null if it is not connected or sends nothing */
  push_url: string | null;
  /** How to enter the address at the courier; may be empty */
  push_setup: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Null if it is not connected */
  connected_at: string | null;
  /** Null if it is not connected */
  updated_at: string | null;
  /** When the settings were last found to work */
  checked_at: string | null;
  /** When the courier last sent an authentic report, to the minute */
  last_push_at: string | null;
  /** Until when the courier is not called, as it has failed repeatedly; null if it is called */
  calls_paused_until: string | null;
}

export interface CourierLocation {
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** The merchant's own reference of the order */
  external_order_ref: string;
  /** Latitude of the driver in degrees; null until it is known */
  courier_location_lat: number;
  /** Longitude of the driver in degrees; null until it is known */
  courier_location_lng: number;
  /** When the driver was at this position */
  recorded_at: string;
}

export interface CreatedOrders {
  /** The type of the record */
  object: 'created_orders';
  /** The orders that were created, in the order of the request */
  order_ids: Array<string>;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
}

/** Why a provider did not quote */
export interface Decline {
  /** The name of the delivery provider */
  provider: string;
  /** Why the provider did not quote, as a code */
  code: string;
  /** The reason in words for people */
  reason: string;
}

export interface DeletedDriver {
  /** The id of the record */
  id: string;
  /** The type of the record */
  object: 'driver';
  /** Always true */
  deleted: true;
}

export interface DeletedRoute {
  /** The id of the record */
  id: string;
  /** The type of the record */
  object: 'route';
  /** Always true */
  deleted: true;
}

export interface DeletedStore {
  /** The id of the record */
  id: string;
  /** The type of the record */
  object: 'store';
  /** Always true */
  deleted: true;
}

export interface DeletedWebhookEndpoint {
  /** Id that starts with whe_ */
  id: string;
  /** The type of the record */
  object: 'webhook_endpoint';
  /** Always true */
  deleted: true;
}

export interface Delivery {
  /** Id that starts with dlv_ */
  id: string;
  /** Whether the delivery is for now or for a given time */
  delivery_type: 'asap' | 'scheduled';
  /** Name of the delivery provider; empty without a provider */
  service: string;
  /** The status of the record */
  status: 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned';
  /** The address of the tracking page for the recipient; empty once the recipient or sender was erased */
  tracking_url: string;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** The reason given for the cancellation; null unless it was canceled */
  cancellation_reason: string | null;
  /** Why the delivery failed or is being returned. New codes may be added. `no_provider_available`: No provider offered a quote. `payment_declined`: The payment was declined; no provider was contacted. `provider_refused`: The provider refused the dispatch. `provider_unreachable`: The provider did not respond to the dispatch. `provider_not_connected`: The provider was disconnected before the dispatch reached it. `courier_failed`: The courier accepted the delivery but could not complete it. `recipient_unreachable`: The recipient could not be reached at the dropoff. `recipient_refused`: The recipient refused the parcel. `wrong_address`: The recipient is unknown at the address. `age_check_failed`: The recipient did not pass the age check. `handover_failed`: The parcel could not be handed over for another reason. `return_not_completed`: The parcel was not returned in time. */
  failure_reason: 'no_provider_available' | 'payment_declined' | 'provider_refused' | 'provider_unreachable' | 'provider_not_connected' | 'courier_failed' | 'recipient_unreachable' | 'recipient_refused' | 'wrong_address' | 'age_check_failed' | 'handover_failed' | 'return_not_completed' | null;
  /** Human-readable failure reason; empty if failure_reason is null */
  failure_message: string;
  /** Why the delivery is disputed; null unless it is */
  dispute_reason: string | null;
  /** The merchant's own reference of the order */
  external_order_ref: string;
  /** The order of the delivery */
  order_id: string;
  /** Null until the delivery is initiated */
  route_id: string | null;
  /** The value of the order in cents; 0 where none was given */
  order_value: number;
  /** The quote used; not the requested one if that had expired */
  quote_id: string;
  /** The saved pickup place, or null */
  store_id: string | null;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** The currency of all amounts, ISO 4217 */
  currency: 'USD';
  /** Charged without the tip: provider cost plus processing fee */
  payment_amount: number;
  /** Paid to the driver, on top of payment_amount */
  tip: number | null;
  /** For display: payment_amount after upsell and subsidy */
  fee: number;
  /** Set only when upsell is configured */
  upsell: number | null;
  /** Set only when subsidy is configured */
  subsidized: number | null;
  /** Amount refunded */
  refunded_amount: number;
  /** The agreed time of the pickup; null for as soon as possible */
  pickup_at: string | null;
  /** The address of the pickup in one line, with its country */
  pickup_address: string;
  /** When the courier is expected at the pickup */
  pickup_eta: string;
  /** The name of the pickup place */
  pickup_name: string;
  /** Notes for the driver at the pickup */
  pickup_notes: string;
  /** Without a leading plus sign */
  pickup_phone_number: string;
  /** Suite or floor of the pickup */
  pickup_unit: string;
  /** The dropoffs of the delivery; always one */
  dropoffs: Array<{
    /** The agreed time of the dropoff; null for as soon as possible */
    dropoff_at: string | null;
    /** The address of the recipient in one line, with its country */
    dropoff_address: string;
    /** When the recipient is expected to receive the delivery */
    dropoff_eta: string;
    /** The name of the recipient */
    dropoff_name: string;
    /** Notes for the driver at the dropoff */
    dropoff_notes: string;
    /** Without a leading plus sign */
    dropoff_phone_number: string;
    /** Apartment, suite or floor of the dropoff */
    dropoff_unit: string;
  }>;
  /** The items in words, if they are not listed */
  items_description: string;
  /** The items to carry */
  items: Array<{
    /** The name of the item */
    name: string;
    /** How many of the item */
    quantity: number;
    /** The size of the item */
    size: string;
  }>;
  /** The name of the driver; null until one is assigned */
  courier_name: string | null;
  /** The URL of a picture of the driver; null until one is known */
  courier_img: string | null;
  /** The phone number of the driver; null until one is assigned */
  courier_phone_number: string | null;
  /** The vehicle of the driver; null until one is assigned */
  courier_vehicle_type: string | null;
  /** Latitude of the driver in degrees; null until it is known */
  courier_location_lat: number | null;
  /** Longitude of the driver in degrees; null until it is known */
  courier_location_lng: number | null;
  /** The vehicle of the driver; null until one is assigned */
  vehicle: {
    /** The kind of vehicle */
    type: string;
    /** The maker of the vehicle */
    make: string;
    /** The model of the vehicle */
    model: string;
    /** The color of the vehicle */
    color: string;
    /** Empty for a bicycle */
    license_plate: string;
  } | null;
  /** PIN that the recipient tells the courier; null if the courier asks for none */
  handover_pin: string | null;
  /** The recipient's signature; null where there is none */
  signature: {
    /** The name of the person who signed */
    name: string;
    /** The URL of a picture of the signature */
    image_url: string;
    /** When it was signed */
    signed_at: string;
  } | null;
  /** Proofs that the courier took at the dropoff */
  proof_of_delivery: Array<{
    /** The kind of proof */
    type: 'photo' | 'signature' | 'pin';
    /** The URL of the proof */
    url: string;
    /** When the proof was taken */
    created_at: string;
  }>;
  /** Every status that the delivery entered since it was initiated, the earliest first */
  status_history: Array<{
    /** The status that was entered */
    status: 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned';
    /** When the status was entered */
    created_at: string;
  }>;
}

/** A delivery was created */
export interface DeliveryCreatedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'delivery.created';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: Delivery & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
  details: DeliveryEventDetails;
}

/** The fields that version 2 adds to the version 1 record */
export interface DeliveryDetails {
  /** When the recipient was promised the delivery: the agreed time of the dropoff, or the ETA of the accepted quote. It is set at the first dispatch of the order and never moves, also not with another attempt; null before */
  promised_at: string | null;
  /** How much later than promised the delivery arrived or is expected now, in seconds; negative if it is earlier, null before the dispatch and if it ended without arriving */
  late_seconds: number | null;
  /** Whether it arrived or is expected more than five minutes after the promised time */
  is_late: boolean;
  /** The e-mail address of the recipient; empty without one */
  dropoff_email: string;
  /** The dispute of the delivery; null without one */
  dispute: {
    /** The reason for the dispute */
    reason: string;
    /** How it was resolved; null while it is open */
    outcome: 'refunded' | 'rejected' | 'redelivered' | null;
  } | null;
  /** When auto dispatch tries the order again after this delivery failed; null if no other attempt follows */
  next_attempt_at: string | null;
  /** Whether wrong PINs have locked the handover */
  pin_locked: boolean;
  /** Whether it was handed over with a wrong PIN and a photo, as the phone of the own driver had no connection to check the PIN */
  pin_unverified: boolean;
  /** Why the own driver took no photo, although the order asks for one; empty otherwise */
  no_photo_reason: string;
  /** The newest internal notes, at most 20, newest first */
  notes: Array<DeliveryNote>;
  /** The fields that `q` matched, such as `dropoff name`; empty without a search */
  matched: string;
}

/** The fields that version 2 adds to the version 1 record, at the time of the event */
export interface DeliveryEventDetails {
  /** When the recipient was promised the delivery: the agreed time of the dropoff, or the ETA of the accepted quote. It is set at the first dispatch of the order and never moves, also not with another attempt; null before */
  promised_at: string | null;
  /** How much later than promised the delivery arrived or is expected now, in seconds; negative if it is earlier, null before the dispatch and if it ended without arriving */
  late_seconds: number | null;
  /** Whether it arrived or is expected more than five minutes after the promised time */
  is_late: boolean;
  /** The e-mail address of the recipient; empty without one */
  dropoff_email: string;
  /** The dispute of the delivery; null without one */
  dispute: {
    /** The reason for the dispute */
    reason: string;
    /** How it was resolved; null while it is open */
    outcome: 'refunded' | 'rejected' | 'redelivered' | null;
  } | null;
  /** When auto dispatch tries the order again after this delivery failed; null if no other attempt follows */
  next_attempt_at: string | null;
  /** Whether wrong PINs have locked the handover */
  pin_locked: boolean;
  /** Whether it was handed over with a wrong PIN and a photo, as the phone of the own driver had no connection to check the PIN */
  pin_unverified: boolean;
  /** Why the own driver took no photo, although the order asks for one; empty otherwise */
  no_photo_reason: string;
}

/** The position of a courier has changed; sent only where its type is named */
export interface DeliveryLocationUpdatedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'delivery.location_updated';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: CourierLocation & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

export interface DeliveryNote {
  /** Id that starts with nte_ */
  id: string;
  /** The type of the record */
  object: 'delivery_note';
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** The note */
  text: string;
  /** Short labels of the note */
  tags: Array<string>;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
}

export interface DeliveryQuote {
  /** Id that starts with quo_ */
  id: string;
  /** Fee of a delivery with this quote, in cents */
  fee: number;
  /** When the quote was made */
  created: string;
  /** When the recipient would receive the delivery */
  dropoff_at: string;
  /** The currency of all amounts, ISO 4217 */
  currency: 'USD';
  /** When the quote expires; null if it does not */
  expires: string | null;
  /** Name of the delivery provider */
  service: string;
}

/** Requires `pickup_address`, `pickup_name` and `pickup_phone_number`, or `pickup_store_id` instead of them */
export interface DeliveryRequest {
  /** A store to pick up from, instead of the pickup fields */
  pickup_store_id?: string | null | undefined;
  /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used; required without a store */
  pickup_address?: string | null | undefined;
  /** Required without a store */
  pickup_name?: string | null | undefined;
  /** International format with a leading plus sign; required without a store */
  pickup_phone_number?: string | null | undefined;
  /** Suite or floor of the pickup */
  pickup_unit?: string | null | undefined;
  /** Notes for the driver at the pickup */
  pickup_notes?: string | null | undefined;
  /** Schedules the delivery; cannot be combined with dropoff_at */
  pickup_at?: string | null | undefined;
  /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used */
  dropoff_address: string;
  /** The name of the recipient */
  dropoff_name: string;
  /** International format with a leading plus sign */
  dropoff_phone_number: string;
  /** Where the recipient gets notices, if the account sends any */
  dropoff_email?: string | null | undefined;
  /** Apartment, suite or floor of the dropoff */
  dropoff_unit?: string | null | undefined;
  /** Notes for the driver at the dropoff */
  dropoff_notes?: string | null | undefined;
  /** Schedules the delivery; cannot be combined with pickup_at */
  dropoff_at?: string | null | undefined;
  /** The items to carry */
  items?: Array<{
    /** The name of the item */
    name: string;
    /** How many of the item */
    quantity?: number | null | undefined;
    /** One of small, medium, large, extra_large, case-insensitive; s, m, l, xl, xlarge and extra-large are accepted too */
    size?: string | null | undefined;
  }> | null | undefined;
  /** The items in words, if they are not listed */
  items_description?: string | null | undefined;
  /** The merchant's own reference of the order */
  external_order_ref?: string | null | undefined;
  /** Value of the order, in cents */
  order_value?: number | null | undefined;
  /** Tip for the driver, in cents */
  tip?: number | null | undefined;
  /** Whether the recipient has to sign; only couriers that take signatures are asked */
  request_signature?: boolean | null | undefined;
  /** Whether the items are left at the door */
  request_contactless?: boolean | null | undefined;
  /** The vehicle that is needed; empty for any */
  vehicle?: 'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck' | null | undefined;
  /** Whether to select a courier immediately */
  initiate?: boolean | null | undefined;
  /** A quote for the same stops and time, from `POST /v1/quote` or from a draft route with one order. That route and its order are not changed. An expired quote is replaced by a new one from the same provider, with a different id and fee */
  quote_id?: string | null | undefined;
}

/** A delivery has changed */
export interface DeliveryUpdatedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'delivery.updated';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: Delivery & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
  details: DeliveryEventDetails;
}

export interface Description {
  /** The version of OpenAPI */
  openapi: '3.1.1';
}

export interface DetailedDelivery {
  /** Id that starts with dlv_ */
  id: string;
  /** Whether the delivery is for now or for a given time */
  delivery_type: 'asap' | 'scheduled';
  /** Name of the delivery provider; empty without a provider */
  service: string;
  /** The status of the record */
  status: 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned';
  /** The address of the tracking page for the recipient; empty once the recipient or sender was erased */
  tracking_url: string;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** The reason given for the cancellation; null unless it was canceled */
  cancellation_reason: string | null;
  /** Why the delivery failed or is being returned. New codes may be added. `no_provider_available`: No provider offered a quote. `payment_declined`: The payment was declined; no provider was contacted. `provider_refused`: The provider refused the dispatch. `provider_unreachable`: The provider did not respond to the dispatch. `provider_not_connected`: The provider was disconnected before the dispatch reached it. `courier_failed`: The courier accepted the delivery but could not complete it. `recipient_unreachable`: The recipient could not be reached at the dropoff. `recipient_refused`: The recipient refused the parcel. `wrong_address`: The recipient is unknown at the address. `age_check_failed`: The recipient did not pass the age check. `handover_failed`: The parcel could not be handed over for another reason. `return_not_completed`: The parcel was not returned in time. */
  failure_reason: 'no_provider_available' | 'payment_declined' | 'provider_refused' | 'provider_unreachable' | 'provider_not_connected' | 'courier_failed' | 'recipient_unreachable' | 'recipient_refused' | 'wrong_address' | 'age_check_failed' | 'handover_failed' | 'return_not_completed' | null;
  /** Human-readable failure reason; empty if failure_reason is null */
  failure_message: string;
  /** Why the delivery is disputed; null unless it is */
  dispute_reason: string | null;
  /** The merchant's own reference of the order */
  external_order_ref: string;
  /** The order of the delivery */
  order_id: string;
  /** Null until the delivery is initiated */
  route_id: string | null;
  /** The value of the order in cents; 0 where none was given */
  order_value: number;
  /** The quote used; not the requested one if that had expired */
  quote_id: string;
  /** The saved pickup place, or null */
  store_id: string | null;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** The currency of all amounts, ISO 4217 */
  currency: 'USD';
  /** Charged without the tip: provider cost plus processing fee */
  payment_amount: number;
  /** Paid to the driver, on top of payment_amount */
  tip: number | null;
  /** For display: payment_amount after upsell and subsidy */
  fee: number;
  /** Set only when upsell is configured */
  upsell: number | null;
  /** Set only when subsidy is configured */
  subsidized: number | null;
  /** Amount refunded */
  refunded_amount: number;
  /** The agreed time of the pickup; null for as soon as possible */
  pickup_at: string | null;
  /** The address of the pickup in one line, with its country */
  pickup_address: string;
  /** When the courier is expected at the pickup */
  pickup_eta: string;
  /** The name of the pickup place */
  pickup_name: string;
  /** Notes for the driver at the pickup */
  pickup_notes: string;
  /** Without a leading plus sign */
  pickup_phone_number: string;
  /** Suite or floor of the pickup */
  pickup_unit: string;
  /** The dropoffs of the delivery; always one */
  dropoffs: Array<{
    /** The agreed time of the dropoff; null for as soon as possible */
    dropoff_at: string | null;
    /** The address of the recipient in one line, with its country */
    dropoff_address: string;
    /** When the recipient is expected to receive the delivery */
    dropoff_eta: string;
    /** The name of the recipient */
    dropoff_name: string;
    /** Notes for the driver at the dropoff */
    dropoff_notes: string;
    /** Without a leading plus sign */
    dropoff_phone_number: string;
    /** Apartment, suite or floor of the dropoff */
    dropoff_unit: string;
  }>;
  /** The items in words, if they are not listed */
  items_description: string;
  /** The items to carry */
  items: Array<{
    /** The name of the item */
    name: string;
    /** How many of the item */
    quantity: number;
    /** The size of the item */
    size: string;
  }>;
  /** The name of the driver; null until one is assigned */
  courier_name: string | null;
  /** The URL of a picture of the driver; null until one is known */
  courier_img: string | null;
  /** The phone number of the driver; null until one is assigned */
  courier_phone_number: string | null;
  /** The vehicle of the driver; null until one is assigned */
  courier_vehicle_type: string | null;
  /** Latitude of the driver in degrees; null until it is known */
  courier_location_lat: number | null;
  /** Longitude of the driver in degrees; null until it is known */
  courier_location_lng: number | null;
  /** The vehicle of the driver; null until one is assigned */
  vehicle: {
    /** The kind of vehicle */
    type: string;
    /** The maker of the vehicle */
    make: string;
    /** The model of the vehicle */
    model: string;
    /** The color of the vehicle */
    color: string;
    /** Empty for a bicycle */
    license_plate: string;
  } | null;
  /** PIN that the recipient tells the courier; null if the courier asks for none */
  handover_pin: string | null;
  /** The recipient's signature; null where there is none */
  signature: {
    /** The name of the person who signed */
    name: string;
    /** The URL of a picture of the signature */
    image_url: string;
    /** When it was signed */
    signed_at: string;
  } | null;
  /** Proofs that the courier took at the dropoff */
  proof_of_delivery: Array<{
    /** The kind of proof */
    type: 'photo' | 'signature' | 'pin';
    /** The URL of the proof */
    url: string;
    /** When the proof was taken */
    created_at: string;
  }>;
  /** Every status that the delivery entered since it was initiated, the earliest first */
  status_history: Array<{
    /** The status that was entered */
    status: 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned';
    /** When the status was entered */
    created_at: string;
  }>;
  details: DeliveryDetails;
}

export interface DisconnectedCourier {
  /** The name */
  name: string;
  /** The type of the record */
  object: 'courier';
  /** Always true */
  deleted: true;
}

export interface DismissedFailedTask {
  /** Id that starts with ftk_ */
  id: string;
  /** The type of the record */
  object: 'failed_task';
  /** Always true */
  deleted: true;
}

export interface DispatchedRoute {
  /** Id that starts with rte_ */
  id: string;
  /** The type of the record */
  object: 'route';
  /** The status of the record */
  status: 'draft' | 'dispatched' | 'completed' | 'canceled';
  /** The orders of the route, in the order in which they were given */
  order_ids: Array<string>;
  /** The stops in the order in which the driver makes them */
  stops: Array<{
    /** Position in the order of driving, from 1 */
    sequence: number;
    /** Whether items are picked up or dropped off here */
    kind: 'pickup' | 'dropoff';
    /** The orders that are picked up or dropped off here */
    order_ids: Array<string>;
    /** The address in one line, with its country */
    address: string;
    /** Of the centre of the ZIP code, as is the longitude */
    lat: number;
    /** Longitude in degrees */
    lng: number;
    /** Road miles from the previous stop; 0 for the first */
    leg_miles: number;
  }>;
  /** Road miles of the whole route */
  distance_miles: number;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** One delivery for each order of the route */
  deliveries: Array<Delivery>;
}

export interface Dispute {
  /** The type of the record */
  object: 'dispute';
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** The reason for the dispute */
  reason: string;
  /** Whether the dispute is still open */
  status: 'open' | 'resolved';
  /** How it was resolved; null while it is open */
  outcome: 'refunded' | 'rejected' | 'redelivered' | null;
  /** Refunded amount, in cents; 0 without a refund */
  amount: number;
  /** Explanation of the outcome; empty if there is none */
  note: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the dispute was resolved; null while it is open */
  resolved_at: string | null;
}

export interface Driver {
  /** Id that starts with drv_ */
  id: string;
  /** The type of the record */
  object: 'driver';
  /** The name of the driver, as recipients see it */
  name: string;
  /** Without a leading plus sign */
  phone_number: string;
  /** What the driver goes by */
  vehicle_type: 'bicycle' | 'scooter' | 'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck';
  /** Whether the driver takes deliveries now */
  on_duty: boolean;
  /** The stops that the driver still has to make */
  stops_left: number;
  /** The deliveries that the driver has and that have not ended */
  deliveries: Array<{
    /** Id that starts with dlv_ */
    id: string;
    /** The merchant's own reference of the order */
    external_order_ref: string;
    /** Whether the driver has the parcel */
    picked_up: boolean;
    /** Whether wrong PINs have locked the handover */
    pin_locked: boolean;
  }>;
  /** The last known position; null before the first */
  location: {
    /** Latitude in degrees */
    lat: number;
    /** Longitude in degrees */
    lng: number;
    /** When the phone was there */
    recorded_at: string;
  } | null;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
}

export interface Error {
  /** The type of the record */
  object: 'error';
  /** A code for programs, from the table of errors */
  code: 'unauthorized' | 'account_suspended' | 'forbidden' | 'last_admin_key' | 'route_api_key_test_mode_mismatch' | 'record_not_found' | 'quote_not_found' | 'invalid_request' | 'address_not_geocodable' | 'route_not_draft' | 'order_not_open' | 'quote_expired' | 'quote_used' | 'quotes_not_ready' | 'delivery_not_initiable' | 'cost_above_limit' | 'delivery_not_cancelable' | 'delivery_not_disputable' | 'dispute_not_open' | 'delivery_not_editable' | 'idempotency_key_reuse' | 'idempotency_key_in_use' | 'delivery_not_assignable' | 'delivery_not_reportable' | 'delivery_not_locked' | 'driver_has_stops' | 'webhook_endpoint_disabled' | 'simulation_not_allowed' | 'simulation_unknown' | 'step_not_legal' | 'clock_unreadable' | 'failed_task_not_retryable' | 'courier_unknown' | 'courier_not_connected' | 'courier_has_deliveries' | 'courier_check_failed' | 'courier_mode_mismatch' | 'secret_key_missing' | 'not_found' | 'method_not_allowed' | 'payload_too_large' | 'unsupported_media_type' | 'rate_limited' | 'internal_error' | 'overloaded' | 'not_ready' | 'storage_unavailable';
  /** The error in words for people */
  message: string;
  /** The id of the request, to look it up in the log of the service */
  request_id: string;
  /** Path of the invalid value, if there is exactly one */
  param?: string | undefined;
  /** The accepted values */
  choices?: Array<string> | undefined;
  /** Ids of the records that the error is about */
  related_ids?: Array<string> | undefined;
  /** Every fault of the request with its place */
  details?: Array<{
    /** The place of the fault, such as `orders[0].order_value` */
    path: string;
    /** The error in words for people */
    message: string;
    /** The conflicting field, if two fields exclude each other */
    conflicts_with?: string | undefined;
  }> | undefined;
}

/** A change, with the record as it was at that moment. `type` says which record `data` is. */
export type Event = RouteQuotesCompletedEvent | OrderDispatchedEvent | OrderUnfulfilledEvent | OrderFailedEvent | OrderCanceledEvent | BatchCompletedEvent | DeliveryCreatedEvent | DeliveryUpdatedEvent | NoticeSimulatedEvent | DeliveryLocationUpdatedEvent | WebhookTestEvent;

export interface EventResend {
  /** The type of the record */
  object: 'event_resend';
  /** Id that starts with evt_ */
  event_id: string;
  /** The endpoints that the event is sent to again */
  webhook_endpoint_ids: Array<string>;
}

export interface FailedTask {
  /** Id that starts with ftk_ */
  id: string;
  /** The type of the record */
  object: 'failed_task';
  /** Kind of the task, such as report.take or webhook.send */
  kind: string;
  /** ID of the record that the task was about, or empty */
  subject: string;
  /** Error of the last attempt */
  error: string;
  /** Number of attempts */
  attempts: number;
  /** False if the record has reached an outcome anyway and there is nothing left to do */
  retryable: boolean;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the task was due */
  due_at: string;
  /** When the task was given up */
  failed_at: string;
}

/** What deliveries by your own drivers cost, and how they are proven */
export interface FleetSettings {
  /** Cents for each delivery by your own drivers */
  per_delivery: number;
  /** Cents for each mile of a route of your own drivers */
  per_mile: number;
  /** Whether recipients must tell your drivers a PIN */
  ask_pin: boolean;
}

export interface Health {
  /** Always `ok`; otherwise the response is an error */
  status: 'ok';
  /** The time of the live mode */
  service_time: string;
  /** The version of the schema of the database */
  schema_version?: number | undefined;
  /** Milliseconds since the last progress of the background work; null if this process does none */
  worker_silent_ms?: number | null | undefined;
}

/** The asynchronous job that collects the quotes */
export interface Job {
  /** Id that starts with job_ */
  job_id: string;
  /** The type of the record */
  object: 'job';
}

export interface LeftOut {
  /** The name of the delivery provider */
  provider: string;
  /** Why the provider was left out, as a code */
  code: string;
  /** The reason in words for people */
  reason: string;
}

export interface LinkedDriver {
  /** Id that starts with drv_ */
  id: string;
  /** The type of the record */
  object: 'driver';
  /** The name of the driver, as recipients see it */
  name: string;
  /** Without a leading plus sign */
  phone_number: string;
  /** What the driver goes by */
  vehicle_type: 'bicycle' | 'scooter' | 'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck';
  /** Whether the driver takes deliveries now */
  on_duty: boolean;
  /** The stops that the driver still has to make */
  stops_left: number;
  /** The deliveries that the driver has and that have not ended */
  deliveries: Array<{
    /** Id that starts with dlv_ */
    id: string;
    /** The merchant's own reference of the order */
    external_order_ref: string;
    /** Whether the driver has the parcel */
    picked_up: boolean;
    /** Whether wrong PINs have locked the handover */
    pin_locked: boolean;
  }>;
  /** The last known position; null before the first */
  location: {
    /** Latitude in degrees */
    lat: number;
    /** Longitude in degrees */
    lng: number;
    /** When the phone was there */
    recorded_at: string;
  } | null;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** The driver's page; shown only in this response */
  link: string | null;
}

export interface Liveness {
  /** The status of the record */
  status: 'ok';
  /** The time of the live mode */
  service_time: string;
}

export interface NewApiKey {
  /** Id that starts with key_ */
  id: string;
  /** The type of the record */
  object: 'api_key';
  /** The name of the key, to tell keys apart */
  name: string;
  /** The actions that the key allows */
  permission: 'read' | 'write' | 'admin';
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** The last four characters of the key */
  last_four: string;
  /** When the record was created */
  created_at: string;
  /** When the key was revoked; null while it is valid */
  revoked_at: string | null;
  /** When the key stops working; null if it does not expire */
  expires_at: string | null;
  /** When the key was last used, in real time and to the minute; null if it was never used */
  last_used_at: string | null;
  /** The API key; shown only in this response */
  key: string | null;
}

export interface NewWebhookEndpoint {
  /** Id that starts with whe_ */
  id: string;
  /** The type of the record */
  object: 'webhook_endpoint';
  /** The address that events are sent to */
  url: string;
  /** The types of events that are sent to the endpoint */
  events: Array<'*' | 'route_quotes.completed' | 'order.dispatched' | 'order.unfulfilled' | 'order.failed' | 'order.canceled' | 'batch.completed' | 'delivery.created' | 'delivery.updated' | 'notice.simulated' | 'delivery.location_updated'>;
  /** A note for people; empty where none was given */
  description: string;
  /** The status of the record */
  status: 'enabled' | 'disabled';
  /** Empty while the endpoint is enabled */
  disabled_reason: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of events waiting to be sent */
  waiting: number;
  /** Number of events given up; each can be resent */
  exhausted: number;
  /** Until when the previous secret signs as well */
  previous_secret_until: string | null;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** Starts with whsec_. Shown once: a repeat of the request does not return it */
  secret: string | null;
}

export interface NoticeSettings {
  /** The language of the texts */
  language: 'en' | 'es';
  /** The name of the sender, where the operator lets accounts choose it; by default that of the pickup */
  from_name?: string | undefined;
  /** Where replies go, where the operator lets accounts choose it; by default to the address of the service */
  reply_to?: string | undefined;
  /** Texts of the shop, by notice */
  templates?: {
    /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
    dispatched?: {
      /** The subject of the message */
      subject?: string | undefined;
      /** The text of the message */
      text?: string | undefined;
    } | undefined;
    /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
    close_by?: {
      /** The subject of the message */
      subject?: string | undefined;
      /** The text of the message */
      text?: string | undefined;
    } | undefined;
    /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
    delivered?: {
      /** The subject of the message */
      subject?: string | undefined;
      /** The text of the message */
      text?: string | undefined;
    } | undefined;
    /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
    failed?: {
      /** The subject of the message */
      subject?: string | undefined;
      /** The text of the message */
      text?: string | undefined;
    } | undefined;
  } | undefined;
}

/** Test mode did not send a notice to the recipient */
export interface NoticeSimulatedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'notice.simulated';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: SimulatedNotice & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

/** An order of a merchant */
export interface Order {
  /** Id that starts with ord_ */
  id: string;
  /** The type of the record */
  object: 'order';
  /** The status of the record */
  status: 'open' | 'routed' | 'dispatched' | 'unfulfilled' | 'failed' | 'canceled';
  /** The batch of auto dispatch; null or empty without auto dispatch */
  batch_id: string | null;
  /** The route of the order; null without a route */
  route_id: string | null;
  /** The latest delivery of this order */
  delivery_id: string | null;
  /** The address of the pickup in one line, with its country */
  pickup_address: string;
  /** The name of the pickup place */
  pickup_name: string;
  /** The phone number of the pickup place in international format */
  pickup_phone_number: string;
  /** Suite or floor of the pickup */
  pickup_unit: string;
  /** Notes for the driver at the pickup */
  pickup_notes: string;
  /** The agreed time of the pickup; null for as soon as possible */
  pickup_at: string | null;
  /** The saved pickup place; null if the order has its own pickup fields */
  pickup_store_id: string | null;
  /** The address of the recipient in one line, with its country */
  dropoff_address: string;
  /** The name of the recipient */
  dropoff_name: string;
  /** The phone number of the recipient in international format */
  dropoff_phone_number: string;
  /** The e-mail address of the recipient; absent without one */
  dropoff_email?: string | undefined;
  /** Apartment, suite or floor of the dropoff */
  dropoff_unit: string;
  /** Notes for the driver at the dropoff */
  dropoff_notes: string;
  /** The agreed time of the dropoff; null for as soon as possible */
  dropoff_at: string | null;
  /** The items to carry */
  items: Array<{
    /** The name of the item */
    name: string;
    /** How many of the item */
    quantity: number;
    /** The size of the item */
    size: 'small' | 'medium' | 'large' | 'extra_large';
  }>;
  /** The items in words, if they are not listed */
  items_description: string;
  /** The merchant's own reference of the order */
  external_order_ref: string;
  /** The value of the order in cents; 0 where none was given */
  order_value: number;
  /** The tip for the driver in cents, or 0 */
  tip: number;
  /** Whether the recipient has to sign; only couriers that take signatures are asked */
  request_signature: boolean;
  /** Whether the items are left at the door */
  request_contactless: boolean;
  /** The vehicle that is needed; empty for any */
  vehicle: 'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck' | '';
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
  /** The latest delivery, with `expand=delivery`; null before the first dispatch */
  delivery?: Delivery | null | undefined;
  /** The fields that `q` matched, such as `dropoff name`; only in searched lists */
  matched?: string | undefined;
}

/** An order was canceled */
export interface OrderCanceledEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'order.canceled';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: Order & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

/** A courier accepted an order */
export interface OrderDispatchedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'order.dispatched';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: Order & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

/** The last delivery of an order failed */
export interface OrderFailedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'order.failed';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: Order & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

/** Requires `pickup_address`, `pickup_name` and `pickup_phone_number`, or `pickup_store_id` instead of them */
export interface OrderRequest {
  /** A store to pick up from, instead of the pickup fields */
  pickup_store_id?: string | null | undefined;
  /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used; required without a store */
  pickup_address?: string | null | undefined;
  /** Required without a store */
  pickup_name?: string | null | undefined;
  /** International format with a leading plus sign; required without a store */
  pickup_phone_number?: string | null | undefined;
  /** Suite or floor of the pickup */
  pickup_unit?: string | null | undefined;
  /** Notes for the driver at the pickup */
  pickup_notes?: string | null | undefined;
  /** Schedules the delivery; cannot be combined with dropoff_at */
  pickup_at?: string | null | undefined;
  /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used */
  dropoff_address: string;
  /** The name of the recipient */
  dropoff_name: string;
  /** International format with a leading plus sign */
  dropoff_phone_number: string;
  /** Where the recipient gets notices, if the account sends any */
  dropoff_email?: string | null | undefined;
  /** Apartment, suite or floor of the dropoff */
  dropoff_unit?: string | null | undefined;
  /** Notes for the driver at the dropoff */
  dropoff_notes?: string | null | undefined;
  /** Schedules the delivery; cannot be combined with pickup_at */
  dropoff_at?: string | null | undefined;
  /** The items to carry */
  items?: Array<{
    /** The name of the item */
    name: string;
    /** How many of the item */
    quantity?: number | null | undefined;
    /** One of small, medium, large, extra_large, case-insensitive; s, m, l, xl, xlarge and extra-large are accepted too */
    size?: string | null | undefined;
  }> | null | undefined;
  /** The items in words, if they are not listed */
  items_description?: string | null | undefined;
  /** The merchant's own reference of the order */
  external_order_ref?: string | null | undefined;
  /** Value of the order, in cents */
  order_value?: number | null | undefined;
  /** Tip for the driver, in cents */
  tip?: number | null | undefined;
  /** Whether the recipient has to sign; only couriers that take signatures are asked */
  request_signature?: boolean | null | undefined;
  /** Whether the items are left at the door */
  request_contactless?: boolean | null | undefined;
  /** The vehicle that is needed; empty for any */
  vehicle?: 'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck' | null | undefined;
}

/** No courier accepted an order before its deadline */
export interface OrderUnfulfilledEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'order.unfulfilled';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: Order & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

export interface RetryTerms {
  /** The type of the record */
  object: 'retry_terms';
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** Whether the delivery can be retried now */
  retryable: boolean;
  /** Why the delivery cannot be retried; empty if it can */
  reason: string;
  /** Charges of this delivery minus refunds, in cents */
  paid: number;
  /** Provider of the quote that is selected now; empty without one */
  service: string;
  /** Provider cost plus processing fee of that quote, in cents; null without one */
  cost: number | null;
  /** Tip that is charged with it, in cents */
  tip: number;
}

export interface Route {
  /** Id that starts with rte_ */
  id: string;
  /** The type of the record */
  object: 'route';
  /** The status of the record */
  status: 'draft' | 'dispatched' | 'completed' | 'canceled';
  /** The orders of the route, in the order in which they were given */
  order_ids: Array<string>;
  /** The stops in the order in which the driver makes them */
  stops: Array<{
    /** Position in the order of driving, from 1 */
    sequence: number;
    /** Whether items are picked up or dropped off here */
    kind: 'pickup' | 'dropoff';
    /** The orders that are picked up or dropped off here */
    order_ids: Array<string>;
    /** The address in one line, with its country */
    address: string;
    /** Of the centre of the ZIP code, as is the longitude */
    lat: number;
    /** Longitude in degrees */
    lng: number;
    /** Road miles from the previous stop; 0 for the first */
    leg_miles: number;
  }>;
  /** Road miles of the whole route */
  distance_miles: number;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
}

export interface RouteQuote {
  /** Id that starts with rq_ */
  id: string;
  /** The type of the record */
  object: 'route_quote';
  /** Delivery cost in cents */
  cost_of_delivery: number;
  /** Service fee in cents: 30 cents and 2.9 % of cost_of_delivery for simulated couriers, 0 for connected couriers and own drivers */
  service_fee: number;
  /** The name of the delivery provider */
  provider: string;
  /** The account that the record belongs to */
  account_id: string;
  /** The route that the quote is for */
  route_id: string;
  /** Assigned driver's name */
  courier_name?: string | undefined;
  /** URL of the driver image */
  courier_image?: string | undefined;
  /** When the courier would pick up */
  pickup_time?: string | undefined;
  /** The courier's vehicle */
  vehicle_id?: string | undefined;
  /** How many deliveries the courier makes of the route, each with a driver and a price of its own; absent if it is one run */
  separate_deliveries?: number | undefined;
  /** When the quote expires; null if it does not */
  expires_at: string | null;
  /** The currency of all amounts, ISO 4217 */
  currency: 'USD';
  /** When the courier is expected at the pickup */
  pickup_eta: string;
  /** When the last recipient is expected to receive the delivery */
  dropoff_eta: string;
  /** When the record was created */
  created_at: string;
}

export interface RouteQuotes {
  /** The type of the record */
  object: 'route_quotes';
  /** The status of the record */
  status: 'PENDING' | 'COMPLETE';
  /** The quotes, cheapest first; null while they are pending */
  data: Array<RouteQuote> | null;
  /** Providers that did not quote, each with the reason */
  reasons?: Array<Decline> | undefined;
  /** The route of the quotes; in events only */
  route_id?: string | undefined;
}

/** The quotes of a route are complete */
export interface RouteQuotesCompletedEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'route_quotes.completed';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: RouteQuotes & {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
  };
}

export interface SandboxProvider {
  /** The type of the record */
  object: 'sandbox_provider';
  /** The name of the courier company */
  name: string;
  /** The state of the courier company */
  state: 'up' | 'down' | 'slow' | 'no_capacity';
  /** How many seconds later the company answers; null unless it is slow */
  slow_seconds: number | null;
  /** When the state ends; null: when it is changed */
  until: string | null;
}

export interface SandboxReset {
  /** The type of the record */
  object: 'sandbox_reset';
  /** Number of deliveries deleted */
  deleted: number;
}

export interface SandboxSettings {
  /** The type of the record */
  object: 'sandbox_settings';
  /** Used if neither the header nor the phone number selects a scenario */
  default_scenario: string | null;
}

export interface Scenario {
  /** The name of the scenario, as the `x-simulation` header takes it */
  name: string;
  /** NN of the magic dropoff phone number +1 <area> 555 01NN */
  number: string | null;
  /** The course of the delivery in this scenario */
  happens: string;
  /** The charges and refunds in this scenario */
  money: string;
}

export interface Scenarios {
  /** The type of the record */
  object: 'scenarios';
  /** All scenarios */
  data: Array<Scenario>;
}

export interface SimulatedNotice {
  /** The type of the record */
  object: 'notice';
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** The kind of the charge */
  kind: 'dispatched' | 'close_by' | 'delivered' | 'failed';
  /** E-mail address of the recipient */
  to: string;
  /** Name of the sender; empty if the operator has set none */
  from_name: string;
  /** Where replies would go; null: to the sender */
  reply_to: string | null;
  /** Subject of the message */
  subject: string;
  /** Text of the message */
  text: string;
}

/** The statuses that the courier can report now */
export interface Steps {
  /** The type of the record */
  object: 'steps';
  /** Id that starts with dlv_ */
  delivery_id: string;
  /** The status of the record */
  status: 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned';
  /** The statuses that can follow */
  data: Array<'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned'>;
}

export interface Store {
  /** Id that starts with str_ */
  id: string;
  /** The type of the record */
  object: 'store';
  /** The name of the pickup place */
  name: string;
  /** The address in one line, with its country */
  address: string;
  /** Without a leading plus sign */
  phone_number: string;
  /** Suite or floor of the pickup place */
  unit: string;
  /** Notes for the driver at the pickup */
  notes: string;
  /** Shown to recipients on the tracking page, without a leading plus sign; empty: no number */
  support_phone_number: string;
  /** Shown on the tracking page; empty: no logo */
  logo: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
}

export interface StoreRequest {
  /** The name of the pickup place */
  name: string;
  /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used */
  address: string;
  /** International format with a leading plus sign */
  phone_number: string;
  /** Suite or floor of the pickup place */
  unit?: string | null | undefined;
  /** Notes for the driver at the pickup */
  notes?: string | null | undefined;
  /** Shown to recipients on the tracking page; empty: no number. International format with a leading plus sign */
  support_phone_number?: string | null | undefined;
  /** Shown on the tracking page: an https URL, or a data URL of a PNG, JPEG, GIF, WebP or SVG image in base64; empty: no logo */
  logo?: string | null | undefined;
}

export interface Tap {
  /** Unique for the phone; a repeat has no further effect */
  id: string;
  /** The button */
  kind: 'duty' | 'accept' | 'decline' | 'start_pickup' | 'arrive_pickup' | 'pick_up' | 'start_dropoff' | 'arrive_dropoff' | 'deliver' | 'fail' | 'return';
  /** When it was tapped, by the phone's clock */
  at: string;
  /** With `duty`: whether the driver takes deliveries */
  on?: boolean | null | undefined;
  /** With `accept` and `decline`: the offer on the page */
  offer_id?: string | null | undefined;
  /** The deliveries of the stop; exactly one with `deliver`, as each recipient is handed theirs. `fail` with several is about those that are not picked up */
  delivery_ids?: Array<string> | null | undefined;
  /** With `fail`: why it could not be handed over */
  failure_reason?: 'recipient_unreachable' | 'recipient_refused' | 'wrong_address' | 'age_check_failed' | 'handover_failed' | null | undefined;
  /** With `fail`: more about it */
  note?: string | null | undefined;
  /** With `deliver`: the PIN that the recipient said */
  pin?: string | null | undefined;
  /** With `deliver`: the phone had no connection at the door, so that the PIN could not be checked there. With a photo a wrong PIN is not refused: the delivery is marked as `pin_unverified` */
  was_offline?: boolean | null | undefined;
  /** With `deliver`: a JPEG as a data URL */
  photo?: string | null | undefined;
  /** With `deliver` of an order that asks for a photo: why there is none */
  no_photo_reason?: string | null | undefined;
  /** With `deliver`: a drawn signature, a JPEG as a data URL */
  signature?: string | null | undefined;
  /** With `deliver`: the name of the person who signed */
  signed_by?: string | null | undefined;
}

export interface TapResults {
  /** The type of the record */
  object: 'taps';
  /** What became of each tap, in the same order */
  taps: Array<{
    /** The id of the record */
    id: string;
    /** Whether the tap has had its effect, has none anymore, or may be repeated with another value */
    outcome: 'done' | 'ignored' | 'refused';
    /** Why it has no effect; empty if it has */
    message: string;
  }>;
}

export interface TrackedDelivery {
  /** The type of the record */
  object: 'tracking';
  /** Notes for the driver at the dropoff */
  dropoff_notes: string;
}

export interface Try {
  /** Id that starts with try_ */
  id: string;
  /** The type of the record */
  object: 'try';
  /** Id that starts with ord_ */
  order_id: string;
  /** Id that starts with bat_ */
  batch_id: string;
  /** From 1 */
  number: number;
  /** The status of the record */
  status: 'quoting' | 'asking' | 'dispatched' | 'no_quotes' | 'refused' | 'declined' | 'canceled';
  /** Id that starts with rte_ */
  route_id: string;
  /** Provider whose quote was selected */
  provider: string | null;
  /** The id of the quote; null where none was chosen */
  quote_id: string | null;
  /** The delivery, or null */
  delivery_id: string | null;
  /** Why the quote was selected, or why the attempt failed */
  reason: string;
  /** The other providers, each with the reason why it was not selected */
  left_out: Array<LeftOut>;
  /** When the record was created */
  created_at: string;
  /** When the attempt ended; null while it runs */
  ended_at: string | null;
}

export interface WaitingOrder {
  /** The type of the record */
  object: 'waiting_order';
  order: Order;
  /** Number of attempts started */
  attempts: number;
  /** When auto dispatch accepted the order */
  waiting_since: string;
  /** When the next attempt starts; null during an attempt */
  next_attempt_at: string | null;
  /** No attempt starts after this time */
  retry_until: string;
  /** Why the last attempt failed; empty if none has */
  reason: string;
}

export interface WebhookAttempt {
  /** Id that starts with att_ */
  id: string;
  /** The type of the record */
  object: 'webhook_attempt';
  /** Id that starts with whe_ */
  webhook_endpoint_id: string;
  /** Id that starts with evt_ */
  event_id: string;
  /** The type of the event */
  event_type: 'route_quotes.completed' | 'order.dispatched' | 'order.unfulfilled' | 'order.failed' | 'order.canceled' | 'batch.completed' | 'delivery.created' | 'delivery.updated' | 'notice.simulated' | 'delivery.location_updated' | 'webhook.test';
  /** Id that starts with dlv_ */
  delivery_id: string | null;
  /** The number of the event within its delivery; null for other events */
  sequence: number | null;
  /** Number of the attempt; a resend starts at 1 again. 0: given up without an attempt */
  number: number;
  /** The status of the record */
  status: 'succeeded' | 'failed';
  /** Null if there was no response */
  status_code: number | null;
  /** Why the attempt failed; empty if it succeeded */
  reason: string;
  /** Start of the response body, if the attempt failed */
  response: string;
  /** How long the attempt took, in milliseconds */
  duration_ms: number;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Null if no further attempt is scheduled */
  next_attempt_at: string | null;
  /** When the record was created */
  created_at: string;
}

export interface WebhookEndpoint {
  /** Id that starts with whe_ */
  id: string;
  /** The type of the record */
  object: 'webhook_endpoint';
  /** The address that events are sent to */
  url: string;
  /** The types of events that are sent to the endpoint */
  events: Array<'*' | 'route_quotes.completed' | 'order.dispatched' | 'order.unfulfilled' | 'order.failed' | 'order.canceled' | 'batch.completed' | 'delivery.created' | 'delivery.updated' | 'notice.simulated' | 'delivery.location_updated'>;
  /** A note for people; empty where none was given */
  description: string;
  /** The status of the record */
  status: 'enabled' | 'disabled';
  /** Empty while the endpoint is enabled */
  disabled_reason: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of events waiting to be sent */
  waiting: number;
  /** Number of events given up; each can be resent */
  exhausted: number;
  /** Until when the previous secret signs as well */
  previous_secret_until: string | null;
  /** When the record was created */
  created_at: string;
  /** When the record last changed */
  updated_at: string;
}

/** A test of an endpoint, sent to that endpoint alone */
export interface WebhookTestEvent {
  /** Id that starts with evt_ */
  id: string;
  /** The type of the record */
  object: 'event';
  /** The type of the event */
  type: 'webhook.test';
  /** When the record was created */
  created_at: string;
  /** Whether the record belongs to test mode */
  test_mode: boolean;
  /** Number of the event within its delivery, from 1 and without gaps; null for other events */
  sequence: number | null;
  /** Snapshot of the record at the time of the event. An event is smaller than 20,000 bytes: if the record is larger, its longest texts and lists are shortened, `truncated` is true, and the whole record can be fetched */
  data: {
    /** True where texts or lists of the record are cut; absent otherwise */
    truncated?: true | undefined;
    [name: string]: unknown;
  };
}

/** Every call of the interface, by noun and verb. */
export interface Calls {
  account: {
    /** Returns the account, and the mode and the permission of the key. A client learns its mode here. */
    get(input?: CallOptions): Promise<Answer<Account>>;
    /** Changes the settings given. Test and live mode have settings of their own. */
    update(input: { body: {
      /** What is added to the price in the recipient's view; null where there is none */
      upsell?: {
        /** Whether `value` is an amount in cents or a share in percent */
        kind: 'fixed';
        /** Cents */
        value: number;
      } | {
        /** Whether `value` is an amount in cents or a share in percent */
        kind: 'percent';
        /** Percent of `payment_amount`, 0 to 100 */
        value: number;
      } | null | undefined;
      /** The part of the price that the merchant pays for the recipient, or null */
      subsidy?: {
        /** Whether `value` is an amount in cents or a share in percent */
        kind: 'fixed';
        /** Cents */
        value: number;
      } | {
        /** Whether `value` is an amount in cents or a share in percent */
        kind: 'percent';
        /** Percent of `payment_amount`, 0 to 100 */
        value: number;
      } | null | undefined;
      /** Simulates payments of test mode: a declining payment method makes deliveries fail, like a declined card. Live keys cannot set it: couriers bill you directly */
      payment_method?: {
        /** Whether simulated payments succeed */
        status: 'active' | 'declining';
      } | null | undefined;
      /** The largest tip of an order in cents; null: the larger of 10000 and the order's value */
      tip_limit?: number | null | undefined;
      /** What deliveries by your own drivers cost, and how they are proven */
      fleet?: {
        /** Cents for each delivery by your own drivers */
        per_delivery: number;
        /** Cents for each mile of a route of your own drivers */
        per_mile: number;
        /** Whether recipients must tell your drivers a PIN */
        ask_pin: boolean;
      } | null | undefined;
      /** The notices to recipients by e-mail; null while they are off */
      notices?: {
        /** The language of the texts */
        language: 'en' | 'es';
        /** The name of the sender, where the operator lets accounts choose it; by default that of the pickup */
        from_name?: string | undefined;
        /** Where replies go, where the operator lets accounts choose it; by default to the address of the service */
        reply_to?: string | undefined;
        /** Texts of the shop, by notice */
        templates?: {
          /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
          dispatched?: {
            /** The subject of the message */
            subject?: string | undefined;
            /** The text of the message */
            text?: string | undefined;
          } | undefined;
          /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
          close_by?: {
            /** The subject of the message */
            subject?: string | undefined;
            /** The text of the message */
            text?: string | undefined;
          } | undefined;
          /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
          delivered?: {
            /** The subject of the message */
            subject?: string | undefined;
            /** The text of the message */
            text?: string | undefined;
          } | undefined;
          /** Replaces the texts of the language; {name}, {shop}, {reference}, {eta} and {link} are filled in */
          failed?: {
            /** The subject of the message */
            subject?: string | undefined;
            /** The text of the message */
            text?: string | undefined;
          } | undefined;
        } | undefined;
      } | null | undefined;
      /** Base URL of tracking links */
      public_url?: string | null | undefined;
    } } & CallOptions): Promise<Answer<Account>>;
  };
  keys: {
    /** Creates a key. The response shows the key itself once; only a hash of it is stored. */
    create(input: { body: {
      /** The actions that the key allows */
      permission: 'read' | 'write' | 'admin';
      /** A name for the key, to tell keys apart */
      name?: string | null | undefined;
      /** When the quote expires; null if it does not */
      expires_at?: string | null | undefined;
    } } & CallOptions): Promise<Answer<NewApiKey>>;
    /** Lists the keys of the account, revoked ones included. */
    list(input?: { query?: {
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<ApiKey>;
    /** Revokes a key. Requests with it are refused from then on. */
    revoke(input: { params: {
      /** Id that starts with key_ */
      key_id: string;
    } } & CallOptions): Promise<Answer<ApiKey>>;
  };
  audit: {
    /** Lists who changed what: an entry for each request that was carried out with a key of the account in the mode of the key used. Reads, refused requests and repeats leave none. Entries are kept for 400 days. */
    list(input?: { query?: {
      actor?: 'key' | 'driver' | 'recipient' | 'courier' | 'operator' | undefined;
      /** Only changes made with this key */
      key_id?: string | undefined;
      /** Only changes by this operation, such as CancelDelivery */
      operation?: string | undefined;
      /** Only changes of this record */
      record_id?: string | undefined;
      /** Only records created after this time */
      created_after?: string | undefined;
      /** Only records created before this time */
      created_before?: string | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<AuditEntry>;
  };
  orders: {
    /** With `settings.mechanism` `manual`, creates one order and answers with it. With `auto`, accepts 1 to 300 orders, all or none, answers 202 with a batch, and dispatches them in the background. */
    create(input: { body: {
      /** One order for manual dispatch, 1 to 300 for auto dispatch */
      orders: Array<OrderRequest>;
      /** How the orders are dispatched */
      settings?: {
        /** Whether the client dispatches step by step, or the service automatically */
        mechanism?: 'manual' | 'auto' | null | undefined;
        /** How a quote is chosen */
        quote_preference?: 'cheapest' | 'fastest' | 'preferred' | null | undefined;
        /** Providers to ask for quotes, in order of preference; default: all available to the account */
        providers?: Array<string> | null | undefined;
        /** Maximum of cost_of_delivery plus service_fee, in cents; quotes above it are not selected */
        max_cost?: number | null | undefined;
        /** Seconds */
        retry_window?: number | null | undefined;
        /** Seconds */
        retry_interval?: number | null | undefined;
      } | null | undefined;
    } } & CallOptions): Promise<Answer<Order | AcceptedBatch>>;
    /** Creates 1 to 300 orders for manual dispatch, all or none: an error names the orders it is about. Returns their IDs in the order of the request. */
    createMany(input: { body: {
      /** The orders to create, all or none */
      orders: Array<OrderRequest>;
    } } & CallOptions): Promise<Answer<CreatedOrders>>;
    /** Lists orders, filtered by status, reference, batch and time. */
    list(input?: { query?: {
      /** Only orders with one of these statuses */
      status?: Array<'open' | 'routed' | 'dispatched' | 'unfulfilled' | 'failed' | 'canceled'> | undefined;
      /** Only orders with this reference */
      external_order_ref?: string | undefined;
      /** Only orders of this batch */
      batch_id?: string | undefined;
      /** Words or parts of words of names, addresses, units, notes, items and the reference, without case or accents; the last four or more digits of a phone number; an ID or four or more characters of its beginning or end; a tracking link or its token. Results are sorted by the age of their orders, newest first */
      q?: string | undefined;
      /** Only records created after this time */
      created_after?: string | undefined;
      /** Only records created before this time */
      created_before?: string | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Order>;
    /** Returns one order, with its latest delivery where `expand=delivery` asks for it. */
    get(input: { params: {
      /** Id that starts with ord_ */
      order_id: string;
    }; query?: {
      /** Includes the latest delivery of the order in the response */
      expand?: 'delivery' | undefined;
    } } & CallOptions): Promise<Answer<Order>>;
    /** Cancels an order. Where it is dispatched, its delivery is canceled at the price of the courier. */
    cancel(input: { params: {
      /** Id that starts with ord_ */
      order_id: string;
    } } & CallOptions): Promise<Answer<Order>>;
  };
  batches: {
    /** Lists batches without their orders. */
    list(input?: { query?: {
      /** Only batches with this status */
      status?: 'processing' | 'complete' | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<BatchSummary>;
    /** Returns a batch with the outcome of each of its orders so far. */
    get(input: { params: {
      /** Id that starts with bat_ */
      batch_id: string;
    } } & CallOptions): Promise<Answer<Batch>>;
    /** Cancels the orders that are still pending. Dispatched orders stay as they are. */
    cancel(input: { params: {
      /** Id that starts with bat_ */
      batch_id: string;
    } } & CallOptions): Promise<Answer<Batch>>;
  };
  tries: {
    /** Lists the attempts of auto dispatch for an order: the provider chosen, and why each other was not. */
    list(input: { params: {
      /** The id of the order */
      order_id: string;
    }; query?: {
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Try>;
  };
  waitingOrders: {
    /** Lists the orders of auto dispatch without an outcome yet: since when each waits, why, and when the next attempt starts. */
    list(input?: { query?: {
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<WaitingOrder>;
  };
  routes: {
    /** Creates a draft route of 1 to 25 open orders. With `optimize`, stops are ordered for the shortest way with every pickup before its dropoff. */
    create(input: { body: {
      /** The orders to group, all open or failed and of one mode */
      order_ids: Array<string>;
      /** Put the stops in the shortest order, with every pickup before its dropoff */
      optimize?: boolean | null | undefined;
    } } & CallOptions): Promise<Answer<Route>>;
    /** Lists routes, filtered by status. */
    list(input?: { query?: {
      /** Only routes with this status */
      status?: 'draft' | 'dispatched' | 'completed' | 'canceled' | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Route>;
    /** Returns one route with its orders and stops. */
    get(input: { params: {
      /** Id that starts with rte_ */
      route_id: string;
    } } & CallOptions): Promise<Answer<Route>>;
    /** Deletes a draft route. Its orders are open again. */
    delete(input: { params: {
      /** Id that starts with rte_ */
      route_id: string;
    } } & CallOptions): Promise<Answer<DeletedRoute>>;
  };
  quotes: {
    /** Starts a job that asks the providers for quotes of a draft route. Read the quotes with `ListRouteQuotes`, or subscribe to `route_quotes.completed`. */
    request(input: { params: {
      /** Id that starts with rte_ */
      route_id: string;
    } } & CallOptions): Promise<Answer<Job>>;
    /** Returns the quotes of the latest request. While `status` is `PENDING`, `data` is null; then it is an array, empty if no provider quotes. */
    list(input: { params: {
      /** Id that starts with rte_ */
      route_id: string;
    } } & CallOptions): Promise<Answer<RouteQuotes>>;
  };
  dispatches: {
    /** Dispatches a draft route with one of its quotes and charges the price. Where the payment is declined or the provider refuses, the deliveries are `failed` and any payment is refunded. */
    create(input: { params: {
      /** Id that starts with rte_ */
      route_id: string;
    }; body: {
      /** The quote to dispatch with, of this route */
      quote_id: string;
      /** With a quote of your own fleet: the driver who gets the route without being asked */
      driver_id?: string | null | undefined;
      /** Tip for the driver in cents, split between the deliveries like the price */
      tip?: number | null | undefined;
    } } & CallOptions): Promise<Answer<DispatchedRoute>>;
  };
  deliveries: {
    /** Returns a quote of each provider that takes the delivery, within the call. */
    quote(input: { body: {
      /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used; required without a store */
      pickup_address?: string | null | undefined;
      /** A store to pick up from, instead of the pickup fields */
      pickup_store_id?: string | null | undefined;
      /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used */
      dropoff_address: string;
      /** Schedules the delivery; cannot be combined with dropoff_at */
      pickup_at?: string | null | undefined;
      /** Schedules the delivery; cannot be combined with pickup_at */
      dropoff_at?: string | null | undefined;
      /** The items to carry */
      items?: Array<{
        /** The name of the item */
        name: string;
        /** How many of the item */
        quantity?: number | null | undefined;
        /** One of small, medium, large, extra_large, case-insensitive; s, m, l, xl, xlarge and extra-large are accepted too */
        size?: string | null | undefined;
      }> | null | undefined;
      /** Whether the recipient has to sign; only couriers that take signatures are asked */
      request_signature?: boolean | null | undefined;
      /** The vehicle that is needed; empty for any */
      vehicle?: 'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck' | null | undefined;
    } } & CallOptions): Promise<Answer<Array<DeliveryQuote>>>;
    /** Stores a delivery in status `request`. With `initiate`, a courier is selected and charged at once. */
    create(input: { body: DeliveryRequest } & CallOptions): Promise<Answer<Delivery>>;
    /** Lists deliveries, filtered by status, reference, provider, phone number, text and time. */
    list(input?: { query?: {
      /** Only deliveries with one of these statuses or groups of statuses */
      status?: Array<'initial' | 'in_transit' | 'fulfilled' | 'canceled' | 'failed' | 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'enroute_to_return' | 'returned'> | undefined;
      /** Only deliveries with this reference */
      external_order_ref?: string | undefined;
      /** Only deliveries of this provider */
      service?: string | undefined;
      /** Phone number of the pickup or dropoff, with or without the plus sign */
      phone?: string | undefined;
      /** Words or parts of words of names, addresses, units, notes, items and the reference, without case or accents; the last four or more digits of a phone number; an ID or four or more characters of its beginning or end; a tracking link or its token. Results are sorted by the age of their orders, newest first */
      q?: string | undefined;
      /** Only active deliveries that are expected, or still under way, more than five minutes after the time that was promised at the first dispatch of their order */
      late?: boolean | undefined;
      /** Only active deliveries that have not changed since this time */
      unchanged_since?: string | undefined;
      /** Only records created after this time */
      created_after?: string | undefined;
      /** Only records created before this time */
      created_before?: string | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Delivery>;
    /** Returns one delivery with its costs, driver, proofs and history. Its fields never change; `GetDetailedDelivery` returns more. */
    get(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    } } & CallOptions): Promise<Answer<Delivery>>;
    /** Lists deliveries with the same filters as `ListDeliveries`: the same records, each with `details`. */
    listDetailed(input?: { query?: {
      /** Only deliveries with one of these statuses or groups of statuses */
      status?: Array<'initial' | 'in_transit' | 'fulfilled' | 'canceled' | 'failed' | 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'enroute_to_return' | 'returned'> | undefined;
      /** Only deliveries with this reference */
      external_order_ref?: string | undefined;
      /** Only deliveries of this provider */
      service?: string | undefined;
      /** Phone number of the pickup or dropoff, with or without the plus sign */
      phone?: string | undefined;
      /** Words or parts of words of names, addresses, units, notes, items and the reference, without case or accents; the last four or more digits of a phone number; an ID or four or more characters of its beginning or end; a tracking link or its token. Results are sorted by the age of their orders, newest first */
      q?: string | undefined;
      /** Only active deliveries that are expected, or still under way, more than five minutes after the time that was promised at the first dispatch of their order */
      late?: boolean | undefined;
      /** Only active deliveries that have not changed since this time */
      unchanged_since?: string | undefined;
      /** Only records created after this time */
      created_after?: string | undefined;
      /** Only records created before this time */
      created_before?: string | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<DetailedDelivery>;
    /** Returns the record of `GetDelivery` with `details`, to which fields may be added. */
    getDetailed(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    } } & CallOptions): Promise<Answer<DetailedDelivery>>;
    /** Selects a courier for a delivery in status `request` and charges the price. */
    initiate(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** A quote for the same stops and time, from `POST /v1/quote` or from a draft route with one order. That route and its order are not changed. An expired quote is replaced by a new one from the same provider, with a different id and fee */
      quote_id?: string | null | undefined;
    } } & CallOptions): Promise<Answer<Delivery>>;
    /** Changes notes, units, names and phone numbers of a delivery before its pickup. */
    edit(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** The name of the pickup place */
      pickup_name?: string | null | undefined;
      /** The phone number of the pickup place in international format */
      pickup_phone_number?: string | null | undefined;
      /** Suite or floor of the pickup */
      pickup_unit?: string | null | undefined;
      /** Notes for the driver at the pickup */
      pickup_notes?: string | null | undefined;
      /** The name of the recipient */
      dropoff_name?: string | null | undefined;
      /** The phone number of the recipient in international format */
      dropoff_phone_number?: string | null | undefined;
      /** The e-mail address of the recipient; absent without one */
      dropoff_email?: string | null | undefined;
      /** Apartment, suite or floor of the dropoff */
      dropoff_unit?: string | null | undefined;
      /** Notes for the driver at the dropoff */
      dropoff_notes?: string | null | undefined;
      /** Tip for the driver in cents, not less than before; what it adds is charged */
      tip?: number | null | undefined;
    } } & CallOptions): Promise<Answer<Delivery>>;
    /** Cancels a delivery. `GetCancellation` returns the price without canceling. */
    cancel(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** The reason for the cancellation */
      reason?: string | null | undefined;
      /** Cancel as the operator of the service; requires an admin key. It is possible on the way back, too: what was charged then stays. */
      operator?: boolean | null | undefined;
    } } & CallOptions): Promise<Answer<Delivery>>;
    /** Returns whether the delivery can be canceled, the fee, and the refund. */
    cancellation(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    } } & CallOptions): Promise<Answer<Cancellation>>;
    /** Asks providers for quotes and returns what a retry costs with the one that is selected, without storing anything. */
    retryTerms(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; query?: {
      /** How a quote is chosen */
      quote_preference?: 'cheapest' | 'fastest' | undefined;
      /** Maximum of cost_of_delivery plus service_fee, in cents; quotes above it are not selected */
      max_cost?: number | undefined;
      /** The only provider to ask. Default: all but those that ended an earlier attempt badly */
      provider?: string | undefined;
      /** A provider not to ask */
      exclude_provider?: string | undefined;
    } } & CallOptions): Promise<Answer<RetryTerms>>;
    /** Dispatches the order of a failed or canceled delivery again. The response is the new delivery. */
    retry(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** How a quote is chosen */
      quote_preference?: 'cheapest' | 'fastest' | null | undefined;
      /** Maximum of cost_of_delivery plus service_fee, in cents; quotes above it are not selected */
      max_cost?: number | null | undefined;
      /** The only provider to ask. Default: all but those that ended an earlier attempt badly */
      provider?: string | null | undefined;
      /** A provider not to ask */
      exclude_provider?: string | null | undefined;
    } } & CallOptions): Promise<Answer<Delivery>>;
    /** Marks a delivered delivery as disputed. */
    dispute(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** The reason for the dispute */
      reason: string;
    } } & CallOptions): Promise<Answer<Delivery>>;
    /** Adds a note that only the account sees: couriers, recipients and events do not get it. */
    note(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** The note */
      text: string;
      /** Short labels of the note */
      tags?: Array<string> | null | undefined;
    } } & CallOptions): Promise<Answer<DeliveryNote>>;
    /** Lists the notes that were added to a delivery. */
    notes(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; query?: {
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<DeliveryNote>;
    /** Five wrong PINs lock the handover of a delivery of your own fleet. This lifts the lock: the driver may try again, with the same PIN. */
    unlock(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    } } & CallOptions): Promise<Answer<Delivery>>;
    /** Reports the status of a delivery for a driver of your own fleet whose phone is dead, by the rules of taps on the page: statuses that must have been passed are reported with it. Neither a PIN nor a proof is needed. The note is kept as an internal note of the delivery, with `report` and the status as its tags. */
    report(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** What happened: `failed` before the pickup, or if the parcel is lost; `enroute_to_return` if it could not be handed over */
      status: 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'delivered' | 'enroute_to_return' | 'returned' | 'failed';
      /** How you know; kept as an internal note, and the reason of what failed or goes back */
      note: string;
      /** With `enroute_to_return`: why it could not be handed over */
      failure_reason?: 'recipient_unreachable' | 'recipient_refused' | 'wrong_address' | 'age_check_failed' | 'handover_failed' | null | undefined;
    } } & CallOptions): Promise<Answer<Delivery>>;
  };
  disputes: {
    /** Lists the disputes of deliveries, open and resolved ones. */
    list(input?: { query?: {
      /** Only open, or only resolved disputes */
      status?: 'open' | 'resolved' | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Dispute>;
    /** Returns the dispute of a delivery with its outcome. */
    get(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    } } & CallOptions): Promise<Answer<Dispute>>;
    /** Sets the outcome of an open dispute. With `refunded`, the amount is a new charge of the kind `refund`. */
    resolve(input: { params: {
      /** Id that starts with dlv_ */
      deliveryid: string;
    }; body: {
      /** How the dispute is resolved */
      outcome: 'refunded' | 'rejected' | 'redelivered';
      /** Amount to refund, in cents, with the outcome refunded; default: everything paid */
      amount?: number | null | undefined;
      /** An explanation of the outcome */
      note?: string | null | undefined;
    } } & CallOptions): Promise<Answer<Dispute>>;
  };
  charges: {
    /** Lists charges and refunds. The rows of a delivery add up to what was paid for it. */
    list(input?: { query?: {
      /** Only charges of this delivery */
      delivery_id?: string | undefined;
      /** Only charges of the deliveries of this order, all attempts */
      order_id?: string | undefined;
      /** Only charges of this kind */
      kind?: 'delivery' | 'tip' | 'return' | 'refund' | 'cancellation' | 'adjustment' | undefined;
      /** Only records created after this time */
      created_after?: string | undefined;
      /** Only records created before this time */
      created_before?: string | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Charge>;
  };
  events: {
    /** Lists events with the record as it was at the time of each. */
    list(input?: { query?: {
      /** Only events of these types, comma-separated. Default: all but delivery.location_updated, which are listed only if named here */
      type?: string | undefined;
      /** Only events of this delivery */
      delivery_id?: string | undefined;
      /** Only events of this batch and of its orders */
      batch_id?: string | undefined;
      /** Only events at or after this time */
      since?: string | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Event>;
    /** Returns one event. */
    get(input: { params: {
      /** Id that starts with evt_ */
      event_id: string;
    } } & CallOptions): Promise<Answer<Event>>;
    /** Sends an event again, whether it was received before or not. */
    resend(input: { params: {
      /** Id that starts with evt_ */
      event_id: string;
    }; body: {
      /** The endpoint that gets the event; all that ask for its type where absent */
      webhook_endpoint_id?: string | null | undefined;
    } } & CallOptions): Promise<Answer<EventResend>>;
  };
  webhooks: {
    /** Creates an endpoint that events are sent to. The response shows its secret once; verify signatures with it. */
    create(input: { body: {
      /** https:// URL without a user, password or fragment; http:// for a loopback address, where the service allows those */
      url: string;
      /** Event types; `*` is all but delivery.location_updated */
      events?: Array<'*' | 'route_quotes.completed' | 'order.dispatched' | 'order.unfulfilled' | 'order.failed' | 'order.canceled' | 'batch.completed' | 'delivery.created' | 'delivery.updated' | 'notice.simulated' | 'delivery.location_updated'> | null | undefined;
      /** A note for people; empty where none was given */
      description?: string | null | undefined;
    } } & CallOptions): Promise<Answer<NewWebhookEndpoint>>;
    /** Lists webhook endpoints of the mode of the key. */
    list(input?: { query?: {
      /** Only endpoints with this status */
      status?: 'enabled' | 'disabled' | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<WebhookEndpoint>;
    /** Returns one webhook endpoint with the number of its waiting events. */
    get(input: { params: {
      /** Id that starts with whe_ */
      webhook_endpoint_id: string;
    } } & CallOptions): Promise<Answer<WebhookEndpoint>>;
    /** Changes the URL, the types of events, the description or the status of an endpoint. */
    update(input: { params: {
      /** Id that starts with whe_ */
      webhook_endpoint_id: string;
    }; body: {
      /** https:// URL without a user, password or fragment; http:// for a loopback address, where the service allows those */
      url?: string | null | undefined;
      /** Event types; `*` is all but delivery.location_updated */
      events?: Array<'*' | 'route_quotes.completed' | 'order.dispatched' | 'order.unfulfilled' | 'order.failed' | 'order.canceled' | 'batch.completed' | 'delivery.created' | 'delivery.updated' | 'notice.simulated' | 'delivery.location_updated'> | null | undefined;
      /** A note for people; empty where none was given */
      description?: string | null | undefined;
      /** The status of the record */
      status?: 'enabled' | 'disabled' | null | undefined;
    } } & CallOptions): Promise<Answer<WebhookEndpoint>>;
    /** Deletes an endpoint. Events that wait for it are not sent. */
    delete(input: { params: {
      /** Id that starts with whe_ */
      webhook_endpoint_id: string;
    } } & CallOptions): Promise<Answer<DeletedWebhookEndpoint>>;
    /** Creates a new secret and shows it once. Requests carry signatures with both secrets for 24 hours. */
    rotate(input: { params: {
      /** Id that starts with whe_ */
      webhook_endpoint_id: string;
    } } & CallOptions): Promise<Answer<NewWebhookEndpoint>>;
    /** Sends a test event and returns what the endpoint answered. */
    test(input: { params: {
      /** Id that starts with whe_ */
      webhook_endpoint_id: string;
    } } & CallOptions): Promise<Answer<WebhookAttempt>>;
    /** Lists attempts to send events to an endpoint, with status codes and responses. */
    attempts(input: { params: {
      /** Id that starts with whe_ */
      webhook_endpoint_id: string;
    }; query?: {
      /** Only attempts with this status */
      status?: 'succeeded' | 'failed' | undefined;
      /** Id that starts with evt_ */
      event_id?: string | undefined;
      /** Only final attempts: with `failed`, the events that were given up */
      last?: boolean | undefined;
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<WebhookAttempt>;
  };
  stores: {
    /** Saves a pickup place. Orders name it in `pickup_store_id` instead of the pickup fields. */
    create(input: { body: StoreRequest } & CallOptions): Promise<Answer<Store>>;
    /** Lists saved pickup places. */
    list(input?: { query?: {
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Store>;
    /** Returns one saved pickup place. */
    get(input: { params: {
      /** Id that starts with str_ */
      store_id: string;
    } } & CallOptions): Promise<Answer<Store>>;
    /** Changes the fields given of a saved pickup place. */
    update(input: { params: {
      /** Id that starts with str_ */
      store_id: string;
    }; body: {
      /** The name of the pickup place */
      name?: string | null | undefined;
      /** One line: street, city, state, ZIP. Without a ZIP code, the center of the city is used */
      address?: string | null | undefined;
      /** International format with a leading plus sign */
      phone_number?: string | null | undefined;
      /** Suite or floor of the pickup place */
      unit?: string | null | undefined;
      /** Notes for the driver at the pickup */
      notes?: string | null | undefined;
      /** Shown to recipients on the tracking page; empty: no number. International format with a leading plus sign */
      support_phone_number?: string | null | undefined;
      /** Shown on the tracking page: an https URL, or a data URL of a PNG, JPEG, GIF, WebP or SVG image in base64; empty: no logo */
      logo?: string | null | undefined;
    } } & CallOptions): Promise<Answer<Store>>;
    /** Deletes a saved pickup place. Orders that were created with it keep its fields. */
    delete(input: { params: {
      /** Id that starts with str_ */
      store_id: string;
    } } & CallOptions): Promise<Answer<DeletedStore>>;
  };
  couriers: {
    /** Lists the couriers that can be connected, what each can do, which settings it takes, and whether it is connected in the mode of the key. Secrets are never returned. */
    list(input?: CallOptions): List<Courier>;
    /** Stores the settings of a courier after a call to the courier has shown that they work and are for the mode of the key. Secrets are encrypted. Enter `push_url` at the courier, so that it can report. */
    connect(input: { params: {
      /** The name of the courier, such as `uber-direct` */
      name: string;
    }; body: {
      /** The values by the names of the settings. A connected courier keeps those that are left out; an empty text removes an optional one */
      settings: {
      };
    } } & CallOptions): Promise<Answer<Courier>>;
    /** Calls the courier with the stored settings, without changing anything there. */
    check(input: { params: {
      /** The name of the courier, such as `uber-direct` */
      name: string;
    } } & CallOptions): Promise<Answer<Courier>>;
    /** Lets a disabled courier quote again. */
    enable(input: { params: {
      /** The name of the courier, such as `uber-direct` */
      name: string;
    } } & CallOptions): Promise<Answer<Courier>>;
    /** Requests no more quotes from the courier. Its deliveries under way continue. */
    disable(input: { params: {
      /** The name of the courier, such as `uber-direct` */
      name: string;
    } } & CallOptions): Promise<Answer<Courier>>;
    /** Deletes the settings of the courier. While its deliveries are under way that is refused without `force`: they would no longer be followed, and could not be canceled. */
    remove(input: { params: {
      /** The name of the courier, such as `uber-direct` */
      name: string;
    }; query?: {
      /** Also while deliveries of the courier are under way */
      force?: boolean | undefined;
    } } & CallOptions): Promise<Answer<DisconnectedCourier>>;
  };
  drivers: {
    /** Adds a driver of your own. The response shows the link of the driver's page once; only a hash of it is stored. */
    create(input: { body: {
      /** The name of the driver, as recipients see it */
      name: string;
      /** International format with a leading plus sign */
      phone_number: string;
      /** What the driver goes by */
      vehicle_type?: 'bicycle' | 'scooter' | 'car' | 'suv' | 'pickup_truck' | 'cargo_van' | 'box_truck' | null | undefined;
    } } & CallOptions): Promise<Answer<LinkedDriver>>;
    /** Lists your own drivers, with their stops and last positions. */
    list(input?: { query?: {
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<Driver>;
    /** Returns one driver. */
    get(input: { params: {
      /** Id that starts with drv_ */
      driver_id: string;
    } } & CallOptions): Promise<Answer<Driver>>;
    /** Creates a new link of the driver's page and shows it once. The old link stops working at once. */
    link(input: { params: {
      /** Id that starts with drv_ */
      driver_id: string;
    } } & CallOptions): Promise<Answer<LinkedDriver>>;
    /** Removes a driver who has no stops left. Deliveries keep the name and the phone number. */
    delete(input: { params: {
      /** Id that starts with drv_ */
      driver_id: string;
    } } & CallOptions): Promise<Answer<DeletedDriver>>;
    /** Gives a route of the fleet to a driver without asking, or takes it from another one. What is picked up by then keeps its status, PIN, charges and tracking link: only the driver and the expected time change. */
    assign(input: { params: {
      /** Id that starts with drv_ */
      driver_id: string;
    }; body: {
      /** The delivery */
      delivery_id: string;
    } } & CallOptions): Promise<Answer<Delivery>>;
  };
  driverPage: {
    /** Returns the driver's page as HTML. The token is the secret; no key is needed. */
    show(input: { params: {
      /** The last part of a tracking link */
      token: string;
    } } & CallOptions): Promise<Answer<string>>;
    /** Applies what was tapped, each tap once by its id. The token is the secret; no key is needed. Limited to sixty requests in a minute. */
    taps(input: { params: {
      /** The last part of a tracking link */
      token: string;
    }; body: {
      /** When this is sent, by the phone's clock */
      sent_at: string;
      /** What was tapped, oldest first */
      taps: Array<Tap>;
      /** Where the phone is */
      position?: {
        /** Latitude in degrees */
        lat: number;
        /** Longitude in degrees */
        lng: number;
        /** When the phone was there, by the phone's clock */
        at: string;
      } | null | undefined;
    } } & CallOptions): Promise<Answer<TapResults>>;
    /** Returns the manifest that makes the driver's page installable. */
    manifest(input: { params: {
      /** The last part of a tracking link */
      token: string;
    } } & CallOptions): Promise<Answer<string>>;
    /** Returns the service worker of the driver's page. */
    worker(input?: CallOptions): Promise<Answer<string>>;
    /** Returns a picture of a proof of delivery. The token is the secret; no key is needed. */
    picture(input: { params: {
      /** The last part of a tracking link */
      token: string;
    } } & CallOptions): Promise<Answer<string>>;
  };
  board: {
    /** Returns the dispatcher's board as HTML. The page asks for an API key and reads with it. */
    show(input?: CallOptions): Promise<Answer<string>>;
  };
  clock: {
    /** Returns the time of test mode and when the next task is due. */
    get(input?: CallOptions): Promise<Answer<Clock>>;
    /** Sets whether the time of test mode is real, scaled or moved by hand. */
    set(input: { body: {
      /** How service time passes */
      mode: 'real' | 'scaled' | 'manual';
      /** Only in scaled mode; default 60 */
      rate?: number | null | undefined;
    } } & CallOptions): Promise<Answer<Clock>>;
    /** Moves the time of test mode forward. Everything that becomes due is done at its time, in order. */
    advance(input: { body: ClockMove } & CallOptions): Promise<Answer<ClockAdvance>>;
  };
  sandbox: {
    /** Lists the scenarios that the simulated couriers can follow. */
    scenarios(input?: CallOptions): Promise<Answer<Scenarios>>;
    /** Returns the scenario of orders that name none. */
    settings(input?: CallOptions): Promise<Answer<SandboxSettings>>;
    /** Sets the scenario of orders that name none. */
    updateSettings(input: { body: {
      /** The name of the scenario; null for the happy path */
      default_scenario?: string | null | undefined;
    } } & CallOptions): Promise<Answer<SandboxSettings>>;
    /** Lists the statuses that the simulated courier can report next. */
    steps(input: { params: {
      /** Id that starts with dlv_ */
      delivery_id: string;
    } } & CallOptions): Promise<Answer<Steps>>;
    /** Makes the simulated courier report a status now. */
    step(input: { params: {
      /** Id that starts with dlv_ */
      delivery_id: string;
    }; body: {
      /** The status that the courier reports */
      status: 'request' | 'delivery_created' | 'scheduled' | 'driver_assigned' | 'enroute_pickup' | 'arrived_at_pickup' | 'pickup_complete' | 'enroute_dropoff' | 'arrived_at_dropoff' | 'dropoff_complete' | 'driver_not_assigned' | 'delivered' | 'disputed' | 'provider_canceled' | 'customer_canceled' | 'burq_canceled' | 'failed' | 'enroute_to_return' | 'returned';
    } } & CallOptions): Promise<Answer<Steps>>;
    /** Returns the state of a simulated courier company. */
    provider(input: { params: {
      /** The name of the courier company */
      name: string;
    } } & CallOptions): Promise<Answer<SandboxProvider>>;
    /** Makes a simulated courier company fail, slow down or recover. */
    updateProvider(input: { params: {
      /** The name of the courier company */
      name: string;
    }; body: {
      /** The state of the courier company */
      state: 'up' | 'down' | 'slow' | 'no_capacity';
      /** Delay of its responses in the state slow */
      slow_seconds?: number | null | undefined;
      /** How long the state lasts, in service time */
      for_seconds?: number | null | undefined;
    } } & CallOptions): Promise<Answer<SandboxProvider>>;
    /** Deletes all test records of the account and restarts its random streams from a seed. */
    reset(input: { body: {
      /** Seed of all random decisions after the reset, of all accounts */
      seed?: string | null | undefined;
    } } & CallOptions): Promise<Answer<SandboxReset>>;
  };
  failedTasks: {
    /** Lists background tasks that the service gave up. */
    list(input?: { query?: {
      /** The number of records of a page */
      limit?: number | undefined;
      /** next_cursor of the previous page */
      cursor?: string | undefined;
    } } & CallOptions): List<FailedTask>;
    /** Schedules a failed background task again. */
    retry(input: { params: {
      /** Id that starts with ftk_ */
      failed_task_id: string;
    } } & CallOptions): Promise<Answer<FailedTask>>;
    /** Deletes a failed background task. */
    dismiss(input: { params: {
      /** Id that starts with ftk_ */
      failed_task_id: string;
    } } & CallOptions): Promise<Answer<DismissedFailedTask>>;
  };
  tracking: {
    /** Returns the tracking page as HTML. The token is the secret; no key is needed. */
    show(input: { params: {
      /** The last part of a tracking link */
      token: string;
    }; query?: {
      /** Language: en or es; default: the preferred one of Accept-Language */
      lang?: string | undefined;
    } } & CallOptions): Promise<Answer<string>>;
    /** Changes the notes for the courier until the pickup. The token is the secret; no key is needed. Limited to ten changes in ten minutes. */
    update(input: { params: {
      /** The last part of a tracking link */
      token: string;
    }; body: {
      /** Notes for the driver at the dropoff */
      dropoff_notes: string;
    } } & CallOptions): Promise<Answer<TrackedDelivery>>;
  };
  service: {
    /** Returns this document. No key is needed. */
    description(input?: CallOptions): Promise<Answer<Description>>;
    /** Returns `ok` while the process runs, also if its database is unavailable. No key is needed. */
    live(input?: CallOptions): Promise<Answer<Liveness>>;
    /** Returns `ok` if the service can take requests: its database answers and is migrated, its background work makes progress, and it is not shutting down. Also at `/health/ready`. No key is needed. */
    health(input?: CallOptions): Promise<Answer<Health>>;
  };
}
