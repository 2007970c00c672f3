import { quotePreferences } from '../../../contract/vocabulary.ts';
import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../deliveries/finding.ts';
import { begun } from '../../deliveries/initiation.ts';
import { choice } from '../../line/flags.ts';

export const retry = defineCommand({
  name: 'retry',
  aliases: ['again', 'redeliver'],
  summary: 'Try the order of a failed or canceled delivery again, with fresh quotes',
  description: [
    `${foundBy} The answer is a new delivery; the one before stays as it is. Exit 9 where the new one failed too.`,
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    preference: choice({
      choices: quotePreferences,
      default: 'cheapest',
      summary: 'Which quote to take',
      aliases: ['quote-preference'],
    }),
  },
  examples: [
    { command: 'waybill deliveries retry DELIVERY', summary: 'With the cheapest courier' },
    { command: 'waybill deliveries retry DELIVERY --preference fastest', summary: 'With the fastest' },
  ],
  effect: 'write',
  async run(context, { flags: { preference }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries.retry({
      params: { deliveryid },
      body: { quote_preference: preference },
      idempotencyKey: context.idempotencyKey(),
    });
    return begun(context, data);
  },
});
