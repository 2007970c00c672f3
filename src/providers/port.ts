import type { Vehicle } from '../contract/deliveries.ts';
import type {
  DeliveryStatus,
  FailureReason,
  ItemSize,
  ProofType,
  VehicleType,
} from '../contract/vocabulary.ts';
import type { Waypoint } from '../domain/positions.ts';
import type { Scenario } from '../domain/scenarios.ts';
import type { Stop } from '../domain/stops.ts';

/** Chance as a pure function: the same purpose always gives the same number, from 0 up to but not 1. */
export type Chance = (purpose: string) => number;

/** What a provider is asked about a route. Instants in milliseconds since the epoch. */
export interface QuoteRequest {
  route_id: string;
  now: number;
  test_mode: boolean;
  stops: readonly Stop[];
  /** The whole way in tenths of a mile. */
  distance_tenths: number;
  /** The direct way of each order from its pickup to its dropoff, in the route's order. */
  direct_tenths: readonly number[];
  largest_size: ItemSize;
  /** Each that an order of the route asks for; empty where none does. */
  vehicles: readonly VehicleType[];
  /** Whether the handover must be signed for. */
  signature: boolean;
  /** At most one of the two is set; as soon as possible where neither is. */
  pickup_at: number | null;
  dropoff_at: number | null;
  /** Whether this provider was asked for by its name. */
  asked_by_name: boolean;
  /** Of the route's first order; only simulated couriers look at it. */
  scenario: Scenario;
  /** How often this was asked, from 1: a quote that replaces another is a later round. */
  round: number;
  chance: Chance;
}

/** A provider's offer. What it does not tell is absent. */
export interface Quoted {
  kind: 'quoted';
  /** In cents. */
  cost_of_delivery: number;
  /** What each order would cost on its own, in cents: the route's price is shared by it. */
  order_costs: number[];
  pickup_eta: number;
  /** When the last recipient has the parcel. */
  dropoff_eta: number;
  /** For each stop: when the courier is at a pickup, and when the recipient of a dropoff has the parcel. */
  stop_etas: number[];
  /** Null where the offer has no end. */
  expires_at: number | null;
  courier_name?: string;
  courier_image?: string;
  pickup_time?: number;
  vehicle_id?: string;
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
  | 'too_far';

/** Why a provider makes no offer: a code to count by, and a sentence for people. */
export interface Declined {
  kind: 'declined';
  code: DeclineCode;
  reason: string;
}

export type QuoteAnswer = Quoted | Declined;

/** A route given to a provider. */
export interface CreateRequest {
  /** The idempotency key that the provider sees: the same for every try of one dispatch. */
  key: string;
  /** Our name for the dispatch, which the provider keeps. */
  reference: string;
  route_id: string;
  quote_id: string;
  now: number;
  test_mode: boolean;
  /** Of the route's first order; only simulated couriers look at it. */
  scenario: Scenario;
}

export type CreateAnswer = { kind: 'accepted'; reference: string } | { kind: 'refused'; reason: string };

/** The driver as the provider tells of them; null where it does not. */
export interface Driver {
  name: string | null;
  image: string | null;
  /** Digits only. */
  phone: string | null;
  vehicle_type: string | null;
  vehicle: Vehicle | null;
}

/** What a provider tells of one order that it carries. What it does not tell is absent. */
export interface Report {
  /** The provider's own id of it: a second one with the same id says nothing new. */
  id: string;
  order_id: string;
  /** Null where it tells of something else than a status. */
  status: DeliveryStatus | null;
  /** When it happened, which may be long before it is told; milliseconds since the epoch. */
  occurred_at: number;
  driver?: Driver;
  /** The driver's way, as far as it is known: for a simulated one, planned ahead. Empty: no position is told. */
  way?: readonly Waypoint[];
  pickup_eta?: number;
  /** When the recipient has the parcel. */
  dropoff_eta?: number;
  proof?: readonly { type: ProofType; url: string }[];
  signature?: { name: string; image_url: string };
  /** Why it failed, was canceled or goes back, in words. */
  reason?: string;
  /** Why it failed or goes back, as a code. */
  failure_reason?: FailureReason;
}

/** A report with the instant at which it reaches us, in milliseconds since the epoch. */
export interface DueReport {
  due_at: number;
  report: Report;
}

/** A route that a provider has accepted, with what its couriers need to know. */
export interface AcceptedRoute {
  route_id: string;
  reference: string;
  accepted_at: number;
  stops: readonly Stop[];
  /** In the route's order. */
  orders: readonly AcceptedOrder[];
  /** The time agreed on, as it was quoted. */
  pickup_at: number | null;
  dropoff_at: number | null;
  /** Each that an order of the route asks for, as it was quoted. */
  vehicles?: readonly VehicleType[];
  /** The same as its quotes had: the driver they named is the one who comes. */
  chance: Chance;
}

export interface AcceptedOrder {
  order_id: string;
  /** Who takes it. */
  recipient: string;
  request_signature: boolean;
  request_contactless: boolean;
  scenario: Scenario;
}

/** A delivery that somebody would like to cancel. */
export interface CancelRequest {
  reference: string;
  order_id: string;
  now: number;
  status: DeliveryStatus;
  accepted_at: number;
  /** The agreed or expected pickup. */
  pickup_eta: number;
  /** This delivery's share of the provider's cost, in cents. */
  cost_of_delivery: number;
  scenario: Scenario;
}

/** What a cancellation costs, in cents, or why it is not taken. */
export type CancelTerms = { kind: 'taken'; fee: number } | { kind: 'refused'; reason: string };

/** The answer to a cancellation. `crossed`: it came too late, for the courier is at that status already. */
export type CancelAnswer = CancelTerms & { crossed?: DeliveryStatus };

/** A status at which a simulated courier is told to be now, in milliseconds since the epoch. */
export interface Step {
  order_id: string;
  status: DeliveryStatus;
  now: number;
  /** How many drivers were taken away from the order before; absent: none. */
  lost_drivers?: number;
}

/** What a simulated courier says of a step, and all that it will report of that order after it, in order of arrival. */
export interface Stepped {
  report: Report;
  feed: readonly DueReport[];
}

/** A call that a provider failed to answer, whatever it did: no fault of the service. */
export class ProviderFault extends Error {}

/** A provider that takes no more calls for now, and says how long: the call did nothing. */
export class ProviderBusy extends ProviderFault {
  readonly retry_after_seconds: number;

