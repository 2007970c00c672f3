import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDelivery } from '../../deliveries/finding.ts';
import { duration } from '../../line/flags.ts';
import { streamFormats } from '../../line/globals.ts';

export const watch = defineCommand({
  name: 'watch',
  aliases: ['follow', 'tail'],
  summary: 'Follow a delivery until it has ended, a line for each change',
  description: [
    'Ends with 0 once it is delivered and with 9 where it ended otherwise. With --json each line is the delivery with',
    'a type: delivery.current first, then delivery.updated for each change.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    timeout: duration({ summary: 'How long; without it, until the delivery has ended. Then exit 8' }),
  },
  examples: [
    { command: 'waybill deliveries watch DELIVERY', summary: 'Until it has ended' },
    { command: 'waybill deliveries watch DELIVERY --timeout 10m --json', summary: 'For a program' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags: { timeout }, positionals }) {
    const delivery = await findDelivery(context, positionals.delivery);
    const { watchDelivery } = await import('../../deliveries/watching.ts');
    return watchDelivery(context, delivery, timeout);
  },
});
