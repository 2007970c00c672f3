import { phrase, timePart } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { newWebhookColumns } from './endpoint-columns.ts';

export const rotateSecret = defineCommand({
  name: 'rotate-secret',
  aliases: ['rotate'],
  summary: 'Rotate the signing secret of a webhook endpoint (shown once)',
  description: [
    'The previous secret stays valid for 24 hours: messages carry both signatures, and receivers need only one to',
    'match.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  examples: [
    { command: 'waybill webhooks rotate-secret ENDPOINT', summary: 'Rotate after a prompt' },
    {
      command: 'waybill webhooks rotate-secret ENDPOINT --yes --json=secret | jq -r .secret > secret.txt',
      summary: 'Save the secret to a file for --secret-file',
    },
  ],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { endpoint } }) {
    const question = `Rotate the secret of ${endpoint}? The current one stays valid for 24 more hours.`;
    if (!context.globals.dryRun) await context.confirm(question);
    const client = await context.client();
    const { data } = await client.webhooks.rotate({
      params: { webhook_endpoint_id: endpoint },
      idempotencyKey: context.idempotencyKey(),
    });
    const { previous_secret_until: until } = data;
    const old = until === null ? [] : [phrase`The previous secret stays valid ${timePart(until, 'until')}.`];
    return record(data, newWebhookColumns, {
      notes: ['Save this secret now. It will not be shown again.', ...old],
    });
  },
});
