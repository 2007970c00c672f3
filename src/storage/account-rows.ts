import type { Scope } from './scope.ts';

export interface AccountRow {
  id: string;
  name: string;
  /** JSON. */
  live_settings: string;
  /** JSON. */
  test_settings: string;
  created_at: number;
  /** Null unless the operator has suspended the account. */
  suspended_at: number | null;
}

export interface KeyRow extends Scope {
  id: string;
  /** SHA-256 of the key; the key itself is never stored. */
  hash: string;
  last_four: string;
  name: string;
  permission: 'read' | 'write' | 'admin';
  created_at: number;
  revoked_at: number | null;
  /** Null if the key does not expire. */
  expires_at: number | null;
  /** Wall time, to the minute; null if it was never used. */
  last_used_at: number | null;
}

/** A change that was made with an API key, or by a driver, a recipient, a courier or the operator. */
export interface AuditRow extends Scope {
  /** With a key, the id of the request with another prefix. */
  id: string;
  actor: 'key' | 'driver' | 'recipient' | 'courier' | 'operator';
  /** The name of the courier, or the login of the operator. */
  actor_name: string | null;
  driver_id: string | null;
  /** Empty without a key. */
  key_id: string;
  /** Empty without a key. */
  key_last_four: string;
  operation: string;
  /** The button that a driver tapped, or the status that a courier reported. */
  detail: string | null;
  /** The record that was changed: its id, or the name of a courier. */
  record_id: string | null;
  /** Null if client and service are in one process. */
  address: string | null;
  /** Wall time. */
  created_at: number;
}
