import { chargeColumns } from '../../columns/charges.ts';
import { defineCommand } from '../../command.ts';
import { findDeliveryId } from '../../deliveries/finding.ts';
import { text } from '../../line/flags.ts';
import { listing, pagingFlags } from '../../line/listing.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List what was charged and given back, newest first',
  description: 'Refunds are negative: the rows of a delivery sum to what was really paid for it.',
  flags: {
    delivery: text({
      summary: 'Of this delivery: its id, your reference, or a phone number',
      placeholder: 'DELIVERY',
      aliases: ['delivery-id'],
    }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill charges list --delivery DELIVERY', summary: 'What a delivery cost' },
    { command: 'waybill charges list --all -o csv', summary: 'Everything, for a spreadsheet' },
  ],
  effect: 'read',
  async run(context, { flags }) {
    const client = await context.client();
    const delivery = flags.delivery && (await findDeliveryId(context, flags.delivery));
    return listing({
      list: client.charges.list,
      query: { delivery_id: delivery },
      paging: flags,
      columns: chargeColumns,
      command: ['charges', 'list'],
      filters: { delivery },
      empty: 'No charges found.',
    });
  },
});
