import { text } from '../../kit/args/flags.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';
import { arrivalFlags } from './delivery-waiting-flags.ts';
import { deliveryWord, findDelivery, foundBy } from './find-delivery.ts';
import { unknownQuote, warnOfReplacement } from './initiation.ts';

export const initiate = defineCommand({
  name: 'initiate',
  aliases: ['send', 'start'],
  summary: 'Dispatch a courier for a stored delivery request',
  description: [
    `${foundBy} An expired quote is replaced by a new one, with a warning. The exit code is 9 if the delivery failed.`,
    '--wait works as in deliveries wait.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    quote: text({
      summary: 'Quote to use (default: the one it was created with)',
      placeholder: 'QUOTE',
      aliases: ['quote-id'],
    }),
    ...{ ...arrivalFlags, ...paceFlags('30m') },
  },
  examples: [
    { command: 'waybill deliveries initiate DELIVERY', summary: 'Dispatch a courier' },
    { command: 'waybill deliveries initiate DELIVERY --quote QUOTE', summary: 'Use another quote' },
    {
      command: 'waybill deliveries initiate DELIVERY --wait delivered --timeout 1h',
      summary: 'Dispatch and wait until it arrives',
    },
  ],
  effect: 'write',
  async run(context, { flags, positionals }) {
    checkWaiting(context, { wait: flags.wait !== null });
    const { quote } = flags;
    const before = await findDelivery(context, positionals.delivery, { changes: true });
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
    const { createdOrArrived } = await import('./await-arrival.ts');
    return createdOrArrived(context, data, flags, expected);
  },
});
