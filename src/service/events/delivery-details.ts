import type { Delivery } from '../../contract/deliveries.ts';
import type { DeliveryEventDetails } from '../../contract/delivery-details.ts';
import type { DisputeOutcome } from '../../contract/vocabulary.ts';
import { isLate, latenessOf } from '../../domain/lateness.ts';
import { instantOrNull } from '../runtime/timestamps.ts';

/**
 * The details of a delivery in the event log: only what its version 1 record does not have, without empty fields.
 */
export interface StoredDetails {
  dropoff_email?: string;
  dispute_outcome?: DisputeOutcome;
  /** Milliseconds since the epoch. */
  next_attempt_at?: number;
  pin_locked?: boolean;
  pin_unverified?: boolean;
  no_photo_reason?: string;
}

/** The version 1 record of a delivery, and what is known besides. */
interface KnownDelivery {
  record: Pick<Delivery, 'status' | 'dropoffs' | 'status_history' | 'dispute_reason'>;
  stored: StoredDetails;
  /** Milliseconds since the epoch; null before the first dispatch of the order. */
  promised_at: number | null;
}

/** The details of a delivery at a time. */
export function deliveryDetails(
  { record, stored, promised_at: at }: KnownDelivery,
  now: number,
): DeliveryEventDetails {
  const { dropoff_email = '', dispute_outcome = null, next_attempt_at = null } = stored;
  const { pin_locked = false, pin_unverified = false, no_photo_reason = '' } = stored;
  const { status, dispute_reason: reason } = record;
  const promised_at = status === 'request' ? null : instantOrNull(at);
  const late_ms = latenessOf(record, promised_at, now);
  return {
    promised_at,
    late_seconds: late_ms === null ? null : Math.floor(late_ms / 1000),
    is_late: isLate(late_ms),
    dropoff_email,
    dispute: reason === null ? null : { reason, outcome: dispute_outcome },
    next_attempt_at: instantOrNull(next_attempt_at),
    ...{ pin_locked, pin_unverified, no_photo_reason },
  };
}
