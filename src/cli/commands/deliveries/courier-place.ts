import { ifSupported, unlessMissing } from '../../../client/errors.ts';
import type { Delivery } from '../../../contract/deliveries.ts';
import { isEnded, isPickedUp } from '../../../domain/delivery-states.ts';
import { greatCircleMiles } from '../../../domain/geography.ts';
import type { Context } from '../../session/command.ts';

/** How far the courier is from the next stop of a delivery, in a straight line. */
export interface CourierPlace {
  stop: 'pickup' | 'dropoff';
  miles: number;
}

/** The place of the courier from the stops of the route; null if either is unknown. */
export async function courierPlaceOf(context: Context, delivery: Delivery): Promise<CourierPlace | null> {
  const { courier_location_lat: lat, courier_location_lng: lng, route_id, order_id, status } = delivery;
  if (typeof lat !== 'number' || typeof lng !== 'number' || !route_id) return null;
  const kind = isPickedUp(status) || isEnded(status) ? 'dropoff' : 'pickup';
  const client = await context.client();
  const route = await ifSupported(unlessMissing(client.routes.get({ params: { route_id } })), null);
  const stop = route?.data.stops.find((each) => each.kind === kind && each.order_ids.includes(order_id));
  if (stop === undefined) return null;
  return { stop: kind, miles: Math.round(greatCircleMiles({ lat, lng }, stop) * 10) / 10 };
}

/** `0.9 mi from the dropoff`; with the time of the position if the delivery has ended. */
export function courierPlaceText(
  { stop, miles }: CourierPlace,
  delivery: Delivery,
  { time }: { time(iso: string): string },
): string {
  const where = miles === 0 ? `at the ${stop}` : `${miles} mi from the ${stop}`;
  const ended = delivery.status_history.at(-1)?.created_at;
  return isEnded(delivery.status) && ended !== undefined ? `${where}, ${time(ended)}` : where;
}
