import { defineCommand, positional } from '../../command.ts';
import { endFlags, followDelivery } from '../../deliveries/delivery-waiting-flags.ts';
import { deliveryWord, findDelivery } from '../../deliveries/finding.ts';
import { streamFormats } from '../../line/globals.ts';
import { followFlags } from '../../waiting/waiting-flags.ts';

export const watch = defineCommand({
  name: 'watch',
  aliases: ['follow', 'tail'],
  summary: 'Follow a delivery until it has ended, a line for each change',
  description: [
    'Ends with 0 once it is delivered, or at a status of --until or a later one, and with 9 where it ended otherwise,',
    'or has a status of --fail-on. With --json each line is the delivery with a type: delivery.current first, then',
    'delivery.updated for each change.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...endFlags, ...followFlags() },
  examples: [
    { command: 'waybill deliveries watch DELIVERY', summary: 'Until it has ended' },
    {
      command: 'waybill deliveries watch DELIVERY --until pickup_complete',
      summary: 'Until it is on its way',
    },
    { command: 'waybill deliveries watch DELIVERY --changes-only --json', summary: 'For a program' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    return followDelivery(context, delivery, flags, ['deliveries watch', {}]);
  },
});
