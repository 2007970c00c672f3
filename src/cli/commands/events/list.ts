import { text } from '../../kit/args/flags.ts';
import { moment } from '../../kit/args/time-arguments.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { defineCommand } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';
import { instantOf } from '../../session/service-instants.ts';
import { getBatch } from '../batches/find-batch.ts';
import { findDeliveryId } from '../deliveries/find-delivery.ts';
import { eventColumns } from './event-columns.ts';
import { typesFlag } from './event-types.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List events, newest first',
  description: [
    'Each event contains a snapshot of its record; --json shows it in full. The events of a delivery are numbered by',
    '`sequence`, starting at 1 without gaps.',
  ].join('\n'),
  flags: {
    type: typesFlag({
      summary: "Filter by event type, comma-separated, or 'delivery.*'",
      aliases: ['types', 'events'],
    }),
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
    since: moment({ isPast: true, summary: 'Created at or after a time, such as 2h or 1d ago' }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill events list --delivery DELIVERY', summary: 'Show the events of a delivery' },
    { command: 'waybill events list --batch BATCH --all', summary: 'Show the events of a batch' },
    { command: 'waybill events list --since 1h --all -o ndjson', summary: 'Export the last hour as NDJSON' },
  ],
  columns: eventColumns,
  effect: 'read',
  async run(context, { flags }) {
    const client = await context.client();
    const { batch } = flags;
    const type = flags.type.length === 0 ? undefined : flags.type.join(',');
    const delivery = flags.delivery && (await findDeliveryId(context, flags.delivery));
    const since = flags.since && (await instantOf(context, flags.since, 'ago'));
    // Fails with exit 5 if the batch does not exist, instead of listing nothing.
    if (batch !== undefined) await getBatch(context, batch);
    return listing({
      list: client.events.list,
      query: { type, delivery_id: delivery, batch_id: batch, since },
      paging: flags,
      columns: eventColumns,
      command: invocation('events list'),
      filters: { type, delivery, batch, since },
      empty: 'No events found.',
      start: phrase`No events yet. A delivery causes the first: ${invocation('ship')}`,
    });
  },
});
