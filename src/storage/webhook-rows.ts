import type { Generated, Selectable } from 'kysely';
import type { AttemptStatus, EndpointStatus, MessageStatus } from '../contract/vocabulary.ts';
import type { Scope } from './scope.ts';

/** Where a merchant is told of events. */
export interface WebhookEndpointRow extends Scope {
  id: string;
  url: string;
  /** JSON: the types that it asks for. */
  events: string;
  description: string;
  status: EndpointStatus;
  /** Empty while it is enabled. */
  disabled_reason: string;
  disabled_at: number | null;
  secret: string;
  /** JSON: the secrets before it that still sign as well, the last first: see `PreviousSecret`. */
  previous_secrets: string;
  created_at: number;
  updated_at: number;
}

/** An event that an endpoint has yet to get, or was given up; what has arrived is no longer here. */
export interface WebhookMessageTable extends Scope {
  /** Given by the engine, in order of writing. */
  sequence: Generated<number>;
  endpoint_id: string;
  event_id: string;
  /** The messages of one queue go to an endpoint one after the other. */
  queue: string;
  status: Exclude<MessageStatus, 'delivered'>;
  /** Since it was last asked to be sent. */
  attempts: number;
  /** All attempts there were. */
  sends: number;
  /** Null while another of its queue comes before it, and where it was given up. */
  due_at: number | null;
  /** Goes up by one with every claim: the fence. */
  claim: Generated<number>;
  /** Lease time: see `LeaseTime`. */
  claimed_until: Generated<number | null>;
  created_at: number;
}

export type WebhookMessageRow = Selectable<WebhookMessageTable>;

/** One attempt to send an event to an endpoint. */
export interface WebhookAttemptTable extends Scope {
  /** Given by the engine, in order of writing. */
  sequence: Generated<number>;
  id: string;
  endpoint_id: string;
  event_id: string;
  number: number;
  status: AttemptStatus;
  status_code: number | null;
  reason: string;
  response: string;
  duration_ms: number;
  next_attempt_at: number | null;
  created_at: number;
}

export type WebhookAttemptRow = Selectable<WebhookAttemptTable>;
