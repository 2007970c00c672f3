import { quotePreferences } from '../../../contract/vocabulary.ts';
import { defineCommand, positional } from '../../command.ts';
import { arrivalFlags } from '../../deliveries/delivery-waiting-flags.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../deliveries/finding.ts';
import { choice } from '../../line/flags.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';

export const retry = defineCommand({
  name: 'retry',
  aliases: ['again', 'redeliver'],
  summary: 'Try the order of a failed or canceled delivery again, with fresh quotes',
  description: [
    `${foundBy} The answer is a new delivery; the one before stays as it is. Exit 9 where the new one failed too.`,
    'With --wait it ends as deliveries wait does.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    preference: choice({
      choices: quotePreferences,
      default: 'cheapest',
      summary: 'Which quote to take',
      aliases: ['quote-preference'],
    }),
    ...{ ...arrivalFlags, ...paceFlags('30m') },
  },
  examples: [
    { command: 'waybill deliveries retry DELIVERY', summary: 'With the cheapest courier' },
    { command: 'waybill deliveries retry DELIVERY --preference fastest', summary: 'With the fastest' },
    { command: 'waybill deliveries retry DELIVERY --wait delivered', summary: 'And to the door this time' },
  ],
  effect: 'write',
  async run(context, { flags, positionals }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries.retry({
      params: { deliveryid },
      body: { quote_preference: flags.preference },
      idempotencyKey: context.idempotencyKey(),
    });
    const { begunOrArrived } = await import('../../deliveries/arrival.ts');
    return begunOrArrived(context, data, flags);
  },
});
