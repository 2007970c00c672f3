import type { disputeDelivery } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import type { Handler } from '../http/handler.ts';
import { deliveryFor } from './delivery-handlers.ts';
import { moveDelivery } from './delivery-transitions.ts';
import { deliveryView, viewpointOf } from './delivery-view.ts';

const latest_ms = 30 * 24 * 60 * 60 * 1000;

/** Seed 3.3: a dispute of what is said to be delivered. Throws `delivery_not_disputable`. */
export const raiseDispute: Handler<typeof disputeDelivery> = async (call) => {
  const { service, params, body, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await deliveryFor(db, call, params.deliveryid);
    requireDisputable(row, now);
    const moving = { db, chance, now, providers: service.providers };
    const disputed = await moveDelivery(moving, row, 'disputed', { record: { dispute_reason: body.reason } });
    return deliveryView(disputed, viewpointOf(call));
  });
};

function requireDisputable({ id, status, ended_at }: DeliveryRow, now: number): void {
  const refused = (why: string) => new Problem('delivery_not_disputable', `Delivery ${id} ${why}.`);
  if (status !== 'delivered') throw refused(`is ${status}: only a delivered one can be disputed`);
  if (now - (ended_at ?? now) > latest_ms) throw refused('was delivered more than 30 days ago');
}
