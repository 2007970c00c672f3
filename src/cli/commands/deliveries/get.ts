import { deliveryFields } from '../../columns/deliveries.ts';
import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDelivery } from '../../deliveries/finding.ts';
import { record } from '../../result.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a delivery',
  description: 'Found by its id, by your own order reference, or by a phone number of either end.',
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [
    { command: 'waybill deliveries get DELIVERY', summary: 'Everything about it' },
    { command: 'waybill deliveries get "#1042"', summary: 'By your own reference' },
    { command: 'waybill deliveries get +13125550142', summary: 'By phone' },
  ],
  effect: 'read',
  async run(context, { positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    return record(delivery, deliveryFields(delivery));
  },
});
