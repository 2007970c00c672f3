import { newWebhookColumns } from '../../columns/webhooks.ts';
import { defineCommand, positional } from '../../command.ts';
import { phrase, timePart } from '../../kit/output/message.ts';
import { record } from '../../result.ts';

export const rotateSecret = defineCommand({
  name: 'rotate-secret',
  aliases: ['rotate'],
  summary: 'Make a new secret for a webhook endpoint; it is shown once',
  description: [
    'For 24 hours the secret before signs as well, so that receivers can change over: each message has two signatures,',
    'and one that matches is enough.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'The endpoint' }) },
  examples: [
    { command: 'waybill webhooks rotate-secret ENDPOINT', summary: 'Asks first' },
    {
      command: 'waybill webhooks rotate-secret ENDPOINT --yes --json=secret | jq -r .secret > secret.txt',
      summary: 'Into a file, for --secret-file',
    },
  ],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { endpoint } }) {
    const question = `Make a new secret for ${endpoint}? The old one signs for 24 hours more.`;
    if (!context.asked.dryRun) await context.confirm(question);
    const client = await context.client();
    const { data } = await client.webhooks.rotate({
      params: { webhook_endpoint_id: endpoint },
      idempotencyKey: context.idempotencyKey(),
    });
    const { previous_secret_until: until } = data;
    const old = until === null ? [] : [phrase`The one before signs as well ${timePart(until, 'until')}.`];
    return record(data, newWebhookColumns, { notes: ['Keep it now: it is not shown again.', ...old] });
  },
});
