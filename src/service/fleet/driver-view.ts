import type { Driver } from '../../contract/drivers.ts';
import { isPickedUp } from '../../domain/delivery-states.ts';
import { isPinLocked } from '../../domain/order-rules.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { instant } from '../runtime/timestamps.ts';
import { acceptedDeliveries, type DriverLoad, positionOf } from './driver-load.ts';

/** A driver as returned by the API. */
export function driverView(load: DriverLoad): Driver {
  const { driver: row, stops } = load;
  const position = positionOf(row);
  return {
    id: row.id,
    object: 'driver',
    name: row.name,
    phone_number: row.phone,
    vehicle_type: row.vehicle_type,
    on_duty: row.on_duty === 1,
    stops_left: stops.length,
    deliveries: acceptedDeliveries(load).map((each) => ({
      ...{ id: each.id, external_order_ref: each.external_order_ref, picked_up: isPickedUp(each.status) },
      pin_locked: isPinLocked(deliveryRecord(each)),
    })),
    location:
      position === null ? null : { lat: position.lat, lng: position.lng, recorded_at: instant(position.at) },
    test_mode: row.test_mode === 1,
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
