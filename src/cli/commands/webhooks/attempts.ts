import type { AttemptStatus } from '../../../contract/vocabulary.ts';
import { attemptColumns } from '../../columns/webhook-attempts.ts';
import { defineCommand, positional } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { flag, text } from '../../line/flags.ts';
import { listing, pagingFlags } from '../../line/listing.ts';

export const attempts = defineCommand({
  name: 'attempts',
  aliases: ['tries', 'log'],
  summary: 'List the attempts to send to a webhook endpoint, newest first',
  description: [
    'Each with what came of it, and when the next one follows. --exhausted: events that are not tried any more by',
    'themselves. -o id gives the ids of the events, as it is those that are sent again.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'The endpoint' }) },
  flags: {
    failed: flag({ summary: 'Only those that failed' }),
    succeeded: flag({ summary: 'Only those that were taken' }),
    exhausted: flag({ summary: 'Only failed ones that no other follows' }),
    event: text({ summary: 'Only at this event', placeholder: 'EVENT', aliases: ['event-id'] }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill webhooks attempts ENDPOINT', summary: 'The latest' },
    { command: 'waybill webhooks attempts ENDPOINT --event EVENT', summary: 'How one event got there' },
    {
      command:
        'waybill webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT',
      summary: 'Send again what was given up',
    },
  ],
  effect: 'read',
  async run(context, { flags, positionals: { endpoint } }) {
    const { failed, succeeded, exhausted, event } = flags;
    const status = statusOf({ failed: failed || exhausted, succeeded });
    const client = await context.client();
    const params = { webhook_endpoint_id: endpoint };
    if (event !== undefined) await client.events.get({ params: { event_id: event } });
    const narrowed = { status, event_id: event, last: exhausted || undefined };
    return listing({
      list: ({ query }) => client.webhooks.attempts({ params, query: { ...query, ...narrowed } }),
      query: {},
      paging: flags,
      columns: attemptColumns,
      command: invocation('webhooks attempts', [endpoint]),
      filters: { failed: failed && !exhausted, succeeded, exhausted, event },
      empty: 'No attempts found.',
    });
  },
});

function statusOf({ failed, succeeded }: { failed: boolean; succeeded: boolean }): AttemptStatus | undefined {
  if (failed && succeeded)
    throw new UsageError('--succeeded contradicts --failed and --exhausted: give one of them.');
  if (failed) return 'failed';
  return succeeded ? 'succeeded' : undefined;
}
