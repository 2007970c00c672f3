import type { Delivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import { dollars } from '../../../domain/money.ts';
import { cancellationFields } from '../../columns/cancellations.ts';
import { deliverySummary } from '../../columns/deliveries.ts';
import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../deliveries/finding.ts';
import { Failure } from '../../failures/failure.ts';
import { commandLine } from '../../line/command-line.ts';
import { flag, money, text } from '../../line/flags.ts';
import { record } from '../../result.ts';

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
  confirms: true,
  async run(context, { flags: { reason, maxFee, price, operator }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const params = { deliveryid };
    const { data: terms } = await client.deliveries.cancellation({ params });
    if (price) return record(terms, cancellationFields, terms.cancelable ? {} : { exit: 6 });
    // The operator is stopped by no courier's rule, and pays nothing.
    if (!operator) checkTerms(terms, maxFee);
    const question = `Cancel ${deliveryid}${operator ? ' as the operator of the service' : ''}?`;
    const costs = operator ? 'All that was paid is given back.' : priceText(terms);
    if (!context.asked.dryRun) await context.confirm(`${question} ${costs}`);
    const { data } = await client.deliveries.cancel({
      params,
      body: { ...(reason === undefined ? {} : { reason }), ...(operator ? { operator } : {}) },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [doneText(data, operator ? 0 : terms.fee)] });
  },
});

/** Exit 6 where the courier does not take a cancellation, or for more than may be paid, in cents. */
function checkTerms(
  { delivery_id, cancelable, fee, reason }: Cancellation,
  max_fee: number | undefined,
): void {
  const next = [
    { command: commandLine(['deliveries', 'explain', delivery_id]), when: 'see where it stands' },
  ];
  if (!cancelable) {
    const why = reason === '' ? '' : `: ${reason}`;
    throw new Failure(6, 'delivery_not_cancelable', `${delivery_id} cannot be canceled${why}.`, { next });
  }
  if (max_fee === undefined || fee <= max_fee) return;
  const message = `To cancel ${delivery_id} costs ${dollars(fee)}, above --max-fee ${dollars(max_fee)}.`;
  throw new Failure(6, 'above_max_fee', message, { hint: 'Nothing was done.' });
}

function priceText({ fee, refund }: Cancellation): string {
  const price = fee === 0 ? 'It costs nothing' : `It costs ${dollars(fee)}`;
  return refund === 0 ? `${price}.` : `${price}, and ${dollars(refund)} is given back.`;
}

/** What is really given back stands in the record; the courier's fee is the one that was told. */
function doneText({ id, refunded_amount }: Delivery, fee: number): string {
  const parts = [
    ...(refunded_amount === 0 ? [] : [`${dollars(refunded_amount)} is given back`]),
    ...(fee === 0 ? [] : [`the courier takes ${dollars(fee)}`]),
  ];
  return `${id} is canceled${parts.length === 0 ? '' : `: ${parts.join(', and ')}`}.`;
}
