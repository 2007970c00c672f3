/** The tables and their rows: the types of every query. Tables are created and changed by `migrations.ts`. */
import type { Generated, Kysely, Selectable } from 'kysely';
import type {
  BatchStatus,
  ChargeKind,
  DeliveryStatus,
  DisputeOutcome,
  DriverVehicle,
  EventType,
  OrderStatus,
  Outcome,
  RouteStatus,
  TryStatus,
} from '../contract/vocabulary.ts';
import type { Effect } from '../domain/delivery-states.ts';
import type { Flag, Scope } from './rows.ts';
import type { WebhookAttemptTable, WebhookEndpointRow, WebhookMessageTable } from './webhook-rows.ts';

export type { Flag, Scope } from './rows.ts';
export type { WebhookAttemptRow, WebhookEndpointRow, WebhookMessageRow } from './webhook-rows.ts';

/** The database or a transaction: the first argument of every query function. */
export type Connection = Kysely<Database>;

/** All tables. */
export interface Database {
  settings: SettingRow;
  accounts: AccountRow;
  api_keys: KeyRow;
  orders: OrderRow;
  routes: RouteRow;
  jobs: JobRow;
  quotes: QuoteRow;
  quote_declines: QuoteDeclineRow;
  dispatches: DispatchRow;
  deliveries: DeliveryRow;
  charges: ChargeRow;
  disputes: DisputeRow;
  delivery_notes: DeliveryNoteRow;
  reports: ReportTable;
  events: EventTable;
  webhook_endpoints: WebhookEndpointRow;
  webhook_messages: WebhookMessageTable;
  webhook_attempts: WebhookAttemptTable;
  search_documents: SearchDocumentTable;
  stores: StoreRow;
  geocoded_places: GeocodedPlaceRow;
  drivers: DriverRow;
  driver_assignments: DriverAssignmentRow;
  driver_taps: DriverTapRow;
  push_keys: PushKeyRow;
  driver_pushes: DriverPushRow;
  proof_pictures: ProofPictureRow;
  batches: BatchRow;
  batch_orders: BatchOrderRow;
  tries: AttemptRow;
  courier_entries: CourierEntryTable;
  couriers: CourierRow;
  courier_bookings: CourierBookingRow;
  idempotency_keys: IdempotencyRow;
  tasks: TaskTable;
  failed_tasks: FailedTaskTable;
  audit_entries: AuditRow;
}

// The stored rows. Times are service time in milliseconds since the epoch unless named `wall`; amounts are cents;
// columns marked JSON are text that the service writes and reads.

interface SettingRow {
  key: string;
  value: string;
}

export interface AccountRow {
  id: string;
  name: string;
  /** JSON. */
  live_settings: string;
  /** JSON. */
  test_settings: string;
  created_at: number;
  /** Null unless the operator has suspended the account. */
  suspended_at: number | null;
}

export interface KeyRow extends Scope {
  id: string;
  /** SHA-256 of the key; the key itself is never stored. */
  hash: string;
  last_four: string;
  name: string;
  permission: 'read' | 'write' | 'admin';
  created_at: number;
  revoked_at: number | null;
  /** Null if the key does not expire. */
  expires_at: number | null;
  /** Wall time, to the minute; null if it was never used. */
  last_used_at: number | null;
}

export interface OrderRow extends Scope {
  id: string;
  status: OrderStatus;
  route_id: string | null;
  delivery_id: string | null;
  batch_id: string | null;
  external_order_ref: string;
  /** JSON: the request's fields, with normalized addresses and phone numbers. */
  record: string;
  /** When its personal data was erased by its age; null before. */
  erased_at: number | null;
  created_at: number;
  updated_at: number;
}

export interface RouteRow extends Scope {
  id: string;
  status: RouteStatus;
  /** JSON. */
  order_ids: string;
  /** JSON. */
  stops: string;
  distance_tenths: number;
  created_at: number;
  updated_at: number;
}

/** One round of quote requests to the providers. */
export interface JobRow {
  id: string;
  account_id: string;
  route_id: string;
  /** The number of the round within its route, from 1. */
  round: number;
  status: 'PENDING' | 'COMPLETE';
  /** The number of providers that were asked. */
  asked: number;
  requested_at: number;
  completed_at: number | null;
}

