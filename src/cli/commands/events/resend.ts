import { text } from '../../kit/args/flags.ts';
import { defineCommand, positionals } from '../../session/command.ts';
import { eventIdsOf, resendOne } from './resend-event.ts';

export const resend = defineCommand({
  name: 'resend',
  aliases: ['replay', 'redeliver'],
  summary: 'Resend events to webhook endpoints',
  description: [
    'Resends the same event with its original ID and sequence. Without --endpoint it goes to every enabled endpoint',
    'that subscribes to its type; without one, nothing is sent and the exit code is 9. Several events are sent',
    'oldest first, and an error does not stop the others: the exit code is then 10, or that of the error if none was',
    'sent.',
  ].join('\n'),
  positionals: {
    event: positionals('event', { summary: 'Event IDs; - reads them from stdin, one per line' }),
  },
  flags: {
    endpoint: text({
      summary: 'Send to this endpoint only, regardless of its subscriptions',
      placeholder: 'ENDPOINT',
      aliases: ['webhook-endpoint-id'],
    }),
  },
  examples: [
    { command: 'waybill events resend EVENT', summary: 'Resend to every subscribed endpoint' },
    { command: 'waybill events resend EVENT --endpoint ENDPOINT', summary: 'Resend to one endpoint' },
    {
      command: 'waybill events list --delivery DELIVERY --all -o id | waybill events resend -',
      summary: 'Resend every event of a delivery',
    },
    {
      command:
        'waybill webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT',
      summary: 'Resend events whose retries are exhausted',
    },
  ],
  effect: 'write',
  async run(context, { flags: { endpoint }, positionals: { event } }) {
    const ids = await eventIdsOf(context, event);
    const [only] = ids;
    if (event.length === 1 && only !== undefined && only === event[0]) {
      return resendOne(context, only, endpoint);
    }
    const { resendAll } = await import('./bulk-resend.ts');
    return resendAll(context, ids, endpoint);
  },
});
