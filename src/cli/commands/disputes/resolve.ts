import { disputeOutcomes } from '../../../contract/vocabulary.ts';
import { dollars } from '../../../domain/money.ts';
import { choice, money, text } from '../../kit/args/flags.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../deliveries/find-delivery.ts';
import { disputeColumns } from './dispute-columns.ts';

export const resolve = defineCommand({
  name: 'resolve',
  aliases: ['close', 'settle'],
  summary: 'Resolve the dispute of a delivery',
  description: `${foundBy} With the outcome refunded, --amount is refunded, or everything that was paid.`,
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    outcome: choice({
      summary: 'How the dispute is resolved',
      choices: disputeOutcomes,
      required: true,
      question: 'How is the dispute resolved?',
    }),
    amount: money({ summary: 'Amount to refund in dollars, such as 5.00' }),
    note: text({ summary: 'Explanation, stored with the dispute' }),
  },
  examples: [
    {
      command: 'waybill disputes resolve DELIVERY --outcome refunded --amount 5.00',
      summary: 'Refund a part',
    },
    {
      command: "waybill disputes resolve DELIVERY --outcome rejected --note 'Signed by the recipient'",
      summary: 'Reject it',
    },
  ],
  effect: 'write',
  async run(context, { flags: { outcome, amount, note }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.disputes.resolve({
      params: { deliveryid },
      body: { outcome, ...(amount === undefined ? {} : { amount }), ...(note === undefined ? {} : { note }) },
      idempotencyKey: context.idempotencyKey(),
    });
    const refund = data.amount === 0 ? '' : `: ${dollars(data.amount)} refunded`;
    return record(data, disputeColumns, { notes: [`Resolved the dispute of ${data.delivery_id}${refund}.`] });
  },
});
