/** How long each kind of data that deliveries no longer need is kept, in milliseconds. */
export interface Retention {
  /** Events, with the records of their webhooks. */
  events_ms: number;
  /** Attempts to send webhooks. */
  attempts_ms: number;
  /** The requests of couriers as received; their content is part of the deliveries. */
  reports_ms: number;
  /** Quotes that were not dispatched. */
  quotes_ms: number;
  /** The record of changes. */
  audit_ms: number;
  /** The people in orders and deliveries, from their end on; null: until they are erased one by one. */
  personal_data_ms: number | null;
}

const day_ms = 24 * 60 * 60_000;

export const defaultRetention: Retention = {
  events_ms: 90 * day_ms,
  attempts_ms: 30 * day_ms,
  reports_ms: 30 * day_ms,
  quotes_ms: 90 * day_ms,
  audit_ms: 400 * day_ms,
  personal_data_ms: null,
};
