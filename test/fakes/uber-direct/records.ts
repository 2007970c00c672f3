/** What the fake courier keeps. */

export type Fields = Readonly<Record<string, unknown>>;

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
  created: number;
  expires: number;
  pickup_eta: number;
  dropoff_eta: number;
  windows: Windows;
  /** What a create must repeat. */
  pickup_address: string;
  dropoff_address: string;
  external_store_id: string | null;
  is_used: boolean;
}

/** When the parcel can be picked up and dropped off, in milliseconds since the epoch. */
export interface Windows {
  pickup_ready: number;
  pickup_deadline: number;
  dropoff_ready: number;
  dropoff_deadline: number;
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
  request: Fields;
  quote_id: string | null;
  status: Status;
  courier_imminent: boolean;
  courier: CourierRecord | null;
  created: number;
  updated: number;
  pickup_eta: number;
  dropoff_eta: number;
  windows: Windows;
  /** With the tip. */
  fee: number;
  tip: number;
  /** The PIN that the recipient has been sent; null without one. */
  pin: string | null;
  pickup_completed_at: number | null;
  dropoff_ended: { status: 'completed' | 'failed'; at: number } | null;
  /** The pictures taken at the dropoff; a URL is empty until its picture exists. */
  proof: { picture_url: string; signature_url: string; signer: string; pin_entered: string };
  undeliverable_action: '' | 'returned' | 'left_at_door';
  undeliverable_reason: string;
  cancelation_reason: string | null;
  /** What Uber gives back for it. */
  refund: Fields | null;
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

export function textOf(fields: Fields, name: string): string | null {
  const value = fields[name];
  return typeof value === 'string' ? value : null;
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value))
    : {};
}

export function isoTime(at: number): string {
  return new Date(at).toISOString();
}
