import { checkBatch } from '../../batches/finding.ts';
import { eventColumns } from '../../columns/events.ts';
import { defineCommand } from '../../command.ts';
import { findDeliveryId } from '../../deliveries/finding.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { text } from '../../line/flags.ts';
import { listing, pagingFlags } from '../../line/listing.ts';
import { instantOf, moment } from '../../line/moments.ts';
import { typesFlag } from '../../listening/targets.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List what happened, newest first',
  description:
    'Each event has the record that it tells of, as it was at that moment: --json shows it whole. The events of one delivery are counted by their sequence, from 1 and without gaps.',
  flags: {
    type: typesFlag({
      summary: "Of these types, with commas between, or 'delivery.*'",
      aliases: ['types', 'events'],
    }),
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
    since: moment({ summary: 'Of an instant and later, or of the last 2h, 1d' }),
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill events list --delivery DELIVERY', summary: 'The life of a delivery' },
    { command: 'waybill events list --batch BATCH --all', summary: 'What became of a batch' },
    { command: 'waybill events list --since 1h --all -o ndjson', summary: 'The last hour, for a program' },
  ],
  effect: 'read',
  async run(context, { flags }) {
    const client = await context.client();
    const { batch } = flags;
    const type = flags.type.length === 0 ? undefined : flags.type.join(',');
    const delivery = flags.delivery && (await findDeliveryId(context, flags.delivery));
    const since = flags.since && (await instantOf(context, flags.since, 'ago'));
    if (batch !== undefined) await checkBatch(context, batch);
    return listing({
      list: client.events.list,
      query: { type, delivery_id: delivery, batch_id: batch, since },
      paging: flags,
      columns: eventColumns,
      command: invocation('events list'),
      filters: { type, delivery, batch, since },
      empty: 'No events found.',
    });
  },
});
