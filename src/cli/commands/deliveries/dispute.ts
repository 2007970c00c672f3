import { text } from '../../kit/args/flags.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { deliverySummary } from './delivery-columns.ts';
import { deliveryWord, findDeliveryId, foundBy } from './find-delivery.ts';

export const dispute = defineCommand({
  name: 'dispute',
  aliases: ['complain', 'contest'],
  summary: 'Dispute a completed delivery (within 30 days)',
  description: foundBy,
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    reason: text({ summary: 'What went wrong', required: true, question: 'What went wrong?' }),
  },
  examples: [
    {
      command: "waybill deliveries dispute DELIVERY --reason 'It never came'",
      summary: 'Dispute a delivery that never arrived',
    },
  ],
  effect: 'write',
  async run(context, { flags: { reason }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries.dispute({
      params: { deliveryid },
      body: { reason },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [`Disputed ${data.id}.`] });
  },
});
