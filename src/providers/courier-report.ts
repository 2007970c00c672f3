import type { DeliveryStatus, ProofType } from '../contract/vocabulary.ts';
import type { ReportedCosts } from '../domain/courier-bills.ts';
import type { Report } from './report.ts';

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
