import type { WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { webhookColumns } from './endpoint-columns.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a webhook endpoint (without its secret)',
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  examples: [{ command: 'waybill webhooks get ENDPOINT', summary: 'Show its URL, events and status' }],
  columns: webhookColumns,
  effect: 'read',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.webhooks.get({ params: { webhook_endpoint_id: positionals.endpoint } });
    return record(data, webhookColumns, { notes: next(data) });
  },
});

/** The next steps for an endpoint with undelivered events. */
function next({ id, status, waiting, exhausted }: WebhookEndpoint): Text[] {
  const enable = invocation('webhooks update', [id], { enable: true });
  const failed = invocation('webhooks attempts', [id], { failed: true });
  const givenUp = invocation('webhooks attempts', [id], { exhausted: true });
  return [
    ...(status === 'disabled' ? [phrase`Disabled: nothing is sent. Enable it: ${enable}`] : []),
    ...(status === 'enabled' && waiting > 0 ? [phrase`See queued events and why: ${failed}`] : []),
    ...(exhausted > 0 ? [phrase`See exhausted events and why: ${givenUp}`] : []),
  ];
}
