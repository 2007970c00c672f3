/**
 * The port to a courier company outside of this process, such as Uber Direct. An adapter is a folder beside this file;
 * it carries one order for each delivery. The service makes a `Provider` of it, which books the orders of a route one
 * after the other.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { ItemSize, VehicleType } from '../contract/vocabulary.ts';
import {
  type CancelTerms,
  type CourierDelivery,
  type CourierOrder,
  type CourierPush,
  type CourierPushAnswer,
  type CourierReport,
  type Declined,
  ProviderBusy,
  ProviderFault,
} from './port.ts';

export type {
  CourierDelivery,
  CourierItem,
  CourierOrder,
  CourierProof,
  CourierPush,
  CourierPushAnswer,
  CourierReport,
  CourierStop,
} from './port.ts';

/** A field of a courier's settings, as it is asked for. Values are strings. */
export interface SettingField {
  /** In lower case with underscores, such as `customer_id`. */
  name: string;
  /** The question in a prompt, such as "Customer ID". */
  label: string;
  /** Where the value is found, in one sentence. */
  help: string;
  /** Hidden in prompts, encrypted at rest and never shown again. */
  is_secret?: boolean;
  /** Whether the courier can be connected without it. */
  is_optional?: boolean;
  /** Whether it is the URL of the server that is sent the secrets: a new server needs them again. */
  is_server?: true;
  /** The allowed values; absent for any. */
  choices?: readonly string[];
}

/** The values of a courier's settings, by the names of its fields. */
export type CourierSettings = Readonly<Record<string, string>>;

/** The properties of a courier that a merchant chooses by. */
export interface CourierCapabilities {
  /** The vehicle types that can be required of it. */
  vehicles: readonly VehicleType[];
  largest_item: ItemSize;
  scheduled: boolean;
  signature: boolean;
  photo: boolean;
  pin: boolean;
  tip: boolean;
  /** Whether a delivery's notes or tip can be changed after it is created. */
  edits: boolean;
  /** Whether it brings back what cannot be delivered. */
  returns: boolean;
  /** Until when it takes a cancellation. */
  cancel_until: 'assigned' | 'picked_up' | 'refused';
  /** How its reports arrive: it calls the service, or the service asks. */
  reports: 'push' | 'poll';
  /** Whether it reports the driver's position. */
  location: boolean;
  /** ISO 4217 codes in upper case. */
  currencies: readonly string[];
  /** ISO 3166 codes of two letters in upper case. */
  countries: readonly string[];
  /** Whether the price of a quote is the price of the delivery. */
  binding_quotes: boolean;
  /** Whether repeating a create with the same key has no further effect. */
  idempotent_create: boolean;
}

export interface CourierQuoteRequest {
  /** Unique for each request: letters, digits and underscores. */
  key: string;
  order: CourierOrder;
  now: number;
}

export interface CourierQuote {
  kind: 'quoted';
  /** The courier's own id of the quote, which a create names. */
  reference: string;
  /** In cents of `currency`, without the tip. */
  cost: number;
  /** ISO 4217 in upper case. */
  currency: string;
  /** Null if the courier does not say it. */
  pickup_eta: number | null;
  dropoff_eta: number;
  /** Null if the quote does not expire. */
  expires_at: number | null;
  /** Whether the delivery that becomes of it has, or must have, people, units or notes of the order that was quoted. */
  is_of_order?: true;
}

export interface CourierCreateRequest {
  /** Our id of the delivery at the courier, the same for every attempt: letters, digits and underscores. */
  key: string;
  /** The courier's own id of the quote; null: book without one. */
  quote_reference: string | null;
  order: CourierOrder;
  now: number;
}

/** A delivery as booked at the courier. */
export interface CourierBooking {
  kind: 'accepted';
  /** The courier's own id of the delivery. */
  reference: string;
  /** In cents, without the tip; null if unknown. */
  cost: number | null;
  /** The courier's tracking page; null if there is none. */
  tracking_url: string | null;
  /** Whether the courier says that this is a real delivery; null if it does not say. */
  live: boolean | null;
}

/** Why a courier refuses a request: a code for programs and a sentence for people. */
export type CourierProblem = Omit<Declined, 'kind'>;

