import type { Scope } from './scope.ts';

/** A courier that an account has connected, with settings of its own. */
export interface CourierRow extends Scope {
  /** As in `providers`, such as `uber-direct`. */
  name: string;
  state: 'enabled' | 'disabled';
  /** JSON: the settings without the secrets. */
  settings: string;
  /** The secret settings: JSON, encrypted. */
  secrets: string;
  /** The unguessable last part of the address that the courier reports to. */
  push_token: string;
  created_at: number;
  updated_at: number;
  /** When the settings were last found to work; null if never. */
  checked_at: number | null;
  /** When the courier last sent an authentic report; null if never. */
  last_push_at: number | null;
}

/** What was booked at a courier for one order of a dispatch. */
export interface CourierBookingRow extends Scope {
  dispatch_id: string;
  order_id: string;
  provider: string;
  /** Our id of the delivery at the courier. */
  key: string;
  /** `asking`: it was sent, and no response is known. */
  state: 'planned' | 'asking' | 'booked' | 'refused' | 'canceled';
  /** The courier's own id of the quote. */
  quote_reference: string | null;
  /** The courier's own id of the delivery; null until it is known. */
  reference: string | null;
  /** The courier's tracking page. */
  tracking_url: string | null;
  /** In cents, without the tip. */
  cost: number | null;
  /** What the courier took for the cancellation, in cents; null if it was not canceled or the fee is unknown. */
  cancellation_fee: number | null;
  /** What the courier has reported that it charges, as JSON; null before its first report. */
  bill: string | null;
  /** Why it was refused or canceled; in a booked one, why it is to be canceled. */
  reason: string | null;
  updated_at: number;
}
