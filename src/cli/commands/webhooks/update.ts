import type { WebhookEndpoint } from '../../../contract/webhook-endpoints.ts';
import { webhookColumns } from '../../columns/webhooks.ts';
import { type Context, defineCommand, positional } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import type { Text } from '../../kit/output/message.ts';
import { phrase } from '../../kit/output/message.ts';
import { record } from '../../result.ts';
import { changeFlags, changesOf } from '../../webhooks/endpoint-flags.ts';
import { sendersNotes } from '../../webhooks/senders.ts';

export const update = defineCommand({
  name: 'update',
  aliases: ['edit', 'set'],
  summary: 'Change a webhook endpoint, switch it off or on',
  description: [
    'While it is disabled nothing is sent to it; what waited for it is sent once it is enabled again, and what is older',
    'than three days is given up. --events takes the place of all that it was told before.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'The endpoint' }) },
  flags: changeFlags,
  examples: [
    { command: 'waybill webhooks update ENDPOINT --url https://shop.example/new', summary: 'Another place' },
    { command: "waybill webhooks update ENDPOINT --events '*'", summary: 'Everything that happens' },
    { command: 'waybill webhooks update ENDPOINT --enable', summary: 'On again' },
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
            `${waiting === 1 ? 'One event is' : `${waiting} events are`} on the way.`,
            ...sendersNotes(context),
          ]),
      ...(exhausted === 0
        ? []
        : [phrase`Given up: ${exhausted}, listed by \`${listing}\`. To send one again: ${resending}`]),
    ];
  }
  return [phrase`Nothing is sent to it until: ${invocation('webhooks update', [id], { enable: true })}`];
}
