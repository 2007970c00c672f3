import type { Generated, Kysely, Selectable } from 'kysely';
import type {
  ChargeKind,
  DeliveryStatus,
  DisputeOutcome,
  EventType,
  OrderStatus,
  RouteStatus,
} from '../contract/vocabulary.ts';
import type { Effect } from '../domain/delivery-states.ts';
import type { AccountRow, AuditRow, KeyRow } from './account-rows.ts';
import type { AttemptRow, BatchOrderRow, BatchRow, CourierEntryTable } from './auto-dispatch-rows.ts';
import type { CourierBookingRow, CourierRow } from './courier-rows.ts';
import type { DriverAssignmentRow, DriverRow, DriverTapRow, ProofPictureRow } from './driver-rows.ts';
import type { Scope } from './scope.ts';
import type { SearchDocumentTable } from './search-rows.ts';
import type { FailedTaskTable, TaskTable } from './task-rows.ts';
import type { WebhookAttemptTable, WebhookEndpointRow, WebhookMessageTable } from './webhook-rows.ts';

export type { AccountRow, AuditRow, KeyRow } from './account-rows.ts';
export type {
  AttemptRow,
  BatchOrderRow,
  BatchRow,
  CourierEntryRow,
  CourierEntryTable,
} from './auto-dispatch-rows.ts';
export type { CourierBookingRow, CourierRow } from './courier-rows.ts';
export type { DriverAssignmentRow, DriverRow, DriverTapRow, ProofPictureRow } from './driver-rows.ts';
export type { Flag, Scope } from './scope.ts';
export type { FailedTaskRow, FailedTaskTable, TaskRow, TaskTable } from './task-rows.ts';
export type { WebhookAttemptRow, WebhookEndpointRow, WebhookMessageRow } from './webhook-rows.ts';

/** The database or a transaction: the first argument of every query function. */
export type Connection = Kysely<Database>;

// The stored rows. Times are service time in milliseconds since the epoch unless named `wall`; amounts are cents;
// columns marked JSON are text that the service writes and reads.

export interface SettingRow {
  key: string;
  value: string;
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
  /** JSON. */
  record: string;
  /** The body of the courier's request as received; null if the report did not come in one. */
  raw: string | null;
}

export type ReportRow = Selectable<ReportTable>;

/** The events of merchants, in the order in which they occurred. */
export interface EventTable extends Scope {
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
  /** JSON: the record, without secrets. */
  data: string;
  created_at: number;
}

export type EventRow = Selectable<EventTable>;

/** A saved pickup location. */
export interface StoreRow extends Scope {
  id: string;
  /** JSON. */
  record: string;
  created_at: number;
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
  drivers: DriverRow;
  driver_assignments: DriverAssignmentRow;
  driver_taps: DriverTapRow;
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
