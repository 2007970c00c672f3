/** The part of the port that only simulated couriers have: they plan their reports ahead. */
import type { DeliveryStatus, VehicleType } from '../contract/vocabulary.ts';
import type { Scenario } from '../domain/scenarios.ts';
import type { Stop } from '../domain/stops.ts';
import type { Report } from './report.ts';

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
  /** Whether repeating a create with the same key has no further effect. */
  idempotent_create: boolean;
  /** All reports for a route, in order of arrival. */
  feed(route: AcceptedRoute): Promise<readonly DueReport[]>;
  /**
   * Reports a status now and continues from there as usual. Only that order gets new times; the other orders of the
   * route keep theirs.
   */
  step(route: AcceptedRoute, step: Step): Promise<Stepped>;
}
