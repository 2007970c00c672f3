import { insertStops, type PlannedStop } from '../../domain/driver-plans.ts';
import type { DeliveryRow, DriverRow } from '../../storage/database.ts';
import { updateDriver } from '../../storage/drivers.ts';
import type { TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { fixedStops, loadDriverLoad, positionOf } from './driver-load.ts';

/** The pickup places of the deliveries that go back. */
export function returnStops(deliveries: readonly DeliveryRow[]): PlannedStop[] {
  return deliveries
    .filter(({ status }) => status === 'enroute_to_return')
    .map((row) => {
      const { address, point } = deliveryRecord(row).pickup;
      return { kind: 'return', order_ids: [row.order_id], address, ...point };
    });
}

/** Adds the pickup place of what could not be handed over to a driver's plan, after all other stops. */
export async function planReturns({ db, now }: TransitionContext, driver: DriverRow): Promise<void> {
  const load = await loadDriverLoad(db, driver);
  const planned = load.stops.flatMap(({ kind, order_ids }) => (kind === 'return' ? order_ids : []));
  const stops = returnStops(load.deliveries.filter(({ order_id }) => !planned.includes(order_id)));
  const plan = insertStops(load.stops, stops, { start: positionOf(driver), fixed: fixedStops(load) });
  await updateDriver(db, { id: driver.id, plan: JSON.stringify(plan), updated_at: now });
}