export interface QuoteRow {
  id: string;
  account_id: string;
  route_id: string;
  job_id: string;
  provider: string;
  cost_of_delivery: number;
  service_fee: number;
  expires_at: number | null;
  /** JSON. */
  record: string;
  created_at: number;
  /** When it initiated a delivery; null before. */
  used_at: number | null;
}

export interface QuoteDeclineRow {
  job_id: string;
  provider: string;
  code: string;
  reason: string;
  created_at: number;
}

/** The intent to dispatch a route to a provider, written before the provider is called. */
export interface DispatchRow {
  id: string;
  account_id: string;
  route_id: string;
  quote_id: string;
  provider: string;
  /** The key that the provider receives; unique per provider. */
  provider_key: string;
  /** The caller's idempotency key. */
  request_key: string | null;
  state: 'asking' | 'accepted' | 'refused';
  reason: string | null;
  /** Why only a person can find out whether the provider has accepted; null if the service can. */
  unsettled: string | null;
  created_at: number;
  updated_at: number;
}

export interface DeliveryRow extends Scope {
  id: string;
  order_id: string;
  route_id: string;
  status: DeliveryStatus;
  service: string;
  external_order_ref: string;
  pickup_phone: string;
  dropoff_phone: string;
  /** The unguessable last part of the tracking link. */
  tracking_token: string;
  dropoff_eta: number;
  /** The store of the pickup; null without one. */
  store_id: string | null;
  /** The agreed time of the dropoff; null for as soon as possible. */
  dropoff_at: number | null;
  /** When the recipient was promised the delivery, at the first dispatch of its order; null before. */
  promised_at: number | null;
  /** Null while the delivery is active. */
  ended_at: number | null;
  /** JSON. */
  record: string;
  /** When its personal data was erased by its age; null before. */
  erased_at: number | null;
  created_at: number;
  updated_at: number;
}

/** One charge or refund; refunds are negative. */
export interface ChargeRow extends Scope {
  id: string;
  delivery_id: string;
  kind: ChargeKind;
  amount: number;
  /** Of an adjustment, what the courier charges or gives back; null for other kinds. */
  reason: string | null;
  created_at: number;
}

/** The dispute of a delivery, under the delivery's id. */
export interface DisputeRow extends Scope {
  id: string;
  reason: string;
  /** Null while it is open. */
  outcome: DisputeOutcome | null;
  /** The refund in cents. */
  amount: number;
  note: string;
  created_at: number;
  resolved_at: number | null;
}

/** An internal note of a delivery. */
export interface DeliveryNoteRow extends Scope {
  id: string;
  delivery_id: string;
  note: string;
  /** An array of texts, as JSON. */
  tags: string;
  created_at: number;
}

/** A provider's report about a delivery, stored whether or not it had an effect. */
export interface ReportTable {
  /** Assigned by the engine in order of arrival. */
  sequence: Generated<number>;
  provider: string;
  provider_report_id: string;
  account_id: string;
  delivery_id: string;
  status: DeliveryStatus | null;
  effect: Effect;
  occurred_at: number;
  received_at: number;
  /** JSON; null if the report was applied as it is. */
  record: string | null;
  /** The body of the courier's request as received; null if the report did not come in one. */
  raw: string | null;
}

export type ReportRow = Selectable<ReportTable>;

/** The events of merchants, in the order in which they occurred. */
interface EventTable extends Scope {
  /** Assigned by the engine in insertion order. */
  position: Generated<number>;
  id: string;
  type: EventType;
  delivery_id: string | null;
  batch_id: string | null;
  /** The order of an order's event that has no delivery; null for others. */
  order_id: string | null;
  /** The number of the event within its delivery, from 1; null for other events. */
  sequence: number | null;
  /** JSON of the record, without secrets, compressed. */
  data: Uint8Array;
  created_at: number;
}

/** An event with its data as JSON. */
export type EventRow = Omit<Selectable<EventTable>, 'data'> & { data: string };

/** The text by which an order and its deliveries are searched. */
interface SearchDocumentTable extends Scope {
  /** Assigned by the engine in insertion order. */
  number: Generated<number>;
  order_id: string;
  text: string;
}

/** A saved pickup location. */
export interface StoreRow extends Scope {
  id: string;
  /** JSON. */
  record: string;
  created_at: number;
  updated_at: number;
}

/** The stored answer of a geocoder about an address. */
export interface GeocodedPlaceRow {
  /** Normalized, in lower case. */
  address: string;
  geocoder: string;
  /** A `Finding`, as JSON. */
  found: string;
  /** Wall time. */
  found_at: number;
}

