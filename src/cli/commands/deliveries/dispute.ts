import { deliverySummary } from '../../columns/deliveries.ts';
import { defineCommand, positional } from '../../command.ts';
import { deliveryWord, findDeliveryId, foundBy } from '../../deliveries/finding.ts';
import { text } from '../../line/flags.ts';
import { record } from '../../result.ts';

export const dispute = defineCommand({
  name: 'dispute',
  aliases: ['complain', 'contest'],
  summary: 'Say that a delivery did not arrive as its courier says, within 30 days',
  description: foundBy,
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    reason: text({ summary: 'What was wrong', required: true, question: 'What was wrong with it?' }),
  },
  examples: [
    {
      command: "waybill deliveries dispute DELIVERY --reason 'It never came'",
      summary: 'It was said to be delivered, and was not',
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
    return record(data, deliverySummary(), { notes: [`${data.id} is disputed.`] });
  },
});
