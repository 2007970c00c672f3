/** What the service knows of couriers: the calls that every one implements, and what they report. */
import type { Vehicle } from '../contract/deliveries.ts';
import type {
  CoarsePrecision,
  DeliveryStatus,
  FailureReason,
  ItemSize,
  ProofType,
  UndeliverableAction,
  VehicleType,
} from '../contract/vocabulary.ts';
import type { ReportedCosts } from '../domain/charges.ts';
import type { Waypoint } from '../domain/geography.ts';
import type { Scenario } from '../domain/scenarios.ts';
import type { Stop } from '../domain/stops.ts';

/** The driver as reported by the provider; null fields are unknown. */
export interface Driver {
  /** The id of an own driver; absent for others. */
  id?: string;
  name: string | null;
  image: string | null;
  /** Digits only. */
  phone: string | null;
  vehicle_type: string | null;
  vehicle: Vehicle | null;
}

/** A provider's report about one order. Unknown fields are absent. */
export interface Report {
  /** The provider's id of the report: a repeat has the same id. */
  id: string;
  order_id: string;
  /** Null if the report is not about a status. */
  status: DeliveryStatus | null;
  /** When it happened, possibly long before it was reported; milliseconds since the epoch. */
  occurred_at: number;
  driver?: Driver;
  /** The driver's path as far as it is known; simulated couriers plan it ahead. Empty: no position is reported. */
  way?: readonly Waypoint[];
  pickup_eta?: number;
  /** The expected handover to the recipient. */
  dropoff_eta?: number;
  proof?: readonly { type: ProofType; url: string }[];
  signature?: { name: string; image_url: string };
  /** Why an own driver took no photo. */
  no_photo_reason?: string;
  /** True if an own driver handed it over with a wrong PIN that could not be checked at the door. */
  pin_unverified?: boolean;
  /** The PIN that the recipient gives the driver at the handover. */
  pin?: string;
  /** Why the delivery failed, was canceled or is being returned, for people. */
  reason?: string;
  /** Why the delivery failed or is being returned, as a code. */
  failure_reason?: FailureReason;
}

/** The delivery at the courier that a call is about. */
export interface CourierDelivery {
  /** Our id, as given to `create`. */
  key: string;
  /** The courier's own id. */
  reference: string;
  /** The last known status. */
  status: DeliveryStatus;
  now: number;
}

/** A report of a courier. `order_id` of `Report` is filled in by the service, from `key` or `reference`. */
export interface CourierReport extends Omit<Report, 'order_id' | 'way' | 'proof' | 'signature'> {
  /** Our id of the delivery, if the courier names it. */
  key: string | null;
  /** The courier's own id of the delivery, if the courier names it. */
  reference: string | null;
  /** The driver's position when it happened. */
  position?: { lat: number; lng: number };
  /** The pictures to copy: a link, or the picture itself in base64. */
  proofs?: readonly CourierProof[];
  /** The name of the person who signed. */
  signer?: string;
  costs?: ReportedCosts;
  /** Whether the courier says that this is a real delivery. */
  live?: boolean;
}

export interface CourierProof {
  type: ProofType;
  url?: string;
  /** PNG or JPEG in base64. */
  data?: string;
}

/** A request that a courier sent to the service. */
export interface CourierPush {
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** The bytes as received: a signature covers exactly these. */
  body: Uint8Array;
  now: number;
}

/** The reports of a push; empty if it is about nothing that waybill keeps. */
export type CourierPushAnswer =
  | { kind: 'authentic'; reports: readonly CourierReport[] }
  | { kind: 'refused'; reason: string };

/** The pickup or the dropoff of an order. */
export interface CourierStop {
  name: string;
  /** E.164 with the leading plus. */
  phone: string;
  /** One line: street, city, state, ZIP. */
  address: string;
  unit: string;
  notes: string;
  /** The position of the building; absent if only its address is known. */
  latitude?: number;
  longitude?: number;
}

export interface CourierItem {
  name: string;
  quantity: number;
  size: ItemSize;
}

