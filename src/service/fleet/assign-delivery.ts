import type { assignDelivery } from '../../contract/drivers.ts';
import { Problem } from '../../contract/errors.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { assignmentOfRoute } from '../../storage/driver-assignments.ts';
import { deliveryFor } from '../deliveries/delivery-handlers.ts';
import { deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import type { Handler } from '../http/handler.ts';
import { driverFor } from './driver-handlers.ts';
import { giveRoute } from './offer-route.ts';

/** Gives the route of a delivery to a driver, also if another one has picked up a part of it. */
export const assignToDriver: Handler<typeof assignDelivery> = async (call) => {
  const { service, params, body, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const context = { db, chance, now, providers: service.providers };
    const driver = await driverFor(db, call, params.driver_id);
    const row = await deliveryFor(db, call, body.delivery_id);
    const refused = (why: string) =>
      new Problem('delivery_not_assignable', `Delivery ${row.id} ${why}.`, [], { related_ids: [row.id] });
    if (isEnded(row.status)) throw refused(`is ${row.status}`);
    const assignment = await assignmentOfRoute(db, row.route_id);
    if (assignment === undefined) throw refused('is not with your own fleet');
    if (assignment.state !== 'accepted' || assignment.driver_id !== driver.id) {
      await giveRoute(context, assignment, driver);
    }
    return deliveryView(await deliveryFor(db, call, row.id), viewpointOf(call));
  });
};
