import { quotePreferences } from '../../../contract/vocabulary.ts';
import { choice } from '../../kit/args/flags.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';
import { arrivalFlags } from './delivery-waiting-flags.ts';
import { deliveryWord, findDeliveryId, foundBy } from './find-delivery.ts';

export const retry = defineCommand({
  name: 'retry',
  aliases: ['again', 'redeliver'],
  summary: 'Retry a failed or canceled delivery with fresh quotes',
  description: [
    `${foundBy} Creates a new delivery; the previous one does not change. The exit code is 9 if the new one fails`,
    'too. --wait works as in deliveries wait.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    preference: choice({
      choices: quotePreferences,
      default: 'cheapest',
      summary: 'How to select a quote',
      aliases: ['quote-preference'],
    }),
    ...{ ...arrivalFlags, ...paceFlags('30m') },
  },
  examples: [
    { command: 'waybill deliveries retry DELIVERY', summary: 'Retry with the cheapest courier' },
    {
      command: 'waybill deliveries retry DELIVERY --preference fastest',
      summary: 'Retry with the fastest courier',
    },
    {
      command: 'waybill deliveries retry DELIVERY --wait delivered',
      summary: 'Retry and wait until it arrives',
    },
  ],
  effect: 'write',
  async run(context, { flags, positionals }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.deliveries.retry({
      params: { deliveryid },
      body: { quote_preference: flags.preference },
      idempotencyKey: context.idempotencyKey(),
    });
    const { createdOrArrived } = await import('./await-arrival.ts');
    return createdOrArrived(context, data, flags);
  },
});
