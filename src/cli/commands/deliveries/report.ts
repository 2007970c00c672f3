import { handoverFailures, reportableStatuses } from '../../../contract/vocabulary.ts';
import { choice, text } from '../../kit/args/flags.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional, word } from '../../session/command.ts';
import { deliverySummary } from './delivery-columns.ts';
import { deliveryWord, findDeliveryId, foundBy } from './find-delivery.ts';

export const report = defineCommand({
  name: 'report',
  summary: 'Report a status for one of your drivers, such as one whose phone is dead',
  description: [
    'As if the driver had tapped it, without a PIN or a proof. What could not be handed over is enroute_to_return, then',
    'returned; what could not be picked up, or is lost, is failed. Statuses that must have been passed are reported with',
    `it. The note is kept as an internal note, and the audit log has the report. ${foundBy}`,
  ].join('\n'),
  positionals: {
    delivery: positional('delivery', { summary: deliveryWord }),
    status: word({ choices: reportableStatuses, summary: 'What happened' }),
  },
  flags: {
    note: text({
      summary: 'How you know',
      placeholder: 'TEXT',
      required: true,
      question: 'How do you know?',
    }),
    failureReason: choice({
      choices: handoverFailures,
      summary: 'With enroute_to_return: why it could not be handed over',
      placeholder: 'REASON',
    }),
  },
  examples: [
    {
      command: "waybill deliveries report DELIVERY delivered --note 'Sam called from the door'",
      summary: 'Report a handover',
    },
    {
      command:
        "waybill deliveries report DELIVERY enroute_to_return --failure-reason recipient_unreachable --note 'Rang twice'",
      summary: 'Report that it comes back',
    },
  ],
  effect: 'write',
  async run(context, { flags: { note, failureReason }, positionals }) {
    const deliveryid = await findDeliveryId(context, positionals.delivery, { changes: true });
    const client = await context.client();
    const { data } = await client.deliveries.report({
      params: { deliveryid },
      body: {
        ...{ status: positionals.status, note },
        ...(failureReason === undefined ? {} : { failure_reason: failureReason }),
      },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, deliverySummary(), { notes: [`Reported ${data.id} as ${data.status}.`] });
  },
});
