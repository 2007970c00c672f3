import type { disputeDelivery } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import { insertDispute } from '../../storage/disputes.ts';
import type { Handler } from '../http/handler.ts';
import { lockDeliveryFor } from './delivery-handlers.ts';
import { applyTransition, refusedWith } from './delivery-transitions.ts';
import { deliveryView, viewpointOf } from './delivery-view.ts';

const max_age_ms = 30 * 24 * 60 * 60 * 1000;

/** Disputes a delivery up to 30 days after it was delivered. Throws `delivery_not_disputable`. */
export const raiseDispute: Handler<typeof disputeDelivery> = async (call) => {
  const { service, params, body, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await lockDeliveryFor(db, call, params.deliveryid);
    if (row.status === 'delivered' && now - (row.ended_at ?? now) > max_age_ms) {
      throw notDisputable(row.id, 'was delivered more than 30 days ago');
    }
    const context = { db, chance, now, providers: service.providers };
    const record = { dispute_reason: body.reason };
    const disputed = await applyTransition(context, row, 'disputed', { record }).catch(
      refusedWith((status) =>
        notDisputable(row.id, `is ${status}: only a completed delivery can be disputed`),
      ),
    );
    await insertDispute(db, {
      id: row.id,
      ...call.caller.scope,
      reason: body.reason,
      ...{ outcome: null, amount: 0, note: '' },
      created_at: now,
      resolved_at: null,
    });
    return deliveryView(disputed, viewpointOf(call));
  }, 'read committed');
};

function notDisputable(id: string, why: string): Problem {
  return new Problem('delivery_not_disputable', `Delivery ${id} ${why}.`);
}
