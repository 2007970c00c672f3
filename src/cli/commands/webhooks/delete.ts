import { deletedFields } from '../../kit/output/rows.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';

export const deleteWebhook = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a webhook endpoint with its attempts and queued events',
  description: 'To keep queued events for later, disable it instead: `waybill webhooks update --disable`.',
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  examples: [{ command: 'waybill webhooks delete ENDPOINT --yes', summary: 'Delete without a prompt' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { endpoint } }) {
    const question = `Delete webhook endpoint ${endpoint} and its queued events?`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const { data } = await client.webhooks.delete({ params: { webhook_endpoint_id: endpoint } });
    return record(data, deletedFields);
  },
});
