import { Delivery, deliveryParams } from './deliveries.ts';
import { operation } from './operation.ts';
import { Exact, Type, Words } from './schema.ts';
import { handoverFailures, reportableStatuses } from './vocabulary.ts';

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

export const reportDelivery = operation({
  id: 'ReportDelivery',
  method: 'POST',
  path: '/v2/deliveries/{deliveryid}/reports',
  summary: 'Report a status for an own driver who cannot',
  tag: 'Deliveries',
  permission: 'write',
  params: deliveryParams,
  body: Exact({
    status: Type.Enum(reportableStatuses, {
      description:
        'What happened: `failed` before the pickup, or if the parcel is lost; `enroute_to_return` if it could not be ' +
        'handed over',
    }),
    note: Words(300, {
      description: 'How you know; kept as an internal note, and the reason of what failed or goes back',
    }),
    failure_reason: Type.Optional(
      Type.Enum(handoverFailures, {
        description: 'With `enroute_to_return`: why it could not be handed over',
      }),
    ),
  }),
  answer: Delivery,
  errors: ['record_not_found', 'delivery_not_reportable'],
});