/** Everything that is known about an order. Money in cents, times in milliseconds since the epoch. */
export interface CourierOrder {
  order_id: string;
  pickup: CourierStop;
  dropoff: CourierStop;
  items: readonly CourierItem[];
  items_description: string;
  /** The merchant's own number of the order; may be empty. */
  external_order_ref: string;
  order_value: number;
  tip: number;
  request_signature: boolean;
  request_contactless: boolean;
  vehicle: VehicleType | null;
  /** How the courier handles a parcel that cannot be delivered. */
  undeliverable_action: UndeliverableAction;
  /** At most one of the two is set; both null: as soon as possible. */
  pickup_at: number | null;
  dropoff_at: number | null;
}

/** Whose providers are meant. */
export interface ProviderScope {
  account_id: string;
  test_mode: boolean;
}

/** An account in one mode, with the names of the couriers that it has connected and enabled there. */
interface ProviderAccount extends ProviderScope {
  connected: readonly string[];
}

/** A quote request for a route. Times in milliseconds since the epoch. */
export interface QuoteRequest extends ProviderScope {
  /** The round of quotes: a courier may keep its quotes under a name that is never used again. */
  job_id: string;
  now: number;
  stops: readonly Stop[];
  /** Everything about the orders, in the route's order. */
  orders: readonly CourierOrder[];
  /** The total distance in tenths of a mile. */
  distance_tenths: number;
  /** The direct distance of each order from pickup to dropoff, in the route's order. */
  direct_tenths: readonly number[];
  largest_size: ItemSize;
  /** The vehicle types that the orders require; empty for any. */
  vehicles: readonly VehicleType[];
  signature: boolean;
  /** At most one of the two is set; both null: as soon as possible. */
  pickup_at: number | null;
  dropoff_at: number | null;
  /** Whether the request named this provider. */
  asked_by_name: boolean;
  /** The driver who is to take the route; only the own fleet reads it. */
  driver_id?: string | undefined;
  /** The scenario of the route's first order; only simulated couriers use it. */
  scenario: Scenario;
  /** The number of the quote round, from 1: a quote that replaces an expired one has a later round. */
  round: number;
  chance: Chance;
}

/** A provider's offer. Unknown fields are absent. */
export interface Quoted {
  kind: 'quoted';
  /** In cents. */
  cost_of_delivery: number;
  /** The service's fee in cents: a courier whose bill the merchant pays directly has none. */
  service_fee: number;
  /** The cost of each order on its own, in cents: the route's price is split in this proportion. */
  order_costs: number[];
  /** The provider's own id of the quote of each order; a create names them. */
  references?: readonly string[];
  pickup_eta: number;
  /** The handover to the last recipient. */
  dropoff_eta: number;
  /** For each stop: arrival for a pickup, handover for a dropoff. */
  stop_etas: number[];
  /** Null if the offer does not expire. */
  expires_at: number | null;
  courier_name?: string;
  courier_image?: string;
  pickup_time?: number;
  vehicle_id?: string;
  /** Whether the delivery that becomes of it has, or must have, people, units or notes of the order that was quoted. */
  is_of_order?: true;
  /** How many deliveries the provider makes of the route, if it does not carry it as one run. */
  separate_deliveries?: number;
  /** Own drivers only: how coarse the places are that the times rest on; null if the houses are known. */
  eta_precision?: CoarsePrecision | null;
}

export type DeclineCode =
  | 'only_when_named'
  | 'no_courier_free'
  | 'vehicle_not_offered'
  | 'signature_not_offered'
  | 'item_too_large'
  | 'scheduled_not_taken'
  | 'scheduled_only'
  | 'too_many_stops'
  | 'too_far'
  | 'address_unknown'
  | 'address_not_served'
  | 'contact_refused'
  | 'outside_hours'
  | 'value_too_high'
  | 'quote_expired'
  | 'account_blocked'
  | 'credentials_wrong'
  | 'rate_limited'
  | 'request_refused';

/** Why a provider declines: a code for programs and a message for people. */
export interface Declined {
  kind: 'declined';
  code: DeclineCode;
  reason: string;
}

export type QuoteAnswer = Quoted | Declined;

