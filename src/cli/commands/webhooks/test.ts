import { defineCommand, positional } from '../../command.ts';
import { attempted } from '../../webhooks/attempt-text.ts';

export const test = defineCommand({
  name: 'test',
  aliases: ['ping', 'try'],
  summary: 'Send a webhook.test event to an endpoint, at once and only once',
  description: 'The answer is the attempt. Exit 9 with the reason where the endpoint did not take it.',
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'The endpoint' }) },
  examples: [
    { command: 'waybill webhooks test ENDPOINT', summary: 'Does it arrive?' },
    { command: 'waybill webhooks test ENDPOINT && echo "it listens"', summary: 'In a script' },
  ],
  effect: 'write',
  async run(context, { positionals: { endpoint } }) {
    const client = await context.client();
    const progress = await context.progress('Waiting for the endpoint');
    const { data } = await client.webhooks
      .test({ params: { webhook_endpoint_id: endpoint }, idempotencyKey: context.idempotencyKey() })
      .finally(() => progress.stop());
    return attempted(data);
  },
});
