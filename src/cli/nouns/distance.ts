/** How far the recipient is: the road miles from the pickup to the dropoff, without the stops of other orders between them. */
import { addressKey } from '../../domain/addresses.ts';
import { legTenths } from '../../domain/geography.ts';
import type { Column } from '../kit/result/result.ts';

/** The coordinates of an order, or those in the details of its delivery; other services have none. */
interface Places {
  pickup_latitude?: number;
  pickup_longitude?: number;
  pickup_precision?: string;
  dropoff_latitude?: number;
  dropoff_longitude?: number;
  dropoff_precision?: string;
}

interface Ends {
  pickup_address?: string | null;
  dropoff_address?: string | null;
  places: Places;
}

/** The column `distance_miles`: people see that it is rough where a place is the centre of a ZIP code. */
export function distanceColumns<T>(endsOf: (record: T) => Ends): Column<T>[] {
  const column = { field: 'distance_miles', header: 'Distance' };
  const shown = (record: T) => {
    const ends = endsOf(record);
    const miles = milesOf(ends);
    const { places } = ends;
    const isRough = places.pickup_precision === 'zip' || places.dropoff_precision === 'zip';
    return miles === null ? null : `${isRough ? 'about ' : ''}${miles} mi`;
  };
  return [
    { ...column, kind: 'miles', only: 'programs', value: (record) => milesOf(endsOf(record)) },
    { ...column, kind: 'text', only: 'people', value: shown },
  ];
}

function milesOf({ pickup_address, dropoff_address, places }: Ends): number | null {
  const { pickup_latitude, pickup_longitude, dropoff_latitude, dropoff_longitude } = places;
  const from = pointOf(pickup_latitude, pickup_longitude);
  const to = pointOf(dropoff_latitude, dropoff_longitude);
  if (from === null || to === null) return null;
  return addressKey(pickup_address ?? '') === addressKey(dropoff_address ?? '')
    ? 0
    : legTenths(from, to) / 10;
}

function pointOf(lat: number | undefined, lng: number | undefined) {
  return typeof lat === 'number' && typeof lng === 'number' ? { lat, lng } : null;
}