/** A driver of a merchant's own fleet. */
export interface DriverRow extends Scope {
  id: string;
  name: string;
  /** Digits only. */
  phone: string;
  vehicle_type: DriverVehicle;
  /** SHA-256 of the token in the link; the token itself is never stored. */
  link_hash: string;
  on_duty: Flag;
  /** Whether the driver gets routes without an offer. */
  assign_without_asking: Flag;
  /** JSON: the last known position with its time; null before the first. */
  position: string | null;
  /** JSON: the stops of the accepted routes, in the order of driving. */
  plan: string;
  /** JSON: when the phone was in contact; null before the first time. */
  contact: string | null;
  created_at: number;
  updated_at: number;
}

/** The dispatch of a route to the own fleet, and the driver it is offered to or driven by. */
export interface DriverAssignmentRow extends Scope {
  dispatch_id: string;
  route_id: string;
  /** Null once it has ended without a driver. */
  driver_id: string | null;
  /** See `service/fleet/assignments.ts`. */
  state: 'planned' | 'offered' | 'accepted' | 'ended';
  /** The number of the current offer, from 1; 0 while a scheduled route is held. */
  offer: number;
  /** Until when the driver may answer; of a held route, until when it is held (`isRouteHeld`). Null if neither. */
  answer_by: number | null;
  /** JSON: the drivers who have declined or not answered. */
  passed: string;
  created_at: number;
  updated_at: number;
}

/** A tap on the driver's page; a repeat has the same id. */
export interface DriverTapRow {
  driver_id: string;
  /** Assigned by the phone. */
  id: string;
  kind: string;
  outcome: 'done' | 'ignored' | 'refused';
  /** Service time at which the button was tapped, possibly long before it was received. */
  occurred_at: number;
  received_at: number;
}

/** The key pair with which the service signs Web Push messages (RFC 8292): one for all accounts. */
export interface PushKeyRow {
  id: string;
  public_key: string;
  /** Encrypted. */
  private_key: string;
}

/** A phone that gets Web Push messages for a driver. */
export interface DriverPushRow {
  /** SHA-256 of the address of the phone's push service. */
  id: string;
  driver_id: string;
  /** Encrypted JSON: whoever has the address can send to it. */
  subscription: string;
  created_at: number;
}

/** A picture that a driver took at the handover. */
export interface ProofPictureRow extends Scope {
  /** The unguessable last part of its URL. */
  id: string;
  delivery_id: string;
  /** A JPEG in base64. */
  data: string;
  /** The length of `data`; 0 if an earlier version stored it. */
  bytes: number;
  created_at: number;
}

/** A batch of auto dispatch. */
export interface BatchRow extends Scope {
  id: string;
  status: BatchStatus;
  order_count: number;
  /** JSON. */
  settings: string;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
}

/** The auto-dispatch state of one order. */
export interface BatchOrderRow {
  order_id: string;
  batch_id: string;
  /** Its index in the request, from 0. */
  position: number;
  external_order_ref: string;
  status: Outcome;
  attempts: number;
  next_attempt_at: number | null;
  /** JSON: see `Refusal`. */
  refusals: string;
  delivery_id: string | null;
  reason: string;
  /** How long it has waited for a paused store. */
  paused_ms: number;
  updated_at: number;
}

/** One attempt of auto dispatch. */
export interface AttemptRow extends Scope {
  id: string;
  order_id: string;
  batch_id: string;
  /** From 1. */
  number: number;
  status: TryStatus;
  route_id: string;
  provider: string | null;
  quote_id: string | null;
  delivery_id: string | null;
  reason: string;
  /** JSON. */
  left_out: string;
  created_at: number;
  ended_at: number | null;
  /** How many attempts after this one had the same answer; they have no rows of their own. */
  repeats: number;
  /** When the last of those attempts started. */
  last_at: number | null;
}

/** An entry in a simulated courier's records. */
export interface CourierEntryTable {
  /** Assigned by the engine in insertion order. */
  sequence: Generated<number>;
  provider: string;
  /** Our reference for the dispatch. */
  reference: string;
  /** The name of the request; a repeat has the same. */
  name: string;
  kind: 'created' | 'refused' | 'fault' | 'canceled';
  /** JSON. */
  answer: string;
  entered_at: number;
}

