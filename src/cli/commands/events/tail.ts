import { integer, text } from '../../kit/args/flags.ts';
import { moment } from '../../kit/args/time-arguments.ts';
import { streamFormats } from '../../kit/output/formats.ts';
import { defineCommand } from '../../session/command.ts';
import { pastInstantOf } from '../../session/service-instants.ts';
import { getBatch } from '../batches/find-batch.ts';
import { findDeliveryId } from '../deliveries/find-delivery.ts';
import { typesFlag } from './event-types.ts';

export const tail = defineCommand({
  name: 'tail',
  aliases: ['follow', 'watch'],
  summary: 'Stream events until Ctrl+C',
  description: [
    'If the connection is lost, the stream continues after the last event. With --json each line is an event. Webhook',
    'endpoints are not affected.',
  ].join('\n'),
  flags: {
    type: typesFlag({ summary: 'Filter by event type, comma-separated', aliases: ['types', 'events'] }),
    delivery: text({
      summary: 'Filter by delivery: its ID, your reference, or a phone number',
      placeholder: 'DELIVERY',
      aliases: ['delivery-id'],
    }),
    batch: text({
      summary: 'Filter by batch, including its orders',
      placeholder: 'BATCH',
      aliases: ['batch-id'],
    }),
    since: moment({ isPast: true, summary: 'Start with past events, such as 1h ago' }),
    limit: integer({ summary: 'Stop after this many events', minimum: 1 }),
  },
  examples: [
    { command: 'waybill events tail', summary: 'Stream new events' },
    {
      command: 'waybill events tail --delivery DELIVERY --since 1d',
      summary: 'Include the past day of a delivery',
    },
    { command: 'waybill events tail --type batch.completed --limit 1 --json', summary: 'Wait for one event' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags: { type, delivery, batch, since, limit } }) {
    const { fields } = context.output;
    if (fields !== null)
      (await import('../../help/check-line-fields.ts')).checkLineFields('events tail', fields);
    const delivery_id = delivery && (await findDeliveryId(context, delivery));
    // Fails with exit 5 if the batch does not exist, instead of printing nothing.
    if (batch !== undefined) await getBatch(context, batch);
    const query = {
      ...{ types: type.length === 0 ? undefined : type, delivery_id, batch_id: batch },
      since: since && (await pastInstantOf(context, since)),
    };
    const { tailing } = await import('./tail-events.ts');
    return tailing(context, query, limit);
  },
});