  constructor(message: string, retry_after_seconds: number) {
    super(message);
    this.retry_after_seconds = retry_after_seconds;
  }
}

/** What a simulated courier wrote down for itself: `fault` is a call that it failed to answer. */
export type BookEntry = {
  provider: string;
  /** Our name for the dispatch. */
  reference: string;
  /** What it was asked, in one word: a repeat has the same. */
  name: string;
  entered_at: number;
} & Booked;

/** What it did, with the answer to it. */
type Booked =
  | { kind: 'created' | 'refused'; answer: CreateAnswer }
  | { kind: 'canceled'; answer: CancelAnswer }
  | { kind: 'fault'; answer: null };

/**
 * The books of the simulated courier companies. They are theirs and not the service's: what they wrote down stays
 * written when the service ends in the middle of a call, and no transaction of the service covers it.
 */
export interface CourierBooks {
  /** What a courier wrote down under one name, in order. */
  named(provider: string, name: string): Promise<readonly BookEntry[]>;
  /** What it wrote down of one dispatch, in order. */
  about(provider: string, reference: string): Promise<readonly BookEntry[]>;
  enter(entry: BookEntry): Promise<void>;
}

/**
 * A courier company, simulated or real. Its calls may take long and may reject: then nobody knows what it
 * did. They are made outside every database transaction.
 */
export interface Provider {
  name: string;
  /** How long it thinks about a quote. */
  answer_delay_ms: number;
  /** Whether it is only asked where somebody named it. */
  only_when_named: boolean;
  /** Whether its answers come over a network: one that answers within the process is asked in order, one by one. */
  is_remote: boolean;
  /** Whether a repeated create with one key is still one delivery. */
  idempotent_create: boolean;
  quote(request: QuoteRequest): Promise<QuoteAnswer>;
  create(request: CreateRequest): Promise<CreateAnswer>;
  /** What became of a create, by our reference; null where the provider never heard of it. */
  find(reference: string): Promise<CreateAnswer | null>;
  /** What a cancellation would cost now. */
  cancelTerms(request: CancelRequest): Promise<CancelTerms>;
  /** Cancels; a repeat is answered like the first. */
  cancel(request: CancelRequest): Promise<CancelAnswer>;
  /** What is paid for the way back of a delivery with this share of the cost, in cents. */
  returnPrice(cost_of_delivery: number): Promise<number>;
  /** All that a simulated courier will report of a route, in order of arrival; a real one's feed is its own. */
  feed(route: AcceptedRoute): Promise<readonly DueReport[]>;
  /**
   * Tells the simulated courier to be at a status now: it goes there at once, and on from there as it ordinarily
   * would. Only that order gets new times; the others of its route keep theirs.
   */
  step(route: AcceptedRoute, step: Step): Promise<Stepped>;
}
