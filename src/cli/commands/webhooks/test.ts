import { defineCommand, positional } from '../../session/command.ts';
import { attemptResult } from './attempt-text.ts';

export const test = defineCommand({
  name: 'test',
  aliases: ['ping', 'try'],
  summary: 'Send a test event to a webhook endpoint',
  description: [
    'Sends webhook.test once, without retries, and shows the attempt. The exit code is 9 if the endpoint did not',
    'accept it.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  examples: [
    { command: 'waybill webhooks test ENDPOINT', summary: 'Test an endpoint' },
    { command: 'waybill webhooks test ENDPOINT && echo "it listens"', summary: 'In a script' },
  ],
  effect: 'write',
  async run(context, { positionals: { endpoint } }) {
    const client = await context.client();
    const progress = await context.progress('Waiting for the endpoint');
    const { data } = await client.webhooks
      .test({ params: { webhook_endpoint_id: endpoint }, idempotencyKey: context.idempotencyKey() })
      .finally(() => progress.stop());
    return attemptResult(data);
  },
});
