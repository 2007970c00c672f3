import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { deliveryWord, findDeliveryId } from '../deliveries/find-delivery.ts';
import { disputeColumns } from './dispute-columns.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show the dispute of a delivery',
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [{ command: 'waybill disputes get DELIVERY', summary: 'Show its reason and outcome' }],
  columns: disputeColumns,
  effect: 'read',
  async run(context, { positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.disputes.get({ params: { deliveryid } });
    return record(data, disputeColumns);
  },
});
