import {
  base_fee,
  type DoorDashStatus,
  type FakeDelivery,
  fieldsOfDelivery,
  return_fee,
} from './deliveries.ts';

/** The event of each status; the four in lower case are sent to accounts that asked for positions. */
const events: Readonly<Partial<Record<DoorDashStatus, string>>> = {
  confirmed: 'DASHER_CONFIRMED',
  enroute_to_pickup: 'dasher_enroute_to_pickup',
  arrived_at_pickup: 'DASHER_CONFIRMED_PICKUP_ARRIVAL',
  picked_up: 'DASHER_PICKED_UP',
  enroute_to_dropoff: 'dasher_enroute_to_dropoff',
  arrived_at_dropoff: 'DASHER_CONFIRMED_DROPOFF_ARRIVAL',
  delivered: 'DASHER_DROPPED_OFF',
  enroute_to_return: 'DELIVERY_RETURN_INITIALIZED',
  arrived_at_return: 'DASHER_CONFIRMED_RETURN_ARRIVAL',
  returned: 'DELIVERY_RETURNED',
  cancelled: 'DELIVERY_CANCELLED',
};

/** The body of the webhook about a delivery's present status; null if DoorDash sends none. */
export function eventOf(delivery: FakeDelivery, now: number): string | null {
  const event_name = events[delivery.status];
  if (event_name === undefined) return null;
  const { cancellation_reason, ...known } = fieldsOfDelivery(delivery);
  const reason = delivery.status === 'cancelled' ? { reason: cancellation_reason } : {};
  return JSON.stringify({ ...known, event_name, ...reason, created_at: new Date(now).toISOString() });
}

/** What a Dasher's progress adds to a delivery. */
export function outputOf(status: DoorDashStatus, now: number): Readonly<Record<string, unknown>> {
  const at = new Date(now).toISOString();
  if (status === 'created') return { dasher_id: null, dasher_name: null, dasher_location: null };
  if (status === 'confirmed') return dasher;
  if (status === 'picked_up') {
    return {
      pickup_time_actual: at,
      pickup_verification_image_url: 'https://doordash-static.example/pickup.jpg',
    };
  }
  if (status === 'delivered') {
    return {
      dropoff_time_actual: at,
      dropoff_verification_image_url: 'https://doordash-static.example/dropoff.jpg',
      dropoff_signature_image_url: 'https://doordash-static.example/signature.png',
    };
  }
  if (status !== 'returned') return {};
  const back = { type: 'return_fee', amount: return_fee };
  return {
    ...{ return_time_actual: at, fee: base_fee + return_fee },
    fee_components: [{ type: 'distance_based_fee', amount: base_fee }, back],
  };
}

const dasher = {
  dasher_id: 1_232_142,
  dasher_name: 'John D.',
  dasher_dropoff_phone_number: '+13125557801',
  dasher_pickup_phone_number: '+13125557802',
  dasher_location: { lat: 41.8837, lng: -87.6289 },
  dasher_vehicle_make: 'Toyota',
  dasher_vehicle_model: 'Corolla',
  dasher_vehicle_year: '2006',
};
