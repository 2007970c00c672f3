import { deletedFields } from '../../columns/deleted.ts';
import { defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';

export const deleteWebhook = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a webhook endpoint, its attempts and what waits for it',
  description: 'To have it sent later what waits, disable it instead: `waybill webhooks update --disable`.',
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'The endpoint' }) },
  examples: [{ command: 'waybill webhooks delete ENDPOINT --yes', summary: 'Without being asked' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { endpoint } }) {
    const question = `Delete the webhook endpoint ${endpoint} with what waits for it?`;
    if (!context.asked.dryRun) await context.confirm(question);
    const client = await context.client();
    const { data } = await client.webhooks.delete({ params: { webhook_endpoint_id: endpoint } });
    return record(data, deletedFields);
  },
});
