import type { DriverVehicle } from '../contract/vocabulary.ts';
import type { Flag, Scope } from './scope.ts';

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
  /** JSON: the last known position with its time; null before the first. */
  position: string | null;
  /** JSON: the stops of the accepted routes, in the order of driving. */
  plan: string;
  created_at: number;
  updated_at: number;
}

/** The dispatch of a route to the own fleet, and the driver it is offered to or driven by. */
export interface DriverAssignmentRow extends Scope {
  dispatch_id: string;
  route_id: string;
  /** Null once it has ended without a driver. */
  driver_id: string | null;
  state: 'offered' | 'accepted' | 'ended';
  /** The number of the current offer, from 1. */
  offer: number;
  /** When the offer passes to the next driver; null unless it is offered. */
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

/** A picture that a driver took at the handover. */
export interface ProofPictureRow extends Scope {
  /** The unguessable last part of its URL. */
  id: string;
  delivery_id: string;
  /** A JPEG in base64. */
  data: string;
  created_at: number;
}
