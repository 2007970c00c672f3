import { zoneOf } from '../../../domain/time-zones.ts';

/** The IANA time zone of the store of an order or a delivery: that of its pickup address; null if it is unknown. */
export function storeZone({ pickup_address }: { pickup_address?: string | null }): string | null {
  return zoneOf(pickup_address ?? '');
}
