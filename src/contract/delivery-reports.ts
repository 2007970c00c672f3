import { Delivery, deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';

export const unlockDelivery = operation({
  id: 'UnlockDelivery',
  method: 'POST',
  path: '/v2/deliveries/{deliveryid}/unlock',
  summary: 'Accept PINs again for a handover that wrong PINs have locked',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  answer: Delivery,
  errors: ['record_not_found', 'delivery_not_locked'],
});
