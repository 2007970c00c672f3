import { orderStatuses } from '../../../contract/vocabulary.ts';
import { orderColumns } from '../../columns/orders.ts';
import { defineCommand } from '../../command.ts';
import { choice, text } from '../../line/flags.ts';
import { createdFlags, createdQuery, listing, pagingFlags } from '../../line/listing.ts';

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List orders, newest first',
  flags: {
    status: choice({ summary: 'Only those in this status', choices: orderStatuses, placeholder: 'STATUS' }),
    externalOrderRef: text({
      summary: 'Only those with this reference',
      aliases: ['ref'],
      placeholder: 'REF',
    }),
    batch: text({ summary: 'Only those of this batch', aliases: ['batch-id'], placeholder: 'BATCH' }),
    ...createdFlags,
    ...pagingFlags,
  },
  examples: [
    { command: 'waybill orders list --status open', summary: 'Those that are in no route yet' },
    {
      command: 'waybill orders list --batch BATCH --status unfulfilled',
      summary: 'Those of a batch that nobody took',
    },
    { command: 'waybill orders list --since 1d --all -o id', summary: 'The ids of the last day' },
  ],
  effect: 'read',
  async run(context, { flags }) {
    const { status, externalOrderRef, batch, since, until } = flags;
    const client = await context.client();
    const created = await createdQuery(context, { since, until });
    return listing({
      list: client.orders.list,
      query: { status, external_order_ref: externalOrderRef, batch_id: batch, ...created },
      paging: flags,
      columns: orderColumns,
      command: ['orders', 'list'],
      filters: {
        ...{ status, externalOrderRef, batch },
        ...{ since: created.created_after, until: created.created_before },
      },
      empty: 'No orders found.',
    });
  },
});