export interface CreateRequest extends ProviderScope {
  /** The idempotency key sent to the provider: the same for every attempt of one dispatch. */
  key: string;
  /** Our reference for the dispatch, which the provider stores. */
  reference: string;
  route_id: string;
  quote_id: string;
  /** The `references` of the quote; empty if it has none. */
  quote_references: readonly string[];
  /** Everything about the orders, in the route's order. */
  orders: readonly CourierOrder[];
  /** The driver of the own fleet who gets the route; null or absent: the provider chooses. */
  driver_id?: string | null;
  now: number;
  /** The scenario of the route's first order; only simulated couriers use it. */
  scenario: Scenario;
  /** Called before each of several effects at the provider; throws if the caller may no longer act. */
  renew: () => Promise<void>;
  /** Whether an order was canceled since the request was built: a provider may send orders one after the other. */
  isCanceled: (order_id: string) => Promise<boolean>;
  /** Called between an effect at the provider and its record; a test may end the process there. */
  crash: (point: 'provider.before_send' | 'provider.after_accept') => void;
}

/** `unknown`: only a person can find out whether the provider carries the route. */
export type CreateAnswer =
  | {
      kind: 'accepted';
      reference: string;
      /** Whether a driver still has to take it: the provider then records the acceptance or refusal itself. */
      is_offered?: true;
    }
  | { kind: 'refused'; reason: string }
  | { kind: 'unknown'; reason: string };

export interface CancelRequest extends ProviderScope {
  reference: string;
  order_id: string;
  now: number;
  status: DeliveryStatus;
  accepted_at: number;
  /** The scheduled or expected pickup. */
  pickup_eta: number;
  /** This delivery's share of the provider's cost, in cents. */
  cost_of_delivery: number;
  scenario: Scenario;
}

/** The cancellation fee in cents, null if the courier does not say it; or why a cancellation is refused. */
export type CancelTerms = { kind: 'taken'; fee: number | null } | { kind: 'refused'; reason: string };

/** The response to a cancellation. `crossed`: it came too late, because the courier has already reached that status. */
export type CancelAnswer = CancelTerms & { crossed?: DeliveryStatus };

/** Changes of a delivery that a courier carries out. */
export interface UpdateRequest extends ProviderScope {
  reference: string;
  order_id: string;
  now: number;
  status: DeliveryStatus;
  /** Absent values stay. The tip is in cents. */
  changes: { pickup_notes?: string; dropoff_notes?: string; tip?: number };
  /** Whether a name, phone number or unit changes. */
  changes_contact: boolean;
}

export type UpdateAnswer = { kind: 'taken' } | { kind: 'refused'; reason: string };

/** The provider failed to respond; it is unknown whether it acted. Not an error of the service. */
export class ProviderFault extends Error {}

/** The provider rejected the call because of its rate limit, and said for how long: the call had no effect. */
export class ProviderBusy extends ProviderFault {
  readonly retry_after_seconds: number;

  constructor(message: string, retry_after_seconds: number) {
    super(message);
    this.retry_after_seconds = retry_after_seconds;
  }
}

/** An entry in a simulated courier's records; `fault` is a call that it failed to answer. */
export type RecordEntry = {
  provider: string;
  /** Our reference for the dispatch. */
  reference: string;
  /** The name of the request; a repeat has the same. */
  name: string;
  entered_at: number;
} & RecordedAction;

/** The recorded action with its response. */
type RecordedAction =
  | { kind: 'created' | 'refused'; answer: CreateAnswer }
  | { kind: 'canceled'; answer: CancelAnswer }
  | { kind: 'fault'; answer: null };

/**
 * The records of the simulated couriers. They belong to the couriers, not to the service: entries persist when the
 * service crashes during a call, and no transaction of the service covers them.
 */
export interface CourierRecords {
  /** A courier's entries of one name, in order. */
  named(provider: string, name: string): Promise<readonly RecordEntry[]>;
  /** A courier's entries for one dispatch, in order. */
  about(provider: string, reference: string): Promise<readonly RecordEntry[]>;
  enter(entry: RecordEntry): Promise<void>;
}

/**
 * A courier company, simulated or real. A call may be slow or reject, and then its effect is unknown. Calls are made
 * outside of database transactions, except for quotes that are computed at once.
 */
