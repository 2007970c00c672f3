import { text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { defined } from '../orders/order-flags.ts';
import { newWebhookColumns } from './endpoint-columns.ts';
import { endpointFlags } from './endpoint-flags.ts';
import { sendersNotes } from './senders.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Create a webhook endpoint (its secret is shown once)',
  description: [
    'Test and live mode have separate endpoints. Without --events the endpoint receives every event type except',
    'opt-in ones (delivery.location_updated). Messages are signed per Standard Webhooks: verify them with any of its',
    'libraries or with `waybill webhooks verify`.',
  ].join('\n'),
  positionals: {
    url: positional('text', {
      summary: 'URL, such as https://shop.example/hooks',
      optional: (given) => given.has('url'),
    }),
  },
  flags: { url: text({ summary: 'Same as URL' }), ...endpointFlags },
  examples: [
    { command: 'waybill webhooks create https://shop.example/hooks', summary: 'Subscribe to every event' },
    {
      command: 'waybill webhooks create https://shop.example/hooks --events delivery.updated,order.failed',
      summary: 'Subscribe to two event types',
    },
    {
      command: 'waybill webhooks create https://shop.example/hooks --jq .secret > secret.txt',
      summary: 'Save its secret to a file for --secret-file',
    },
  ],
  effect: 'write',
  async run(context, { flags, positionals }) {
    const { events, description } = flags;
    const url = urlOf(positionals.url, flags.url);
    const client = await context.client();
    const { data } = await client.webhooks.create({
      body: { url, ...defined({ events: events.length === 0 ? undefined : events, description }) },
      idempotencyKey: context.idempotencyKey(),
    });
    const testCommand = invocation('webhooks test', [data.id]);
    const secretNote = 'Save this secret now. It will not be shown again.';
    return record(data, newWebhookColumns, {
      notes: [secretNote, ...sendersNotes(context), phrase`Test it: ${testCommand}`],
    });
  },
});

/** The URL from the argument or the flag, given once. */
function urlOf(word: string | undefined, flagged: string | undefined): string {
  const [url, other] = [word ?? flagged, flagged ?? word];
  if (url !== undefined && url === other) return url;
  throw new UsageError('Specify the URL once, as an argument or with --url.', { missing: ['URL'] });
}
