import { text } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { deliverySummary } from '../../nouns/delivery.ts';
import { disputableUntil } from '../../nouns/delivery-steps.ts';
import { deliveryWord, findDelivery, findDeliveryId, foundBy } from '../../nouns/find-delivery.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';

export const dispute = defineCommand({
  name: 'dispute',
  aliases: ['complain', 'contest'],
  summary: 'Dispute a completed delivery (within 30 days)',
  description: foundBy,
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  flags: {
    reason: text({ summary: 'What went wrong', required: () => true, isAskedLater: true }),
  },
  examples: [
    {
      command: "waybill deliveries dispute DELIVERY --reason 'It never came'",
      summary: 'Dispute a delivery that never arrived',
    },
  ],
  effect: 'write',
  calls: ['deliveries.dispute', 'deliveries.getDetailed', 'deliveries.listDetailed'],
  answers: ({ one }) => [one('deliveries.dispute')],
  related: ['disputes resolve', 'deliveries explain', 'charges list'],
  async run(context, { flags: { reason }, positionals }) {
    const deliveryid = await disputableId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.deliveries.dispute({
      params: { deliveryid },
      body: { reason: reason ?? (await askReason(context)) },
      idempotencyKey: context.idempotencyKey(),
    });
    const next = invocation('disputes resolve', [data.id], { outcome: 'OUTCOME' });
    return record(data, deliverySummary(), { notes: [`Disputed ${data.id}.`, phrase`Next: ${next}`] });
  },
});

/**
 * Checks that the delivery can be disputed before the user is asked anything. A repeated request is left to the
 * service, which repeats its response.
 */
async function disputableId(context: Context, text: string): Promise<string> {
  if (context.globals.dryRun || context.globals.idempotencyKey !== undefined)
    return findDeliveryId(context, text, { changes: true });
  const delivery = await findDelivery(context, text, { changes: true });
  const { id, status } = delivery;
  const until = disputableUntil(delivery);
  if (status === 'delivered' && (until === null || until > context.serviceNow())) return id;
  const why =
    status === 'delivered'
      ? 'was delivered more than 30 days ago'
      : `is ${status}: only a completed delivery can be disputed`;
  throw new Failure(6, 'delivery_not_disputable', `Delivery ${id} ${why}.`, {
    next: [{ ...invocation('deliveries explain', [id]), when: 'see where it stands' }],
  });
}

async function askReason(context: Context): Promise<string> {
  const prompts = await context.prompts();
  const check = (text: string) => (text.trim() === '' ? 'Describe what went wrong.' : null);
  return prompts.text('What went wrong?', { check });
}