export interface Provider {
  name: string;
  /** The delay before it responds to a quote request. */
  answer_delay_ms: number;
  /** Whether it only quotes when requested by name. */
  only_when_named: boolean;
  /** Whether it responds over a network; a provider within the process is called sequentially. */
  is_remote: boolean;
  /** Whether quotes are computed at once, so that they may be requested within a database transaction. */
  quotes_at_once: boolean;
  /** Whether recipients may call the driver at the reported phone number. */
  takes_recipient_calls: boolean;
  /** The time limit of one call; absent: the usual one. */
  time_limit_ms?: number;
  /** Whether the account may use it. */
  isAvailable(account: ProviderAccount): boolean;
  quote(request: QuoteRequest): Promise<QuoteAnswer>;
  create(request: CreateRequest): Promise<CreateAnswer>;
  /** Looks up the outcome of an earlier create; null if the provider does not know it. */
  find(request: CreateRequest): Promise<CreateAnswer | null>;
  /** The cost of a cancellation now. */
  cancelTerms(request: CancelRequest): Promise<CancelTerms>;
  /** Cancels a delivery; a repeat gets the same response. */
  cancel(request: CancelRequest): Promise<CancelAnswer>;
  /** Passes changes on to the courier. Absent if it reads the record of the delivery itself. */
  update?(request: UpdateRequest): Promise<UpdateAnswer>;
  /** The price of returning a delivery with this share of the cost, in cents. */
  returnPrice(cost_of_delivery: number): Promise<number>;
  /** How a simulated courier reports. */
  simulation?: CourierSimulation;
  /** How a courier outside of the process reports. */
  reporting?: CourierReporting;
}

/** How a courier outside of the process reports: it calls the service, or the service asks. */
interface CourierReporting {
  receive(scope: ProviderScope, push: CourierPush): Promise<CourierPushAnswer>;
  /** Reads the current state of a delivery as reports; a repeat has the same ids. */
  poll(scope: ProviderScope, delivery: CourierDelivery): Promise<readonly CourierReport[]>;
}

// The part of the port that only simulated couriers have: they plan their reports ahead.

/** Randomness as a pure function: a purpose always gets the same number in [0, 1). */
export type Chance = (purpose: string) => number;

/** A report with the time at which it arrives, in milliseconds since the epoch. */
export interface DueReport {
  due_at: number;
  report: Report;
}

/** A route accepted by a provider, with the data its couriers need. */
export interface AcceptedRoute {
  route_id: string;
  reference: string;
  accepted_at: number;
  stops: readonly Stop[];
  /** In the route's order. */
  orders: readonly AcceptedOrder[];
  /** The scheduled pickup, as quoted. */
  pickup_at: number | null;
  dropoff_at: number | null;
  /** The vehicle types that the orders require, as quoted. */
  vehicles?: readonly VehicleType[];
  /** The randomness of the quotes, so that the quoted driver is the one who drives. */
  chance: Chance;
}

export interface AcceptedOrder {
  /** The key of random decisions about it; absent without a chosen seed. */
  fate?: string;
  order_id: string;
  /** The recipient's name. */
  recipient: string;
  request_signature: boolean;
  request_contactless: boolean;
  scenario: Scenario;
}

/** A status that a simulated courier reports now, in milliseconds since the epoch. */
export interface Step {
  order_id: string;
  status: DeliveryStatus;
  now: number;
  /** The number of drivers that the order has already lost; default 0. */
  lost_drivers?: number;
}

/** The reports of a simulated courier for a step and after it, in order of arrival. */
export interface Stepped {
  report: Report;
  feed: readonly DueReport[];
}

/** The reports of a simulated courier, which it plans ahead. */
export interface CourierSimulation {
  /** All reports for a route, in order of arrival. */
  feed(route: AcceptedRoute): Promise<readonly DueReport[]>;
  /**
   * Reports a status now and continues from there as usual. Only that order gets new times; the other orders of the
   * route keep theirs.
   */
  step(route: AcceptedRoute, step: Step): Promise<Stepped>;
}
