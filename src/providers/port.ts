import type { ItemSize, VehicleType } from '../contract/vocabulary.ts';
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
  /** Arrival at the last stop. */
  dropoff_eta: number;
  /** Arrival at each stop. */
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
}

export type CreateAnswer = { kind: 'accepted'; reference: string } | { kind: 'refused'; reason: string };

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
  /** Whether a repeated create with one key is still one delivery. */
  idempotent_create: boolean;
  quote(request: QuoteRequest): Promise<QuoteAnswer>;
  create(request: CreateRequest): Promise<CreateAnswer>;
  /** What became of a create, by our reference; null where the provider never heard of it. */
  find(reference: string): Promise<CreateAnswer | null>;
}
