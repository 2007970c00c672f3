import type { Cancellation } from '../../../contract/delivery-changes.ts';
import { cancellationFields } from '../../columns/cancellations.ts';
import { deliverySummary } from '../../columns/deliveries.ts';
import { type Context, defineCommand, positional } from '../../command.ts';
import { agreeToTerms, canceledText, notCancelable } from '../../deliveries/cancellation.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../deliveries/finding.ts';
import { flag, money, text } from '../../line/flags.ts';
import { type Result, record } from '../../result.ts';

export const cancel = defineCommand({
  name: 'cancel',
  aliases: ['abort'],
  summary: 'Cancel a delivery, at the price that its courier asks for that',
  description: [
    `${foundBy} The price is told first, and confirmed at a prompt, or beforehand with --yes. Above --max-fee nothing`,
    'is done and the exit code is 6. --price only tells it.',
  ].join('\n'),
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    reason: text({ summary: 'Why, for the record' }),
    maxFee: money({ summary: 'The most that it may cost, in dollars: 5.00' }),
    price: flag({ summary: 'Only tell what it would cost', aliases: ['dry-price'] }),
    operator: flag({ summary: 'As the operator of the service; needs an admin key' }),
  },
  examples: [
    {
      command: "waybill deliveries cancel DELIVERY --reason 'Ordered twice'",
      summary: 'Hear the price, then decide',
    },
    { command: 'waybill deliveries cancel DELIVERY --yes --max-fee 5.00', summary: 'In a script' },
    { command: 'waybill deliveries cancel DELIVERY --price', summary: 'What it would cost now' },
  ],
  effect: 'write',
  confirms: (given) => !given.has('price'),
  async run(context, { flags: { reason, maxFee, price, operator }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const params = { deliveryid };
    const { data: terms } = await client.deliveries.cancellation({ params });
    if (price) return priceOf(context, terms);
    // The operator is stopped by no courier's rule, and pays nothing.
    if (!operator) await agreeToTerms(context, terms, { what: deliveryid, max_fee: maxFee });
    else if (!context.asked.dryRun) {
      await context.confirm(`Cancel ${deliveryid} as the operator? All that was paid is given back.`);
    }
    const { data } = await client.deliveries.cancel({
      params,
      body: { ...(reason === undefined ? {} : { reason }), ...(operator ? { operator } : {}) },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [canceledText(data, operator ? 0 : terms.fee)] });
  },
});

/** Exit 6 where it cannot be canceled; programs read why in the error. */
function priceOf({ output }: Context, terms: Cancellation): Result {
  const answer = record(terms, cancellationFields);
  if (terms.cancelable) return answer;
  if (output.json) throw notCancelable(terms, { answer });
  return { ...answer, exit: 6 };
}
