import type { AttemptStatus } from '../../../contract/vocabulary.ts';
import { flag, text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { attemptColumns } from './attempt-text.ts';

export const attempts = defineCommand({
  name: 'attempts',
  aliases: ['tries', 'log'],
  summary: 'List delivery attempts of webhook endpoints, newest first',
  description: [
    'Shows the result of each attempt and when it is retried; without ENDPOINT, of all endpoints together. --exhausted',
    'lists events that are no longer retried. -o id prints the event IDs, ready for events resend.',
  ].join('\n'),
  positionals: { endpoint: positional('webhook_endpoint', { summary: 'Endpoint ID', optional: true }) },
  flags: {
    failed: flag({ summary: 'Only failed attempts' }),
    succeeded: flag({ summary: 'Only successful attempts' }),
    exhausted: flag({ summary: 'Only failed attempts without another retry' }),
    event: text({ summary: 'Filter by event', placeholder: 'EVENT', aliases: ['event-id'] }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill webhooks attempts --failed', summary: 'List what failed at any endpoint' },
    { command: 'waybill webhooks attempts ENDPOINT', summary: 'List the latest attempts' },
    {
      command: 'waybill webhooks attempts ENDPOINT --event EVENT',
      summary: 'Show the attempts for one event',
    },
    {
      command:
        'waybill webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT',
      summary: 'Resend events whose retries are exhausted',
    },
  ],
  columns: attemptColumns,
  effect: 'read',
  async run(context, { flags, positionals: { endpoint } }) {
    const { failed, succeeded, exhausted, event } = flags;
    const status = statusOf({ failed: failed || exhausted, succeeded });
    const client = await context.client();
    if (event !== undefined) await client.events.get({ params: { event_id: event } });
    const narrowed = { status, event_id: event, last: exhausted || undefined };
    if (endpoint === undefined) {
      const { attemptsOfAll } = await import('./attempts-of-all.ts');
      return attemptsOfAll(context, narrowed, flags);
    }
    const params = { webhook_endpoint_id: endpoint };
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
    throw new UsageError('--succeeded cannot be combined with --failed or --exhausted.');
  if (failed) return 'failed';
  return succeeded ? 'succeeded' : undefined;
}
