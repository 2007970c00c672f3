import { newWebhookColumns } from '../../columns/webhooks.ts';
import { defineCommand, positional } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { phrase } from '../../kit/output/message.ts';
import { text } from '../../line/flags.ts';
import { defined } from '../../orders/order-flags.ts';
import { record } from '../../result.ts';
import { endpointFlags } from '../../webhooks/endpoint-flags.ts';
import { sendersNotes } from '../../webhooks/senders.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Have events sent to a URL; the secret that signs them is shown once',
  description: [
    'Test and live mode have endpoints of their own. Without --events it is told everything but what is told by name',
    'only (delivery.location_updated). What is sent is signed by the Standard Webhooks rules: any library of theirs, and',
    '`waybill webhooks verify`, checks it with the secret.',
  ].join('\n'),
  positionals: {
    url: positional('text', {
      summary: 'Where to: https://shop.example/hooks',
      optional: (given) => given.has('url'),
    }),
  },
  flags: { url: text({ summary: 'The same as URL' }), ...endpointFlags },
  examples: [
    { command: 'waybill webhooks create https://shop.example/hooks', summary: 'Everything that happens' },
    {
      command: 'waybill webhooks create https://shop.example/hooks --events delivery.updated,order.failed',
      summary: 'Two types of events',
    },
    {
      command: 'waybill webhooks create https://shop.example/hooks --jq .secret > secret.txt',
      summary: 'Its secret into a file, for --secret-file',
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
    const tried = invocation('webhooks test', [data.id]);
    const kept = 'Keep the secret now: it is not shown again.';
    return record(data, newWebhookColumns, {
      notes: [kept, ...sendersNotes(context), phrase`Try it: ${tried}`],
    });
  },
});

/** Given once, in the one way or the other. */
function urlOf(word: string | undefined, flagged: string | undefined): string {
  const [url, other] = [word ?? flagged, flagged ?? word];
  if (url !== undefined && url === other) return url;
  throw new UsageError('Give one URL: behind `create`, or with --url.', { missing: ['URL'] });
}
