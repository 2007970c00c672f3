import type { Vehicle } from '../contract/deliveries.ts';
import type {
  DeliveryStatus,
  FailureReason,
  ItemSize,
  ProofType,
  UndeliverableAction,
  VehicleType,
} from '../contract/vocabulary.ts';
import type { ReportedCosts } from '../domain/charges.ts';
import type { Waypoint } from '../domain/geography.ts';

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
  /** What the courier charges for the delivery. */
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
  /** Of the house; absent if only the address is known. */
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
  /** What the courier does with a parcel that it cannot hand over. */
  undeliverable_action: UndeliverableAction;
  /** At most one of the two is set; both null: as soon as possible. */
  pickup_at: number | null;
  dropoff_at: number | null;
}
