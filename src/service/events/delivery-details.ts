import type { DeliveryEventDetails } from '../../contract/delivery-details.ts';
import type { DisputeOutcome } from '../../contract/vocabulary.ts';

/**
 * What the event log stores about a delivery besides its version 1 record: only what that record does not say, without
 * empty fields.
 */
export interface StoredDetails {
  dropoff_email?: string;
  dispute_outcome?: DisputeOutcome;
}

/** The details of a delivery from its version 1 record and what is stored besides. */
export function deliveryDetails(
  { dropoff_email = '', dispute_outcome }: StoredDetails,
  { dispute_reason: reason }: { dispute_reason: string | null },
): DeliveryEventDetails {
  return { dropoff_email, dispute: reason === null ? null : { reason, outcome: dispute_outcome ?? null } };
}
