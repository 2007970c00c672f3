import type { VehicleType } from '../contract/vocabulary.ts';
import { sizeNames } from '../domain/item-sizes.ts';
import type { CourierAdapter } from './courier.ts';
import type { DeclineCode, Declined, QuoteRequest } from './port.ts';

/** Why a courier cannot carry a route whatever its price; null if it can. */
export function declineByCapabilities(
  { title, capabilities }: Pick<CourierAdapter, 'title' | 'capabilities'>,
  request: QuoteRequest,
): Declined | null {
  const { vehicles, signature, largest_size, pickup_at, dropoff_at } = request;
  const declined = (code: DeclineCode, what: string): Declined => {
    return { kind: 'declined', code, reason: `${title} ${what}` };
  };
  const missing = vehicles.find((vehicle: VehicleType) => !capabilities.vehicles.includes(vehicle));
  if (missing !== undefined) return declined('vehicle_not_offered', `does not offer the vehicle ${missing}`);
  if (signature && !capabilities.signature)
    return declined('signature_not_offered', 'does not collect signatures');
  const isScheduled = pickup_at !== null || dropoff_at !== null;
  if (isScheduled && !capabilities.scheduled)
    return declined('scheduled_not_taken', 'takes no scheduled deliveries');
  if (sizeNames.indexOf(largest_size) > sizeNames.indexOf(capabilities.largest_item)) {
    return declined('item_too_large', `carries items up to the size ${capabilities.largest_item}`);
  }
  return null;
}
