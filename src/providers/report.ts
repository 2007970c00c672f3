import type { Vehicle } from '../contract/deliveries.ts';
import type { DeliveryStatus, FailureReason, ProofType } from '../contract/vocabulary.ts';
import type { Waypoint } from '../domain/positions.ts';

/** The driver as reported by the provider; null fields are unknown. */
export interface Driver {
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