/** A refused booking: the courier has not taken it, and never will. */
export interface CourierRefusal extends CourierProblem {
  kind: 'refused';
}

/** Resolves a look-up within a create. A courier that is too busy for it may have booked: that is only a fault. */
export async function lookedUpInCreate<T>(found: Promise<T>): Promise<T> {
  return found.catch((fault: unknown) => {
    throw fault instanceof ProviderBusy ? new ProviderFault(fault.message) : fault;
  });
}

/** Changes of a booked delivery; absent fields stay. */
export interface CourierChanges {
  pickup_notes?: string;
  dropoff_notes?: string;
  /** In cents. */
  tip?: number;
}

/** The state of a connection, as found by a harmless authenticated call. */
export type CourierCheck =
  | { kind: 'connected'; mode: 'test' | 'live' | 'unknown' }
  | { kind: 'failed'; field: string | null; problem: string };

export interface CourierHttpRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  url: string;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body?: string;
  /** How the body of the response is returned: by default as text, pictures in base64. */
  body_as?: 'base64';
  /** Whether a 5xx response answers the request, and does not mean that the courier's servers fail; absent: never. */
  isAnswer?: (response: CourierHttpResponse) => boolean;
}

export interface CourierHttpResponse {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
}

/** The functions of the service that an adapter uses. */
export interface CourierPorts {
  /**
   * Sends a request. Throws `ProviderFault` if there is no complete response in time, or one with a status of 500 or
   * more that is no answer, and `ProviderBusy` for a 429 response or while the courier's circuit breaker is open. Every
   * other response is returned.
   */
  http: (request: CourierHttpRequest) => Promise<CourierHttpResponse>;
  /** Wall time in milliseconds since the epoch, for tokens and signatures. */
  now: () => number;
  /** Whether the connection is used by test keys: it must then order no real delivery. */
  test_mode: boolean;
}

/** A courier with a merchant's settings. Each call may reject with `ProviderFault`: its effect is then unknown. */
export interface Courier {
  check(): Promise<CourierCheck>;
  quote(request: CourierQuoteRequest): Promise<CourierQuote | Declined>;
  create(request: CourierCreateRequest): Promise<CourierBooking | CourierRefusal>;
  /**
   * Looks up the outcome of a create by what the create was given; null if the courier has not booked it. Absent if
   * the courier cannot be asked that.
   */
  find?(booked: Pick<CourierCreateRequest, 'key' | 'quote_reference'>): Promise<CourierBooking | null>;
  /** The cost of a cancellation now, without canceling. */
  cancelTerms(delivery: CourierDelivery): Promise<CancelTerms>;
  cancel(delivery: CourierDelivery): Promise<CancelTerms>;
  /** Changes a booked delivery. Absent if the courier takes no changes. */
  update?(delivery: CourierDelivery, changes: CourierChanges): Promise<{ kind: 'taken' } | CourierRefusal>;
  /** Verifies a push and reads its reports. Absent if the courier is only polled. */
  receive?(push: CourierPush): CourierPushAnswer;
  /** Reads the current state of a delivery as reports; a repeat has the same ids. */
  poll(delivery: CourierDelivery): Promise<readonly CourierReport[]>;
}

/** A courier company that merchants connect with settings of their own. */
export interface CourierAdapter {
  /** As in `providers`, such as `uber-direct`. */
  name: string;
  /** As people write it, such as "Uber Direct". */
  title: string;
  capabilities: CourierCapabilities;
  /** Whether it was only run against a copy of the courier's service so far. */
  is_untested_live?: true;
  settings: readonly SettingField[];
  /** How to let the courier report to waybill, in one or two sentences; shown beside the address. */
  push_setup: string | null;
  /** The hosts that it calls with these settings; secrets may be absent from them. */
  hosts(settings: CourierSettings): readonly string[];
  connect(settings: CourierSettings, ports: CourierPorts): Courier;
}

/** Compares two secrets of any length in constant time. */
export function isSameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The id of a report to which the courier gives none: a repeat has the same content. */
export function reportHash(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex').slice(0, 32);
}
