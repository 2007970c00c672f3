import type { Driver } from '../../contract/drivers.ts';
import type { DriverRow } from '../../storage/database.ts';
import { instant } from '../runtime/timestamps.ts';
import { positionOf } from './driver-load.ts';

/** A driver as returned by the API. */
export function driverView(row: DriverRow, stops_left: number): Driver {
  const position = positionOf(row);
  return {
    id: row.id,
    object: 'driver',
    name: row.name,
    phone_number: row.phone,
    vehicle_type: row.vehicle_type,
    on_duty: row.on_duty === 1,
    stops_left,
    location:
      position === null ? null : { lat: position.lat, lng: position.lng, recorded_at: instant(position.at) },
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
