/** What the fake courier keeps. */
import type { JsonFields } from '../../../src/providers/json-messages.ts';

/** An account as its owner sees it in the courier's dashboard. */
export interface Account {
  client_id: string;
  client_secret: string;
  customer_id: string;
  /** The key that webhooks are signed with. */
  signing_key: string;
  /** False for test credentials. */
  live_mode: boolean;
}

export interface QuoteRecord {
  id: string;
  fee: number;
  expires: number;
  /** What a create must repeat. */
  pickup_address: unknown;
  dropoff_address: unknown;
  is_used: boolean;
}

export type Status =
  | 'pending'
  | 'pickup'
  | 'pickup_complete'
  | 'dropoff'
  | 'delivered'
  | 'canceled'
  | 'returned';

export interface CourierRecord {
  name: string;
  vehicle_type: string;
  phone_number: string;
  location: { lat: number; lng: number };
  img_href: string;
}

export interface DeliveryRecord {
  /** `del_...`, or `ret_...` of a journey back to the sender. */
  id: string;
  /** The create request as it came, with later updates. */
  request: JsonFields;
  quote_id: string | null;
  status: Status;
  courier_imminent: boolean;
  courier: CourierRecord | null;
  created: number;
  updated: number;
  pickup_eta: number;
  dropoff_eta: number;
  /** With the tip. */
  fee: number;
  tip: number;
  /** The PIN that the recipient has been sent; null without one. */
  pin: string | null;
  dropoff_ended: { status: 'completed' | 'failed'; at: number } | null;
  /** The pictures taken at the dropoff; a URL is empty until its picture exists. */
  proof: { picture_url: string; signature_url: string; signer: string; pin_entered: string };
  undeliverable_reason: string;
  cancelation_reason: string | null;
  /** What Uber gives back for it. */
  refund: JsonFields | null;
  /** The other journey of a returned parcel. */
  related: { id: string; relationship: 'original' | 'returned' } | null;
}

export interface State {
  account: Account;
  /** Milliseconds since the epoch; tests may move it. */
  now: () => number;
  /** When each access token expires. */
  tokens: Map<string, number>;
  quotes: Map<string, QuoteRecord>;
  /** In the order in which they were created. */
  deliveries: Map<string, DeliveryRecord>;
  /** The next number of an id. */
  next: () => number;
}

export function newState(account: Account, now: () => number): State {
  let last = 0;
  const next = () => {
    last += 1;
    return last;
  };
  return { account, now, tokens: new Map(), quotes: new Map(), deliveries: new Map(), next };
}

export function hasEnded({ status }: DeliveryRecord): boolean {
  return status === 'delivered' || status === 'canceled' || status === 'returned';
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}
