import type { WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import { webhookColumns } from '../../columns/webhooks.ts';
import { defineCommand, positional } from '../../command.ts';
import { commandLine } from '../../line/command-line.ts';
import { record } from '../../result.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a webhook endpoint, never its secret',
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'The endpoint' }) },
  examples: [{ command: 'waybill webhooks get ENDPOINT', summary: 'Its URL, events and status' }],
  effect: 'read',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.webhooks.get({ params: { webhook_endpoint_id: positionals.endpoint } });
    return record(data, webhookColumns, { notes: next(data) });
  },
});

/** What can be done about what is not sent. */
function next({ id, status, waiting, exhausted }: WebhookEndpoint): string[] {
  const enable = commandLine(['webhooks', 'update', id], { enable: true });
  const failed = commandLine(['webhooks', 'attempts', id], { failed: true });
  const givenUp = commandLine(['webhooks', 'attempts', id], { exhausted: true });
  return [
    ...(status === 'disabled' ? [`Nothing is sent to it. Enable it: ${enable}`] : []),
    ...(status === 'enabled' && waiting > 0 ? [`What waits, and why: ${failed}`] : []),
    ...(exhausted > 0 ? [`What was given up, and why: ${givenUp}`] : []),
  ];
}
