import type { WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { webhookColumns } from './endpoint-columns.ts';
import { changeFlags, changesOf } from './endpoint-flags.ts';
import { sendersNotes } from './senders.ts';

export const update = defineCommand({
  name: 'update',
  aliases: ['edit', 'set'],
  summary: 'Update, enable or disable a webhook endpoint',
  description: [
    'While an endpoint is disabled, events are queued; they are sent when you enable it again. Events older than',
    'three days are dropped. --events replaces all previous event types.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID' }) },
  flags: changeFlags,
  examples: [
    { command: 'waybill webhooks update ENDPOINT --url https://shop.example/new', summary: 'Change the URL' },
    { command: "waybill webhooks update ENDPOINT --events '*'", summary: 'Subscribe to every event' },
    { command: 'waybill webhooks update ENDPOINT --enable', summary: 'Enable it again' },
  ],
  effect: 'write',
  oneOf: ['url', 'events', 'description', 'enable', 'disable', 'clear'],
  async run(context, { flags, positionals }) {
    const body = changesOf(flags);
    const client = await context.client();
    const { data } = await client.webhooks.update({
      params: { webhook_endpoint_id: positionals.endpoint },
      body,
    });
    return record(data, webhookColumns, { notes: body.status === undefined ? [] : switched(context, data) });
  },
});

function switched(context: Context, { id, status, waiting, exhausted }: WebhookEndpoint): Text[] {
  if (status === 'enabled') {
    const listing = invocation('webhooks attempts', [id], { exhausted: true });
    const resending = invocation('events resend', ['EVENT'], { endpoint: id });
    return [
      ...(waiting === 0
        ? []
        : [
            `Sending ${waiting === 1 ? 'one queued event' : `${waiting} queued events`}.`,
            ...sendersNotes(context),
          ]),
      ...(exhausted === 0
        ? []
        : [phrase`Exhausted: ${exhausted}, listed by \`${listing}\`. To resend one: ${resending}`]),
    ];
  }
  return [
    phrase`Nothing is sent until you enable it: ${invocation('webhooks update', [id], { enable: true })}`,
  ];
}
