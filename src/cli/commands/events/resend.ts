import { defineCommand, positionals } from '../../command.ts';
import { text } from '../../line/flags.ts';
import { eventIdsOf, resendOne } from '../../webhooks/resending.ts';

export const resend = defineCommand({
  name: 'resend',
  aliases: ['replay', 'redeliver'],
  summary: 'Send events once more, to one webhook endpoint or to all that ask for them',
  description: [
    'The event is the same as before, with its id and its sequence. Without --endpoint it goes to every enabled endpoint',
    'that asks for its type; where none does, nothing is sent and the exit code is 9. Several, or ids on stdin, go oldest',
    'first; one that is refused stops no other: then it is 10, or the code of each where none was sent.',
  ].join('\n'),
  positionals: {
    event: positionals('event', { summary: 'The events; - reads ids from stdin, one on a line' }),
  },
  flags: {
    endpoint: text({
      summary: 'To this one alone, whatever it asks for',
      placeholder: 'ENDPOINT',
      aliases: ['webhook-endpoint-id'],
    }),
  },
  examples: [
    { command: 'waybill events resend EVENT', summary: 'To all that ask for its type' },
    { command: 'waybill events resend EVENT --endpoint ENDPOINT', summary: 'To one' },
    {
      command: 'waybill events list --delivery DELIVERY --all -o id | waybill events resend -',
      summary: 'All that a delivery brought',
    },
    {
      command:
        'waybill webhooks attempts ENDPOINT --exhausted --all -o id | waybill events resend - --endpoint ENDPOINT',
      summary: 'What was given up',
    },
  ],
  effect: 'write',
  async run(context, { flags: { endpoint }, positionals: { event } }) {
    const ids = await eventIdsOf(context, event);
    const [only] = ids;
    if (event.length === 1 && only !== undefined && only === event[0]) {
      return resendOne(context, only, endpoint);
    }
    const { resendAll } = await import('../../webhooks/bulk-resending.ts');
    return resendAll(context, ids, endpoint);
  },
});
