import { checkBatch } from '../../batches/finding.ts';
import { defineCommand } from '../../command.ts';
import { findDeliveryId } from '../../deliveries/finding.ts';
import { integer, text } from '../../line/flags.ts';
import { streamFormats } from '../../line/globals.ts';
import { moment, pastInstantOf } from '../../line/moments.ts';
import { typesFlag } from '../../listening/targets.ts';

export const tail = defineCommand({
  name: 'tail',
  aliases: ['follow', 'watch'],
  summary: 'Follow what happens, a line for each event, until Ctrl+C',
  description: [
    'Where the connection is lost it goes on behind the last event. With --json each',
    'line is an event. Nothing is sent to webhook endpoints by it.',
  ].join('\n'),
  flags: {
    type: typesFlag({ summary: 'Of these types, with commas between', aliases: ['types', 'events'] }),
    delivery: text({
      summary: 'Of this delivery: its id, your reference, or a phone number',
      placeholder: 'DELIVERY',
      aliases: ['delivery-id'],
    }),
    batch: text({
      summary: 'Of the orders of this batch, and its end',
      placeholder: 'BATCH',
      aliases: ['batch-id'],
    }),
    since: moment({ summary: 'Begin with what happened at an instant, or 1h ago' }),
    limit: integer({ summary: 'End after so many', minimum: 1 }),
  },
  examples: [
    { command: 'waybill events tail', summary: 'Everything from now on' },
    { command: 'waybill events tail --delivery DELIVERY --since 1d', summary: 'The life of a delivery' },
    { command: 'waybill events tail --type batch.completed --limit 1 --json', summary: 'Wait for one' },
  ],
  effect: 'read',
  formats: streamFormats,
  async run(context, { flags: { type, delivery, batch, since, limit } }) {
    const { fields } = context.output;
    if (fields !== null) (await import('../../listening/fields.ts')).checkLineFields('events tail', fields);
    const delivery_id = delivery && (await findDeliveryId(context, delivery));
    if (batch !== undefined) await checkBatch(context, batch);
    const query = {
      ...{ types: type.length === 0 ? undefined : type, delivery_id, batch_id: batch },
      since: since && (await pastInstantOf(context, since)),
    };
    const { tailing } = await import('../../listening/tailing.ts');
    return tailing(context, query, limit);
  },
});
