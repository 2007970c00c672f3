import { defineCommand, positional } from '../../command.ts';
import { arrivalFlags } from '../../deliveries/delivery-waiting-flags.ts';
import { deliveryWord, findDelivery, foundBy } from '../../deliveries/finding.ts';
import { unknownQuote, warnOfReplacement } from '../../deliveries/initiation.ts';
import { text } from '../../line/flags.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';

export const initiate = defineCommand({
  name: 'initiate',
  aliases: ['send', 'start'],
  summary: 'Have a courier come for a delivery that is kept as a request',
  description: [
    `${foundBy} An expired quote is replaced by a new one, which is said. Exit 9 where it failed. With --wait it ends`,
    'as deliveries wait does.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    quote: text({
      summary: 'Take this quote; without it, the one it was made with',
      placeholder: 'QUOTE',
      aliases: ['quote-id'],
    }),
    ...{ ...arrivalFlags, ...paceFlags('30m') },
  },
  examples: [
    { command: 'waybill deliveries initiate DELIVERY', summary: 'Send a courier' },
    { command: 'waybill deliveries initiate DELIVERY --quote QUOTE', summary: 'With a quote of your choice' },
    { command: 'waybill deliveries initiate DELIVERY --wait delivered --timeout 1h', summary: 'To the door' },
  ],
  effect: 'write',
  async run(context, { flags, positionals }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const { quote } = flags;
    const before = await findDelivery(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries
      .initiate({
        params: { deliveryid: before.id },
        body: quote === undefined ? {} : { quote_id: quote },
        idempotencyKey: context.idempotencyKey(),
      })
      .catch((error: unknown) => {
        throw unknownQuote(error);
      });
    const quote_id = quote ?? before.quote_id;
    const expected = { quote_id, fee: quote_id === before.quote_id ? before.fee : null };
    warnOfReplacement(context, expected, data);
    const { begunOrArrived } = await import('../../deliveries/arrival.ts');
    return begunOrArrived(context, data, flags, expected);
  },
});
