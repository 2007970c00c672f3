/** The rows of webhook endpoints, of the messages that wait for them, and of the attempts to send these. */
import type { Generated, Selectable } from 'kysely';
import type { AttemptStatus, EndpointStatus, MessageStatus } from '../contract/vocabulary.ts';
import type { Scope } from './rows.ts';

export interface WebhookEndpointRow extends Scope {
  id: string;
  url: string;
  /** JSON: the subscribed types. */
  events: string;
  description: string;
  status: EndpointStatus;
  /** Empty while the endpoint is enabled. */
  disabled_reason: string;
  disabled_at: number | null;
  /** Until when nothing is sent, because the endpoint has asked for that; null if it has not. */
  held_until: number | null;
  /** Encrypted; in plain text if it was stored before secrets were encrypted. */
  secret: string;
  /** JSON: the previous secrets that still sign, latest first: see `PreviousSecret`. */
  previous_secrets: string;
  created_at: number;
  updated_at: number;
}

/** An event that is waiting to be sent to an endpoint, or was given up; delivered ones are deleted. */
export interface WebhookMessageTable extends Scope {
  /** Assigned by the engine in insertion order. */
  sequence: Generated<number>;
  endpoint_id: string;
  event_id: string;
  /** The messages of one queue are sent one after another. */
  queue: string;
  status: Exclude<MessageStatus, 'delivered'>;
  /** The attempts since it was queued or resent. */
  attempts: number;
  /** All attempts for the event and endpoint. */
  sends: number;
  /** Null while another message of its queue precedes it, and if it was given up. */
  due_at: number | null;
  /** The fencing token: incremented by every claim. */
  claim: Generated<number>;
  /** Lease time: see `LeaseTime`. */
  claimed_until: Generated<number | null>;
  created_at: number;
}

export type WebhookMessageRow = Selectable<WebhookMessageTable>;

/** One attempt to send an event to an endpoint. */
export interface WebhookAttemptTable extends Scope {
  /** Assigned by the engine in insertion order. */
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
