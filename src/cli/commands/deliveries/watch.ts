import { streamFormats } from '../../kit/output/formats.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { followFlags } from '../../waiting/waiting-flags.ts';
import { endFlags, watchDelivery } from './delivery-waiting-flags.ts';
import { deliveryWord, findDelivery } from './find-delivery.ts';

export const watch = defineCommand({
  name: 'watch',
  aliases: ['follow', 'tail'],
  summary: 'Follow a delivery until it ends',
  description: [
    'Prints a line for each change. The exit code is 0 once the delivery is delivered, or reaches a status of --until',
    'or a later one, and 9 if it ends otherwise or reaches a status of --fail-on. With --json each line is the',
    'delivery with a type: delivery.current first, then delivery.updated.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: { ...endFlags, ...followFlags() },
  examples: [
    { command: 'waybill deliveries watch DELIVERY', summary: 'Follow until it ends' },
    {
      command: 'waybill deliveries watch DELIVERY --until pickup_complete',
      summary: 'Follow until pickup',
    },
    { command: 'waybill deliveries watch DELIVERY --changes-only --json', summary: 'Stream changes as JSON' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    return watchDelivery(context, delivery, flags, ['deliveries watch', {}]);
  },
});
