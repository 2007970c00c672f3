import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { deliverySummary } from './delivery-columns.ts';
import { deliveryWord, findDeliveryId, foundBy } from './find-delivery.ts';

export const unlock = defineCommand({
  name: 'unlock',
  summary: 'Let a driver try PINs again after five wrong ones',
  description: [
    'Five wrong PINs lock the handover of a delivery of your own fleet: the driver cannot report it as delivered, even',
    `with the right PIN. The PIN stays the same after the lock is lifted. ${foundBy}`,
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [{ command: 'waybill deliveries unlock DELIVERY', summary: 'Lift the lock' }],
  effect: 'write',
  async run(context, { positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.deliveries.unlock({
      params: { deliveryid },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [`Unlocked ${data.id}: the driver may try again.`] });
  },
});
