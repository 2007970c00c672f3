import type { unlockDelivery } from '../../contract/delivery-changes.ts';
import { Problem } from '../../contract/errors.ts';
import { isPinLocked } from '../../domain/order-rules.ts';
import { lockDeliveryFor } from '../deliveries/delivery-handlers.ts';
import { saveDelivery } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord, deliveryView, viewpointOf } from '../deliveries/delivery-view.ts';
import type { Handler } from '../http/handler.ts';

/** Lifts the lock of a handover: its PIN stays the same. */
export const unlockHandover: Handler<typeof unlockDelivery> = async (call) => {
  const { service, params, now } = call;
  const chance = await service.chance();
  return call.commit(async (db) => {
    const row = await lockDeliveryFor(db, call, params.deliveryid);
    const { wrong_pins, ...record } = deliveryRecord(row);
    if (!isPinLocked({ wrong_pins })) {
      throw new Problem('delivery_not_locked', `Delivery ${row.id} is not locked.`, [], {
        related_ids: [row.id],
      });
    }
    const context = { db, chance, now, providers: service.providers };
    return deliveryView(await saveDelivery(context, row, record), viewpointOf(call));
  }, 'read committed');
};