export type CourierEntryRow = Selectable<CourierEntryTable>;

/** A courier that an account has connected, with settings of its own. */
export interface CourierRow extends Scope {
  /** As in `providers`, such as `uber-direct`. */
  name: string;
  state: 'enabled' | 'disabled';
  /** JSON: the settings without the secrets. */
  settings: string;
  /** The secret settings: JSON, encrypted. */
  secrets: string;
  /** The unguessable last part of the address that the courier reports to. */
  push_token: string;
  created_at: number;
  updated_at: number;
  /** When the settings were last found to work; null if never. */
  checked_at: number | null;
  /** When the courier last sent an authentic report; null if never. */
  last_push_at: number | null;
}

/** The booking at a courier for one order of a dispatch. */
export interface CourierBookingRow extends Scope {
  dispatch_id: string;
  order_id: string;
  provider: string;
  /** Our id of the delivery at the courier. */
  key: string;
  /** `asking`: it was sent, and no response is known. */
  state: 'planned' | 'asking' | 'booked' | 'refused' | 'canceled';
  /** The courier's own id of the quote. */
  quote_reference: string | null;
  /** The courier's own id of the delivery; null until it is known. */
  reference: string | null;
  /** The courier's tracking page. */
  tracking_url: string | null;
  /** In cents, without the tip. */
  cost: number | null;
  /** The courier's fee for the cancellation, in cents; null if it was not canceled or the fee is unknown. */
  cancellation_fee: number | null;
  /** The charges that the courier has reported, as JSON; null before its first report. */
  bill: string | null;
  /** Why it was refused or canceled; in a booked one, why it is to be canceled. */
  reason: string | null;
  updated_at: number;
}

export interface IdempotencyRow extends Scope {
  key: string;
  operation: string;
  body_hash: string;
  state: 'running' | 'done';
  /** Lease time until which the runner counts as alive; also its token. */
  leased_until: number;
  /** The process that runs it; empty if its liveness cannot be checked. */
  runner: string;
  status: number | null;
  body: string | null;
  /** Wall time. */
  created_at: number;
}

export interface TaskTable {
  id: string;
  /** The account of the task's record, whose work is done in turn with that of others. */
  account_id: string;
  /** The mode of the task's record: the task is due by the clock of that mode. */
  test_mode: Flag;
  /** What the task waits for outside of the service, such as a courier; empty if for nothing. */
  lane: Generated<string>;
  kind: string;
  /** The id of the record that the task is about. */
  subject: string;
  due_at: number;
  /** Assigned by the engine in insertion order; orders equal due times. */
  sequence: Generated<number>;
  /** JSON. */
  payload: string;
  /** The fencing token: incremented by every claim. */
  claim: Generated<number>;
  /** Lease time: see `LeaseTime`. */
  claimed_until: Generated<number | null>;
  /** The number of failed attempts; an attempt cut off by a crash does not count. */
  attempts: Generated<number>;
}

export type TaskRow = Selectable<TaskTable>;

/** A task that was given up. */
export interface FailedTaskTable extends Scope {
  /** Assigned by the engine in insertion order. */
  sequence: Generated<number>;
  id: string;
  task_id: string;
  kind: string;
  subject: string;
  /** JSON. */
  payload: string;
  due_at: number;
  attempts: number;
  /** The error of the last attempt. */
  error: string;
  /** 1 if the record reached its outcome anyway, so that there is nothing left to do. */
  is_concluded: Flag;
  failed_at: number;
}

export type FailedTaskRow = Selectable<FailedTaskTable>;

/** A change that was made with an API key, or by a driver, a recipient, a courier or the operator. */
export interface AuditRow extends Scope {
  /** With a key, the id of the request with another prefix. */
  id: string;
  actor: 'key' | 'driver' | 'recipient' | 'courier' | 'operator';
  /** The name of the courier, or the login of the operator. */
  actor_name: string | null;
  driver_id: string | null;
  /** Empty without a key. */
  key_id: string;
  /** Empty without a key. */
  key_last_four: string;
  operation: string;
  /** The button that a driver tapped, the status that a courier reported, or the fields that a request changed. */
  detail: string | null;
  /** The record that was changed: its id, or the name of a courier. */
  record_id: string | null;
  /** Null if client and service are in one process. */
  address: string | null;
  /** Wall time. */
  created_at: number;
}
